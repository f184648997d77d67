/**
 * @module ReconcileDelivery: whether something was delivered after it was there, emitted and
 * acknowledged (requirements: Reconciliation 2, 3, 7).
 */
import type { TurnEvent } from "./event.ts";
import { hasOwnIdentity, mayAssert, noteConflicts } from "./reconcile-bench.ts";
import type { Bench, Candidates, DeliveryIndex, LinkReason, LinkState } from "./reconcile-bench.ts";
import { followers, statesOf } from "./reconcile-order.ts";

/** True when the delivery says that it went out and did not fail doing so. */
function isEmitted(delivery: TurnEvent): boolean {
  return delivery.attributes.emitted === true && delivery.status !== "error";
}

/** True when the delivery says that it did not go out. */
export function isRefused(delivery: TurnEvent): boolean {
  return delivery.attributes.emitted === false || delivery.status === "error";
}

function isAcknowledged(delivery: TurnEvent): boolean {
  return delivery.attributes.acknowledged === true && mayAssert(delivery);
}

function isDenied(delivery: TurnEvent): boolean {
  return delivery.attributes.acknowledged === false && mayAssert(delivery);
}

/** Notes what is wanting of a delivery that counts. */
export function noteDelivery(bench: Bench, delivery: TurnEvent): void {
  const subject = delivery.attributes.delivery_target;
  if (!isEmitted(delivery)) {
    bench.notices.push({ code: "delivery_not_emitted", subject, evidence: [delivery] });
    if (isRefused(delivery)) bench.bad = true;
  } else if (!isAcknowledged(delivery)) {
    const denied = isDenied(delivery);
    const code = "delivery_unconfirmed";
    bench.notices.push({ code, subject, evidence: [delivery], absence: !denied });
    if (denied) bench.bad = true;
  }
  if (!hasOwnIdentity(delivery)) {
    bench.notices.push({ code: "delivery_identity_derived", subject, evidence: [delivery] });
  }
}

/** Deliveries reduced to what can still cover anything. */
export function candidatesOf(deliveries: readonly TurnEvent[]): Candidates {
  return {
    latest: statesOf(deliveries).latest,
    emitted: statesOf(deliveries.filter(isEmitted)).latest,
  };
}

/** The deliveries of a task by what they name. */
export function indexDeliveries(deliveries: readonly TurnEvent[]): DeliveryIndex {
  const byRef = new Map<string, TurnEvent[]>();
  const byContract = new Map<string, TurnEvent[]>();
  const withoutContract: TurnEvent[] = [];
  const add = (map: Map<string, TurnEvent[]>, key: string, delivery: TurnEvent): void => {
    const known = map.get(key);
    if (known === undefined) map.set(key, [delivery]);
    else if (known.at(-1) !== delivery) known.push(delivery);
  };
  for (const delivery of deliveries) {
    for (const { ref } of delivery.input_refs ?? []) add(byRef, ref, delivery);
    const name = delivery.attributes.contract_name;
    if (name === undefined) withoutContract.push(delivery);
    else add(byContract, name, delivery);
  }
  return {
    byRef,
    byContract: new Map([...byContract].map(([name, list]) => [name, candidatesOf(list)])),
    withoutContract: candidatesOf(withoutContract),
  };
}

/**
 * The latest of the candidates at or after all of the evidence, which lies in one instant, and
 * whether any emitted one is. Where clocks contradict the order of what decides, that is noted,
 * whichever way it would decide.
 */
export function covering(
  bench: Bench,
  candidates: Candidates,
  evidence: readonly TurnEvent[],
): { readonly latest: readonly TurnEvent[]; readonly emitted: boolean } {
  const latest = followers(candidates.latest, evidence);
  if (latest.length > 0) noteConflicts(bench, evidence, latest);
  else noteConflicts(bench, candidates.latest, evidence);
  return { latest, emitted: followers(candidates.emitted, evidence).length > 0 };
}

function linkOf(delivery: TurnEvent): { readonly state: LinkState; readonly reason: LinkReason } {
  if (isRefused(delivery)) return { state: "failed", reason: "delivery_not_emitted" };
  if (!isEmitted(delivery)) return { state: "unconfirmed", reason: "delivery_not_emitted" };
  if (isDenied(delivery)) return { state: "failed", reason: "delivery_unconfirmed" };
  if (!isAcknowledged(delivery)) return { state: "unconfirmed", reason: "delivery_unconfirmed" };
  if (!hasOwnIdentity(delivery)) {
    return { state: "unconfirmed", reason: "delivery_identity_derived" };
  }
  return { state: "present", reason: "delivery_acknowledged" };
}

/** Judges the latest delivery of the task, whatever it delivered. */
export function judgeDeliveries(bench: Bench): void {
  const states = statesOf(bench.scope.deliveries);
  noteConflicts(bench, states.older, states.latest);
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
