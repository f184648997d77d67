/**
 * @module CompareResults: compares sources, artifact states, parser results and deliveries of two
 * windows, each by its name: the resource, the type, the contract, the target.
 */
import type { EventResource, TurnEvent } from "../event/event.ts";
import { labelOf } from "../reconcile/finding-list.ts";
import { artifactStates } from "../reconcile/reconcile-states.ts";
import { statesOf } from "../reconcile/reconcile-order.ts";
import { compareText } from "../event/text-order.ts";

/** A change of a result with the same name on both sides. */
export type ResultChange = "added" | "removed" | "changed" | "unchanged";

/** One source and the versions in which it was used. */
export interface SourceComparison {
  readonly resource_type: string;
  readonly ref: string;
  readonly change: ResultChange;
  readonly baseline_versions: readonly (string | null)[] | null;
  readonly candidate_versions: readonly (string | null)[] | null;
}

/** One named result and its latest states; null where the side has none. */
export interface StateComparison {
  /** Artifact type, contract name or delivery target; null for one without. */
  readonly name: string | null;
  readonly change: ResultChange;
  readonly baseline: readonly string[] | null;
  readonly candidate: readonly string[] | null;
}

/** All results of both sides. */
export interface ResultComparison {
  readonly sources: readonly SourceComparison[];
  readonly artifacts: readonly StateComparison[];
  readonly contracts: readonly StateComparison[];
  readonly deliveries: readonly StateComparison[];
}

/** Compares the results of two windows of normalized events. */
export function compareResults(
  baseline: readonly TurnEvent[],
  candidate: readonly TurnEvent[],
): ResultComparison {
  const states = (read: (events: readonly TurnEvent[]) => Named): StateComparison[] =>
    compareNamed(read(baseline), read(candidate));
  return {
    sources: compareSources(sourcesOf(baseline), sourcesOf(candidate)),
    artifacts: states(artifactsOf),
    contracts: states(contractsOf),
    deliveries: states(deliveriesOf),
  };
}

function compareNames(a: string | null | undefined, b: string | null | undefined): number {
  return compareText(a ?? "", b ?? "");
}

type Named = ReadonlyMap<string | undefined, readonly string[]>;
type Sources = ReadonlyMap<string, ReadonlyMap<string, ReadonlySet<string | null>>>;

function changeOf(
  before: readonly unknown[] | undefined,
  after: readonly unknown[] | undefined,
): ResultChange {
  if (before === undefined) return "added";
  if (after === undefined) return "removed";
  const same = before.length === after.length && before.every((value, i) => value === after[i]);
  return same ? "unchanged" : "changed";
}

function compareNamed(before: Named, after: Named): StateComparison[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.toSorted(compareNames).map((name) => {
    const left = before.get(name);
    const right = after.get(name);
    const change = changeOf(left, right);
    return { name: labelOf(name), change, baseline: left ?? null, candidate: right ?? null };
  });
}

function sourcesOf(events: readonly TurnEvent[]): Sources {
  const sources = new Map<string, Map<string, Set<string | null>>>();
  const add = ({ resource_type, ref, version }: EventResource): void => {
    const byRef = sources.get(resource_type) ?? new Map<string, Set<string | null>>();
    sources.set(resource_type, byRef);
    const versions = byRef.get(ref) ?? new Set<string | null>();
    byRef.set(ref, versions.add(version ?? null));
  };
  // References of a delivery are what it carries, not sources.
  for (const event of events) if (event.event_kind !== "delivery") event.input_refs?.forEach(add);
  return sources;
}

function compareSources(before: Sources, after: Sources): SourceComparison[] {
  const compared: SourceComparison[] = [];
  for (const type of [...new Set([...before.keys(), ...after.keys()])].toSorted()) {
    const refs = new Set([...(before.get(type)?.keys() ?? []), ...(after.get(type)?.keys() ?? [])]);
    for (const ref of [...refs].toSorted()) {
      const left = versions(before.get(type)?.get(ref));
      const right = versions(after.get(type)?.get(ref));
      compared.push({
        resource_type: type,
        ref,
        change: changeOf(left, right),
        baseline_versions: left ?? null,
        candidate_versions: right ?? null,
      });
    }
  }
  return compared;
}

function versions(known: ReadonlySet<string | null> | undefined): (string | null)[] | undefined {
  return known && [...known].toSorted(compareNames);
}

function collect(
  entries: Iterable<readonly [string | undefined, readonly TurnEvent[]]>,
  words: (event: TurnEvent) => string,
): Named {
  const named = new Map<string | undefined, string[]>();
  for (const [name, latest] of entries) {
    const known = named.get(name) ?? [];
    for (const event of latest) known.push(words(event));
    named.set(name, known);
  }
  for (const list of named.values()) list.sort();
  return named;
}

function artifactsOf(events: readonly TurnEvent[]): Named {
  const artifacts = events.filter((e) => e.event_kind === "artifact" && e.phase !== "start");
  const states = artifactStates(artifacts).map(({ type, latest }) => [type, latest] as const);
  return collect(states, ({ attributes }) => {
    const verified = attributes.persistence_verified;
    const persisted = verified === undefined ? "unknown" : verified ? "verified" : "unverified";
    return `${attributes.artifact_status ?? "unknown"} ${persisted}`;
  });
}

function latestBy(
  events: readonly TurnEvent[],
  kind: "contract" | "delivery",
  nameOf: (event: TurnEvent) => string | undefined,
): (readonly [string | undefined, readonly TurnEvent[]])[] {
  const byName = new Map<string | undefined, TurnEvent[]>();
  for (const event of events) {
    if (event.event_kind !== kind || event.phase === "start") continue;
    const known = byName.get(nameOf(event));
    if (known === undefined) byName.set(nameOf(event), [event]);
    else known.push(event);
  }
  return [...byName].map(([name, list]) => [name, statesOf(list).latest] as const);
}

function contractsOf(events: readonly TurnEvent[]): Named {
  const latest = latestBy(events, "contract", (event) => event.attributes.contract_name);
  return collect(latest, ({ attributes }) =>
    [
      attributes.parser_status ?? "unknown",
      ...(attributes.recovery_used === true ? ["recovered"] : []),
    ].join(" "),
  );
}

function deliveriesOf(events: readonly TurnEvent[]): Named {
  const latest = latestBy(events, "delivery", (event) => event.attributes.delivery_target);
  const word = (value: boolean | null | undefined, yes: string, no: string): string =>
    value === true ? yes : value === false ? no : "unknown";
  return collect(latest, ({ attributes }) => {
    const emitted = word(attributes.emitted, "emitted", "not_emitted");
    return `${emitted} ${word(attributes.acknowledged, "acknowledged", "not_acknowledged")}`;
  });
}
