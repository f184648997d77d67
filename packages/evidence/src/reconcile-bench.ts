/**
 * @module ReconcileBench: what the judge of one task writes down while it looks: notices, links of
 * the chain, and whether a latest state is positively bad. Small tests of a single event that every
 * part of the judge shares stand here too.
 */
import type { FindingCode } from "./diagnostics-table.ts";
import type { TurnEvent } from "./event.ts";
import type { Notice } from "./finding-list.ts";
import { tupleFields } from "./identity-tuple.ts";
import { contradictions } from "./reconcile-order.ts";
import type { TaskScope } from "./task-scope.ts";

/** State of one link of the chain intent → artifact → contract → delivery. */
export type LinkState =
  | "present"
  | "missing"
  | "superseded"
  | "failed"
  | "recovered"
  | "unconfirmed";

/** Why a link that is not wanting anything is as it is. */
export type LinkReason =
  | FindingCode
  | "intent_recorded"
  | "artifact_persisted"
  | "artifact_deleted"
  | "contract_clean"
  | "contract_optional"
  | "delivery_acknowledged"
  | "later_state";

/** A link before it is given ids. */
export interface LinkDraft {
  readonly link: "intent" | "artifact" | "contract" | "delivery";
  readonly name: string | undefined;
  readonly state: LinkState;
  readonly reason: LinkReason;
  readonly evidence: readonly TurnEvent[];
}

/** Deliveries of a task by what they name. */
export interface DeliveryIndex {
  readonly byRef: ReadonlyMap<string, readonly TurnEvent[]>;
  readonly byContract: ReadonlyMap<string, Candidates>;
  /** Those that name no contract, and may carry any. */
  readonly withoutContract: Candidates;
}

/** Deliveries that may cover something: the latest, and the latest that were emitted. */
export interface Candidates {
  readonly latest: readonly TurnEvent[];
  readonly emitted: readonly TurnEvent[];
}

/** The notes on one task. */
export interface Bench {
  readonly scope: TaskScope;
  readonly index: DeliveryIndex;
  readonly notices: Notice[];
  readonly links: LinkDraft[];
  /** A latest state says no: failed artifact, failed parse, no emission, no ownership. */
  bad: boolean;
  /** At least one artifact or contract is what it should be. */
  valid: boolean;
}

const tuple: ReadonlySet<string> = new Set(tupleFields);

/** False for evidence of a principal that may not assert verification (design 3.8.4). */
export function mayAssert(event: TurnEvent): boolean {
  return event.ingest_trusted !== false;
}

/** False where a field of the tuple was inherited or derived (design 3.8.2). */
export function hasOwnIdentity(event: TurnEvent): boolean {
  return event.identity_derived?.some((field) => tuple.has(field)) !== true;
}

/**
 * Notes where clocks contradict the order of events that decide; `later` lies in one instant, as
 * the latest states of one thing do.
 */
export function noteConflicts(
  bench: Bench,
  earlier: readonly TurnEvent[],
  later: readonly TurnEvent[],
): void {
  const conflicting = contradictions(earlier, later);
  if (conflicting.length === 0) return;
  bench.notices.push({ code: "clock_conflict", evidence: [...conflicting, ...later] });
}
