/**
 * @module ReconcileDelivery: whether something was delivered after it existed, emitted and
 * acknowledged (requirements: Reconciliation 2, 3, 7).
 */
import type { FindingCode } from "./diagnostics-table.ts";
import type { TurnEvent } from "../event/event.ts";
import { shownOf } from "./finding-list.ts";
import { hasOwnIdentity, mayAssert, noteConflict, noteUnestablished } from "./reconcile-bench.ts";
import type {
  Bench,
  Candidates,
  DeliveryIndex,
  LinkReason,
  LinkState,
  Naming,
} from "./reconcile-bench.ts";
import { areBridged, isCausedByAny } from "./reconcile-bridge.ts";
import { statesOf, statesWithin } from "./reconcile-order.ts";
import { precedingProducers, producerOf, receivedBefore, tiedOf } from "./reconcile-tied.ts";
import type { Producers, Tied } from "./reconcile-tied.ts";
import type { TaskScope, TurnEvidence } from "./turn-evidence.ts";

/** True when the delivery was emitted without failing. */
function isEmitted(delivery: TurnEvent): boolean {
  return delivery.attributes.emitted === true && !failedToEmit(delivery);
}

/** True when the delivery is recorded as not emitted. */
function isRefused(delivery: TurnEvent): boolean {
  return delivery.attributes.emitted === false || failedToEmit(delivery);
}

/** An emitted delivery that its receiver refused is a refusal, not a failure to emit. */
function failedToEmit({ status, attributes }: TurnEvent): boolean {
  return status === "error" && !(attributes.emitted === true && attributes.acknowledged === false);
}

function isAcknowledged(delivery: TurnEvent): boolean {
  return delivery.attributes.acknowledged === true && mayAssert(delivery);
}

function isDenied(delivery: TurnEvent): boolean {
  return delivery.attributes.acknowledged === false && mayAssert(delivery);
}

/** Notes what a counted delivery lacks. */
function noteDelivery(bench: Bench, delivery: TurnEvent): void {
  const subject = delivery.attributes.delivery_target;
  if (!isEmitted(delivery)) {
    bench.notices.push({ code: "delivery_not_emitted", subject, evidence: [delivery] });
    if (isRefused(delivery)) bench.bad = true;
  } else if (!isAcknowledged(delivery)) {
    const denied = isDenied(delivery);
    const code = "delivery_unconfirmed";
    const variant = denied ? "delivery_refused" : undefined;
    bench.notices.push({ code, subject, evidence: [delivery], absence: !denied, variant });
    if (denied) bench.bad = true;
  }
  if (!hasOwnIdentity(delivery)) {
    bench.notices.push({ code: "delivery_identity_derived", subject, evidence: [delivery] });
  }
}

/** Reduces deliveries to those that can still cover something. */
function candidatesOf(turn: TurnEvidence, deliveries: readonly TurnEvent[]): Candidates {
  const latest = tiedOf(statesWithin(turn, deliveries).latest);
  const emitted = deliveries.every(isEmitted)
    ? latest
    : tiedOf(statesWithin(turn, deliveries.filter(isEmitted)).latest);
  return {
    latest,
    emitted,
    refused: undefined,
    unnoted: undefined,
    wanting: undefined,
    versions: undefined,
  };
}

/** The deliveries of a task by resource and contract. */
export function indexDeliveries({ deliveries, turn }: TaskScope): DeliveryIndex {
  const byRef = new Map<string, Map<string, Naming>>();
  const named = new Map<string, TurnEvent[]>();
  const withoutContract: TurnEvent[] = [];
  for (const delivery of deliveries) {
    for (const { ref, resource_type } of delivery.input_refs ?? []) {
      let byType = byRef.get(ref);
      if (byType === undefined) byRef.set(ref, (byType = new Map()));
      const naming = byType.get(resource_type);
      if (naming === undefined) {
        byType.set(resource_type, { deliveries: [delivery], candidates: undefined });
      } else if (naming.deliveries.at(-1) !== delivery) naming.deliveries.push(delivery);
    }
    const name = delivery.attributes.contract_name;
    if (name === undefined) withoutContract.push(delivery);
    else if (!named.has(name)) named.set(name, [delivery]);
    else named.get(name)?.push(delivery);
  }
  const byContract = new Map<string, Candidates>();
  for (const [name, list] of named) byContract.set(name, candidatesOf(turn, list));
  return {
    byRef,
    turn,
    named: new Map(),
    byContract,
    withoutContract: candidatesOf(turn, withoutContract),
  };
}

/** Deliveries that name a resource under one of the types, undefined where there is none. */
export function deliveriesOf(
  { byRef, named, turn }: DeliveryIndex,
  ref: string,
  types: ReadonlySet<string>,
): Candidates | undefined {
  const byType = byRef.get(ref);
  if (byType === undefined) return undefined;
  const requested = [...types].filter((type) => byType.has(type)).toSorted();
  const [only, ...others] = requested;
  if (only === undefined) return undefined;
  if (others.length === 0) {
    const naming = byType.get(only) as Naming;
    return (naming.candidates ??= candidatesOf(turn, naming.deliveries));
  }
  const key = JSON.stringify([ref, ...requested]);
  let candidates = named.get(key);
  if (candidates === undefined) {
    const naming = new Set(requested.flatMap((type) => byType.get(type)?.deliveries ?? []));
    candidates = candidatesOf(turn, [...naming]);
    named.set(key, candidates);
  }
  return candidates;
}

