/**
 * @module ReconcileSources: whether artifacts have the authoritative sources of the intents
 * (requirements: Reconciliation 4). Several intents may require many sources of many artifacts;
 * each artifact is compared with all of them by counting, never source by source.
 */
import { supportingRoles } from "@turnproof/semconv";

import type { EventResource, TurnEvent } from "../event/event.ts";
import { shownOf } from "./finding-list.ts";
import type { Bench } from "./reconcile-bench.ts";

/** One declared source, and the intents that declare it. */
interface Wanted {
  readonly source: EventResource;
  readonly intents: TurnEvent[];
}

/** The sources that some intents declare, each once. */
export interface WantedSources {
  readonly intents: readonly TurnEvent[];
  readonly list: readonly Wanted[];
  readonly byRef: ReadonlyMap<string, WantedRef>;
  readonly countByType: ReadonlyMap<string, number>;
}

/** The declared sources of one ref: by type and version. */
interface WantedRef {
  count: number;
  readonly byType: Map<string, Map<string | undefined, Wanted>>;
}

/** Reads what the intents declare. */
export function wantedBy(intents: readonly TurnEvent[]): WantedSources {
  const list: Wanted[] = [];
  const declaring: TurnEvent[] = [];
  const byRef = new Map<string, WantedRef>();
  const countByType = new Map<string, number>();
  for (const intent of intents) {
    const declared = intent.input_refs?.filter(plays) ?? [];
    if (declared.length > 0) declaring.push(intent);
    for (const source of declared) {
      const { ref, resource_type: type, version } = source;
      let named = byRef.get(ref);
      if (named === undefined) byRef.set(ref, (named = { count: 0, byType: new Map() }));
      let versions = named.byType.get(type);
      if (versions === undefined) named.byType.set(type, (versions = new Map()));
      let wanted = versions.get(version);
      if (wanted === undefined) {
        wanted = { source, intents: [] };
        versions.set(version, wanted);
        list.push(wanted);
        named.count += 1;
        countByType.set(type, (countByType.get(type) ?? 0) + 1);
      }
      if (wanted.intents.at(-1) !== intent) wanted.intents.push(intent);
    }
  }
  return { intents: declaring, list, byRef, countByType };
}

/** Most pairs of artifact and source that are checked one by one, to name the right intents. */
const pairsMax = 4_096;

/** Notes the declared sources that an artifact lacks, for artifacts of one type. */
export function judgeSources(
  bench: Bench,
  wanted: WantedSources,
  type: string | undefined,
  artifacts: readonly TurnEvent[],
): void {
  if (wanted.list.length === 0) return;
  const pairwise = wanted.list.length * artifacts.length <= pairsMax;
  const intents = pairwise ? [] : shownOf(wanted.intents);
  for (const event of artifacts) {
    const found = hold(event, wanted);
    if (found.missing > 0) note(bench, "artifact_source_missing", type, [...intents, event]);
    if (found.mismatched > 0) note(bench, "artifact_source_mismatch", type, [...intents, event]);
    if (!pairwise || found.missing + found.mismatched === 0) continue;
    for (const one of wanted.list) {
      if (found.same.has(one)) continue;
      const rival = (event.input_refs ?? []).some((source) => isRival(source, one.source));
      const code = rival ? "artifact_source_mismatch" : "artifact_source_missing";
      note(bench, code, type, shownOf(one.intents));
    }
  }
}

function note(
  bench: Bench,
  code: "artifact_source_missing" | "artifact_source_mismatch",
  subject: string | undefined,
  evidence: readonly TurnEvent[],
): void {
  bench.notices.push({ code, subject, evidence, absence: code === "artifact_source_missing" });
}

/** True for a source that must match, or that may replace one that must. */
function plays({ role }: EventResource): boolean {
  return role === undefined || !supportingRoles.has(role);
}

/** A replacement for the required source: the same resource, or one of its role. */
function isRival(source: EventResource, wanted: EventResource): boolean {
  if (source.ref === wanted.ref) return true;
  return plays(source) && source.resource_type === wanted.resource_type;
}

/** How the artifact's sources compare with the required ones: equal, replacing, or missing. */
function hold(
  event: TurnEvent,
  wanted: WantedSources,
): { readonly same: ReadonlySet<Wanted>; readonly mismatched: number; readonly missing: number } {
  const same = new Set<Wanted>();
  const refs = new Set<string>();
  const types = new Set<string>();
  for (const source of event.input_refs ?? []) {
    refs.add(source.ref);
    if (plays(source)) types.add(source.resource_type);
    const versions = wanted.byRef.get(source.ref)?.byType.get(source.resource_type);
    const one = versions?.get(source.version);
    if (one !== undefined) same.add(one);
  }
  let rivals = 0;
  for (const type of types) rivals += wanted.countByType.get(type) ?? 0;
  for (const ref of refs) {
    const named = wanted.byRef.get(ref);
    if (named === undefined) continue;
    rivals += named.count;
    // Sources of a replaced type were counted with their type.
    for (const type of types) rivals -= named.byType.get(type)?.size ?? 0;
  }
  return { same, mismatched: rivals - same.size, missing: wanted.list.length - rivals };
}
