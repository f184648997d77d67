/**
 * @module ReconcileBench: what the judge of one task writes down while it looks: notices, links of
 * the chain, and whether a latest state is positively bad. Small tests of a single event that every
 * part of the judge shares stand here too.
 */
import type { FindingCode, FindingVariant } from "./diagnostics-table.ts";
import type { TurnEvent } from "./event.ts";
import type { Notice } from "./finding-list.ts";
import { tupleFields } from "./identity-tuple.ts";
import { unestablished } from "./reconcile-order.ts";
import type { WindowClock } from "./reconcile-open.ts";
import type { States } from "./reconcile-order.ts";
import { receivedBefore, tiedOf } from "./reconcile-tied.ts";
import type { Tied } from "./reconcile-tied.ts";
import type { VersionCount } from "./reconcile-version.ts";
import type { TaskScope, TurnEvidence } from "./task-scope.ts";

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
  | FindingVariant
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
  readonly turn: TurnEvidence;
  /** By ref and resource type. */
  readonly byRef: ReadonlyMap<string, ReadonlyMap<string, Naming>>;
  /** By ref and several types asked for together; made when an artifact first asks. */
  readonly named: Map<string, Candidates>;
  readonly byContract: ReadonlyMap<string, Candidates>;
  /** Those that name no contract, and may carry any. */
  readonly withoutContract: Candidates;
}

/** Deliveries that name one resource; the candidates are made when an artifact first asks. */
export interface Naming {
  readonly deliveries: TurnEvent[];
  candidates: Candidates | undefined;
}

/** Deliveries that may cover something: the latest, and the latest that were emitted. */
export interface Candidates {
  readonly latest: Tied;
  readonly emitted: Tied;
  /** Producers of latest deliveries that say that they did not go out, found when asked. */
  refused: ReadonlySet<string | undefined> | undefined;
  /** Of the latest, those whose own wants are not noted yet, by producer; read when first asked. */
  unnoted: Map<string | undefined, readonly TurnEvent[]> | undefined;
  /** What the noted ones are wanting first. */
  wanting: Map<string | undefined, FindingCode> | undefined;
  /** Versions that the latest name, counted when an artifact first asks. */
  versions: Map<string | undefined, VersionCount> | undefined;
}

/** A producing span as the task sees it. */
export interface Producer {
  readonly state: "missing" | "incomplete" | "failed" | "succeeded";
  /** At most as many of its events as a finding shows. */
  readonly evidence: readonly TurnEvent[];
}

/** The notes on one task. */
export interface Bench {
  readonly scope: TaskScope;
  readonly index: DeliveryIndex;
  readonly notices: Notice[];
  readonly links: LinkDraft[];
  /** What became of each span that an artifact names as its producer. */
  readonly producers: Map<string, Producer>;
  /** A latest state says no: failed artifact, failed parse, no emission, no ownership. */
  bad: boolean;
  /** By which open is told from unfinished. */
  readonly clock: WindowClock;
  /** When the first of what is open counts as unfinished; null where nothing is open. */
  openUntil: string | null;
  /** A verified outcome says that the task failed. */
  outcomeFailed: boolean;
  /** At least one artifact or contract is what it should be. */
  valid: boolean;
}

const tuple: ReadonlySet<string> = new Set(tupleFields);

/** An empty bench for a task. */
export function openBench(
  scope: TaskScope,
  { index, clock }: { readonly index: DeliveryIndex; readonly clock: WindowClock },
): Bench {
  return {
    scope,
    index,
    notices: [],
    links: [],
    producers: new Map(),
    clock,
    openUntil: null,
    bad: false,
    outcomeFailed: false,
    valid: false,
  };
}

/** False for evidence of a principal that may not assert verification (design 3.8.4). */
export function mayAssert(event: TurnEvent): boolean {
  return event.ingest_trusted !== false;
}

/** False where a field of the tuple was inherited or derived (design 3.8.2). */
export function hasOwnIdentity(event: TurnEvent): boolean {
  return event.identity_derived?.some((field) => tuple.has(field)) !== true;
}

/** Notes a conflict of clocks, where there is one. */
export function noteConflict(
  bench: Bench,
  conflicting: readonly TurnEvent[],
  decisive: readonly TurnEvent[],
): void {
  if (conflicting.length === 0) return;
  bench.notices.push({ code: "clock_conflict", evidence: [...conflicting, ...decisive] });
}

/**
 * Notes where two producers contradict each other and nothing tells who came last, and where the
 * latest state was received before the clock of an older one says that it happened.
 */
export function noteUnestablished(
  bench: Bench,
  states: States,
  isGood: (event: TurnEvent) => boolean,
): void {
  if (states.older.length === 0) return;
  const latest = tiedOf(states.latest);
  noteConflict(bench, receivedBefore(states.older, latest), latest.shown);
  const evidence = unestablished(bench.scope.turn, states, isGood);
  if (evidence.length > 0) bench.notices.push({ code: "order_not_established", evidence });
}
