/**
 * @module ReconcileStates: the artifacts of a task, each in its latest state with the superseded
 * ones (requirements: Reconciliation 2).
 */
import type { EventResource, TurnEvent } from "../event/event.ts";
import { compareOrder, statesOf, statesWithin } from "./reconcile-order.ts";
import type { States } from "./reconcile-order.ts";
import { producerOf, tiedOf } from "./reconcile-tied.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** One artifact of a task: all records of one resource and type. */
export interface ArtifactState extends States {
  readonly type: string | undefined;
  readonly ref: string | undefined;
}

/** The resource of a record. */
export function refOf(artifact: TurnEvent): EventResource | undefined {
  return artifact.output_refs?.[0];
}

/** Type of the artifact: its own field, else its resource's. */
function typeOf(artifact: TurnEvent): string | undefined {
  return artifact.attributes.artifact_type ?? refOf(artifact)?.resource_type;
}

/** Version of the artifact: its resource's, else its own field. */
export function versionOf(artifact: TurnEvent): string | undefined {
  return refOf(artifact)?.version ?? artifact.attributes.content_version;
}

/** True when the record is a failed attempt. */
export function isFailed(artifact: TurnEvent): boolean {
  return artifact.attributes.artifact_status === "failed" || artifact.status === "error";
}

/** True when the record is a deletion. */
export function isDeleted(artifact: TurnEvent): boolean {
  return artifact.attributes.artifact_status === "deleted";
}

/**
 * The artifacts of a task; with its turn, causality orders across producers. A failed attempt
 * without a resource is superseded by any artifact of its type.
 */
export function artifactStates(
  artifacts: readonly TurnEvent[],
  turn?: TurnEvidence,
): ArtifactState[] {
  const byType = groupByType(artifacts);
  const states: ArtifactState[] = [];
  for (const [type, byRef] of byType) {
    const named = [...byRef].filter(([ref]) => ref !== undefined).flatMap(([, events]) => events);
    for (const [ref, events] of byRef) {
      const open = ref === undefined ? withoutReplaced(events, named) : events;
      if (open.length > 0)
        states.push({
          type,
          ref,
          ...(turn === undefined ? statesOf(open) : statesWithin(turn, open)),
        });
    }
  }
  return states;
}

type Groups = Map<string | undefined, Map<string | undefined, TurnEvent[]>>;

/**
 * Records by type and ref. A deletion applies to its resource, whatever type it has: it is added
 * to the records of that resource under every type.
 */
function groupByType(artifacts: readonly TurnEvent[]): Groups {
  const byType: Groups = new Map();
  const byResource = new Map<string, Set<TurnEvent[]>>();
  const groupOf = (artifact: TurnEvent): TurnEvent[] => {
    const type = typeOf(artifact);
    const byRef = byType.get(type) ?? new Map<string | undefined, TurnEvent[]>();
    byType.set(type, byRef);
    const ref = refOf(artifact)?.ref;
    const events = byRef.get(ref) ?? [];
    byRef.set(ref, events);
    return events;
  };
  const gone = artifacts.filter((one) => isDeleted(one) && refOf(one) !== undefined);
  const deleted = gone.length === 0 ? undefined : new Set(gone);
  for (const artifact of artifacts) {
    if (deleted?.has(artifact) === true) continue;
    const events = groupOf(artifact);
    events.push(artifact);
    if (deleted === undefined) continue;
    const key = resourceKey(artifact);
    const known = byResource.get(key);
    if (known === undefined) byResource.set(key, new Set([events]));
    else known.add(events);
  }
  for (const deletion of statesOf(unnamedDeletions(artifacts)).latest) {
    const type = typeOf(deletion);
    for (const [other, byRef] of byType) {
      if (type !== undefined && other !== type) continue;
      for (const [ref, events] of byRef) if (ref !== undefined) events.push(deletion);
    }
  }
  for (const deletion of gone) {
    const own = byType.get(typeOf(deletion))?.get(refOf(deletion)?.ref);
    const groups = new Set(byResource.get(resourceKey(deletion)));
    if (own !== undefined || groups.size === 0) groups.add(own ?? groupOf(deletion));
    for (const events of groups) events.push(deletion);
  }
  return byType;
}

/**
 * Deletions without a resource: of any artifact of their type; without a type, of any artifact.
 */
function unnamedDeletions(artifacts: readonly TurnEvent[]): readonly TurnEvent[] {
  return artifacts.filter((one) => isDeleted(one) && refOf(one) === undefined);
}

function resourceKey(artifact: TurnEvent): string {
  const made = refOf(artifact);
  return JSON.stringify([made?.resource_type, made?.ref]);
}

/** Attempts that did not fail, and failed ones that no named artifact of their type followed. */
function withoutReplaced(
  attempts: readonly TurnEvent[],
  named: readonly TurnEvent[],
): readonly TurnEvent[] {
  const newest = tiedOf(statesOf(named).latest);
  const [one] = newest.events;
  if (one === undefined) return attempts;
  return attempts.filter((attempt) => {
    if (!isFailed(attempt)) return true;
    const own = newest.byProducer.get(producerOf(attempt));
    return compareOrder(own?.[0] ?? one, attempt) <= 0;
  });
}
