/**
 * @module ReconcileBridge: orders pairs of producers with slightly different clocks. A delivery
 * that names an artifact's output, or is its effect, came after it although its timestamp is
 * earlier.
 */
import { compareTimes, elapsedMs } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { bridgedSkewMs, isEffectOf } from "./reconcile-causes.ts";
import { clockOf } from "./reconcile-clock.ts";
import { compareOrder } from "./reconcile-order.ts";
import { producerOf } from "./reconcile-tied.ts";
import type { TurnEvidence } from "./turn-evidence.ts";

/** Most pairs that are checked one by one; of more, none is bridged. */
const pairsMax = 64;

/** True when every delivery follows all of the evidence, with skew bridged where allowed. */
export function areBridged(
  turn: TurnEvidence,
  deliveries: readonly TurnEvent[],
  evidence: readonly TurnEvent[],
): boolean {
  const pairs = deliveries.length * evidence.length;
  if (pairs === 0 || pairs > pairsMax) return false;
  return deliveries.every((delivery) =>
    evidence.every((event) => {
      if (compareOrder(delivery, event) >= 0 && !isNumberedBefore(delivery, event)) return true;
      if (clockOf(delivery) === clockOf(event)) return false;
      // An effect of the delivery cannot precede it, whatever version it names.
      if (isEffectOf(turn, event, delivery)) return false;
      return isEffectOf(turn, delivery, event) || isDelivered(delivery, event);
    }),
  );
}

/** True where a service without a process id numbered it earlier, whatever the instant. */
function isNumberedBefore(one: TurnEvent, other: TurnEvent): boolean {
  const producer = producerOf(one);
  return (
    producer !== undefined &&
    producer === producerOf(other) &&
    compareTimes(one.timestamp, other.timestamp) === 0 &&
    (one.producer_seq as number) < (other.producer_seq as number)
  );
}

/** True for an artifact that the delivery names in this version, within the bridged skew. */
function isDelivered(
  delivery: TurnEvent,
  { event_kind, output_refs, timestamp }: TurnEvent,
): boolean {
  const [made] = output_refs ?? [];
  if (event_kind !== "artifact" || made?.version === undefined) return false;
  if ((elapsedMs(delivery.timestamp, timestamp) ?? Infinity) > bridgedSkewMs) return false;
  return (delivery.input_refs ?? []).some(
    ({ resource_type: type, ref, version }) =>
      type === made.resource_type && ref === made.ref && version === made.version,
  );
}

/** True when some of the evidence is an effect of one of the deliveries, from another producer. */
export function isCausedByAny(
  turn: TurnEvidence,
  evidence: readonly TurnEvent[],
  deliveries: readonly TurnEvent[],
): boolean {
  if (deliveries.length * evidence.length > pairsMax) return false;
  return evidence.some((event) =>
    deliveries.some(
      (delivery) => clockOf(delivery) !== clockOf(event) && isEffectOf(turn, event, delivery),
    ),
  );
}