/** Which candidates are at or after some evidence. */
export interface Cover {
  /** Producers whose latest deliveries are not; undefined where no delivery is. */
  readonly except: Producers | undefined;
  /** Whether any emitted one is. */
  readonly emitted: boolean;
}

const noProducers: Producers = new Set();

/** Producers whose deliveries do not follow the evidence; undefined where none follows. */
function followers(
  turn: TurnEvidence,
  deliveries: Tied,
  evidence: readonly TurnEvent[],
): Producers | undefined {
  const except = precedingProducers(deliveries, evidence);
  if (except === undefined) {
    return areBridged(turn, deliveries.events, evidence) ? noProducers : undefined;
  }
  // An effect of a delivery came after it, whatever the clocks show.
  return isCausedByAny(turn, evidence, deliveries.events) ? undefined : except;
}

/**
 * Which of the candidates are at or after all of the evidence, which is in one instant, and
 * whether any emitted one is. Where clocks contradict the deciding order, that is noted, whichever
 * way it would decide.
 */
export function covering(
  bench: Bench,
  { latest, emitted }: Candidates,
  evidence: readonly TurnEvent[],
): Cover {
  const { turn } = bench.scope;
  const except = followers(turn, latest, evidence);
  if (except !== undefined) noteConflict(bench, receivedBefore(evidence, latest), latest.shown);
  const gone = latest === emitted ? except : followers(turn, emitted, evidence);
  return { except, emitted: gone !== undefined };
}

/** Notes intents, all of one instant, whose requests no delivery follows. */
export function noteLateIntents(
  bench: Bench,
  { latest }: Pick<Candidates, "latest">,
  intents: readonly TurnEvent[],
): void {
  if (latest.at === undefined) return;
  const evidence = [...shownOf(intents), ...latest.shown];
  if (followers(bench.scope.turn, latest, intents) !== undefined) {
    noteConflict(bench, receivedBefore(intents, latest), latest.shown);
    return;
  }
  bench.notices.push({ code: "intent_after_delivery", evidence });
}

/** Notes what the covering deliveries lack, each of them once, and returns the first finding. */
export function noteCover(
  bench: Bench,
  candidates: Candidates,
  { except }: Pick<Cover, "except">,
): FindingCode | undefined {
  if (except === undefined) return undefined;
  const unnoted = (candidates.unnoted ??= new Map(candidates.latest.byProducer));
  for (const [producer, deliveries] of unnoted) {
    if (except.has(producer)) continue;
    unnoted.delete(producer);
    const from = bench.notices.length;
    for (const delivery of deliveries) noteDelivery(bench, delivery);
    const code = bench.notices[from]?.code;
    if (code !== undefined) (candidates.wanting ??= new Map()).set(producer, code);
  }
  for (const [producer, code] of candidates.wanting ?? []) if (!except.has(producer)) return code;
  return undefined;
}

/**
 * Notes what the deliveries without a contract name lack that are at or after the latest one with
 * it: each may have carried this contract again.
 */
export function noteUnnamed(bench: Bench, naming: Candidates): void {
  const { withoutContract } = bench.index;
  const except = followers(bench.scope.turn, withoutContract.latest, naming.latest.events);
  noteCover(bench, withoutContract, { except });
}

/** True when one of the latest that cover something was not emitted. */
export function isCoverRefused(candidates: Candidates, { except }: Cover): boolean {
  if (except === undefined) return false;
  candidates.refused ??= new Set(candidates.latest.events.filter(isRefused).map(producerOf));
  return [...candidates.refused].some((producer) => !except.has(producer));
}

function linkOf(delivery: TurnEvent): { readonly state: LinkState; readonly reason: LinkReason } {
  if (isRefused(delivery)) return { state: "failed", reason: "delivery_not_emitted" };
  if (!isEmitted(delivery)) return { state: "unconfirmed", reason: "delivery_not_emitted" };
  if (isDenied(delivery)) return { state: "failed", reason: "delivery_refused" };
  if (!isAcknowledged(delivery)) return { state: "unconfirmed", reason: "delivery_unconfirmed" };
  if (!hasOwnIdentity(delivery)) {
    return { state: "unconfirmed", reason: "delivery_identity_derived" };
  }
  return { state: "present", reason: "delivery_acknowledged" };
}

/** Judges the latest delivery of the task, whatever it carries. */
export function judgeDeliveries(bench: Bench): void {
  const states = statesWithin(bench.scope.turn, bench.scope.deliveries);
  noteUnestablished(bench, states, (one) => isEmitted(one) && isAcknowledged(one));
  noteLateIntents(bench, { latest: tiedOf(states.latest) }, statesOf(bench.scope.intents).latest);
  for (const delivery of states.latest) {
    noteDelivery(bench, delivery);
    const name = delivery.attributes.delivery_target;
    bench.links.push({ link: "delivery", name, ...linkOf(delivery), evidence: [delivery] });
  }
  if (states.older.length > 0) {
    bench.links.push({
      link: "delivery",
      name: undefined,
      state: "superseded",
      reason: "later_state",
      evidence: states.older,
    });
  }
  if (states.latest.length > 0) return;
  bench.links.push({
    link: "delivery",
    name: undefined,
    state: "missing",
    reason: "delivery_missing",
    evidence: [],
  });
  bench.notices.push({ code: "delivery_missing", evidence: bench.scope.intents, absence: true });
}
