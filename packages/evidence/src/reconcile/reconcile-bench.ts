/**
 * @module ReconcileBench: working state of the judge for one task: notices, chain links, and
 * whether a latest state is negative. Also has predicates on single events that all parts of the
 * judge share.
 */
import type { FindingCode, FindingVariant } from "./diagnostics-table.ts";
import type { TurnEvent } from "../event/event.ts";
import type { Notice } from "./finding-list.ts";
import { tupleFields } from "../event/identity-tuple.ts";
import { unestablished } from "./reconcile-order.ts";
import type { WindowClock } from "./window-clock.ts";
import type { States } from "./reconcile-order.ts";
import { receivedBefore, tiedOf } from "./reconcile-tied.ts";
import type { Tied } from "./reconcile-tied.ts";
import type { TaskScope, TurnEvidence } from "./turn-evidence.ts";

/** State of one link of the chain intent → artifact → contract → delivery. */
export type LinkState =
  | "present"
  | "missing"
  | "superseded"
  | "failed"
  | "recovered"
  | "unconfirmed";

/** Why a link without a finding is in its state. */
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

/** A link without evidence ids. */
export interface LinkOutcome {
  readonly link: "intent" | "artifact" | "contract" | "delivery";
  readonly name: string | undefined;
  readonly state: LinkState;
  readonly reason: LinkReason;
  readonly evidence: readonly TurnEvent[];
}

/** Deliveries of a task by resource and contract. */
export interface DeliveryIndex {
  readonly turn: TurnEvidence;
  /** By ref and resource type. */
  readonly byRef: ReadonlyMap<string, ReadonlyMap<string, Naming>>;
  /** By ref and several types together; built when an artifact first needs it. */
  readonly named: Map<string, Candidates>;
  readonly byContract: ReadonlyMap<string, Candidates>;
  /** Those without a contract name, which may carry any contract. */
  readonly withoutContract: Candidates;
}

/**
 * Deliveries that name one resource; the candidates are built when an artifact first needs them.
 */
export interface Naming {
  readonly deliveries: TurnEvent[];
  candidates: Candidates | undefined;
}

/** Deliveries that may cover something: the latest, and the latest emitted ones. */
export interface Candidates {
  readonly latest: Tied;
  readonly emitted: Tied;
  /** Producers of latest deliveries that were not emitted; computed on first use. */
  refused: ReadonlySet<string | undefined> | undefined;
  /** Latest deliveries whose own findings are not noted yet, by producer; read on first use. */
  unnoted: Map<string | undefined, readonly TurnEvent[]> | undefined;
  /** First finding of those already noted. */
  wanting: Map<string | undefined, FindingCode> | undefined;
  /** Counts of versions in the latest deliveries, made when an artifact first needs them. */
  versions: Map<string | undefined, VersionCount> | undefined;
}

/** A producing span in the context of the task. */
export interface Producer {
  readonly state: "missing" | "incomplete" | "failed" | "succeeded";
  /** Events of it, as many as a finding shows. */
  readonly evidence: readonly TurnEvent[];
}

/** Working state of one task. */
export interface Bench {
  readonly scope: TaskScope;
  readonly index: DeliveryIndex;
  readonly notices: Notice[];
  readonly links: LinkOutcome[];
  /** Result of each span that an artifact names as its producer. */
  readonly producers: Map<string, Producer>;
  /** A latest state is negative: failed artifact, failed parse, no emission, no ownership. */
  bad: boolean;
  /** Clock by which open and unfinished are distinguished. */
  readonly clock: WindowClock;
  /** When the first open operation counts as unfinished; null where nothing is open. */
  openUntil: string | null;
  /** A verified outcome: the task failed. */
  outcomeFailed: boolean;
  /** At least one artifact or contract is valid. */
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

/**
 * False for evidence of a principal that may not assert verification (vocabulary: From a span to an
 * event 4).
 */
export function mayAssert(event: TurnEvent): boolean {
  return event.ingest_trusted !== false;
}

/**
 * False where a field of the tuple was inherited or derived (vocabulary: From a span to an event
 * 2).
 */
export function hasOwnIdentity(event: TurnEvent): boolean {
  return event.identity_derived?.some((field) => tuple.has(field)) !== true;
}

/** Notes a conflict of clocks, if there is one. */
export function noteConflict(
  bench: Bench,
  conflicting: readonly TurnEvent[],
  decisive: readonly TurnEvent[],
): void {
  if (conflicting.length === 0) return;
  bench.notices.push({ code: "clock_conflict", evidence: [...conflicting, ...decisive] });
}

/**
 * Notes where two producers contradict each other and their order is unknown, and where the latest
 * state was received before the time that an older one states.
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

/** How many of the latest deliveries name one version, in total and by producer. */
export interface VersionCount {
  count: number;
  readonly byProducer: Map<string | undefined, number>;
  /** Deliveries that name another one, as many as a finding shows; computed on first use. */
  others: readonly TurnEvent[] | undefined;
}
