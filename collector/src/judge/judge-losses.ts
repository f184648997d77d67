/**
 * @module JudgeLosses: losses that become known after turns were judged (evidence: Loss
 * accounting). No verdict is a success while a known loss may concern the turn, so the judge goes
 * back: for each interval to its start, and to each root with quarantined rows.
 */
import { createHash } from "node:crypto";

import type { LossInterval } from "@turnproof/evidence";
import { compareTimes, isoTime } from "@turnproof/semconv";
import type { Voice } from "@turnproof/store";

/** Most producers and services in memory; the first loss of an evicted one is missed. */
const namesMax = 10_000;
/** Most intervals in memory; the turns of an evicted one are judged once more. */
const lossesMax = 100_000;
/** Receipts use the collector's clock and intervals the producer's. */
const skewMs = 5 * 60_000;

/** Which turns were judged, and with which losses. */
export interface LateLosses {
  /** Records the producers in a judged window. */
  judged(events: readonly Voice[]): void;
  /**
   * The receipt from which turns have to be judged again because of newly known intervals;
   * undefined when none concerns a judged turn.
   */
  since(losses: readonly LossInterval[]): string | undefined;
  /**
   * The roots among these that were not judged since they were named; empty the first time,
   * because all of them are judged then anyway.
   */
  fresh(roots: readonly string[]): readonly string[];
  /** Records that a named root is judged. */
  settled(root: string): void;
  /** State for the next process. */
  state(): LossesState;
}

/** State of losses between two processes. */
export interface LossesState {
  /** Digests of the intervals that turns were judged with, newest last. */
  readonly seen: readonly string[];
  /** Digests of the roots with quarantined rows that were judged since. */
  readonly named: readonly string[];
}

/** Most intervals and roots kept for the next process; it judges the turns of others once more. */
const keptMax = 10_000;

/**
 * State of an earlier process, if any. The producers of its turns are unknown: it may be any, from
 * `floor` on.
 */
export interface EarlierLosses extends LossesState {
  readonly floor: string;
}

/** Losses on top of an earlier process's state. */
export function createLateLosses(before?: EarlierLosses): LateLosses {
  /** The earliest judged receipt: of each producer, of each service, and of all. */
  const first = new Map<string, string>();
  const seen = new Set<string>(before?.seen);
  let named: Set<string> | undefined = before && new Set(before.named);
  const floor = before?.floor;
  const note = (key: string, at: string): void => {
    const known = first.get(key);
    if (known === undefined || compareTimes(at, known) < 0) first.set(key, at);
  };
  const startOf = ({ producer_id: id, service, from }: LossInterval): string | undefined => {
    const judged = floor ?? first.get(everyProducer);
    if (judged === undefined) return undefined;
    // A loss without a producer may concern any turn.
    const anyTurn = id === undefined || service === undefined;
    const reported = [first.get(`p ${id}`), first.get(`s ${service}`)].filter(
      (at) => at !== undefined,
    );
    const earliest = anyTurn ? judged : (floor ?? reported.toSorted(compareTimes)[0]);
    if (from === null || earliest === undefined) return earliest;
    const back = isoTime(Date.parse(from) - skewMs);
    return compareTimes(back, earliest) > 0 ? back : earliest;
  };
  return {
    judged(events) {
      for (const event of events) {
        const { producer_id: id, received_at: at, service_name } = event;
        if (at === undefined) continue;
        const service = service_name ?? event.application_id;
        note(everyProducer, at);
        if (id !== undefined) note(`p ${id}`, at);
        if (service !== undefined) note(`s ${service}`, at);
      }
      bound(first, 2 * namesMax);
    },
    since(losses) {
      let earliest: string | undefined;
      for (const loss of losses) {
        const key = digest(JSON.stringify(loss));
        if (seen.has(key)) continue;
        seen.add(key);
        const from = startOf(loss);
        if (from === undefined) continue;
        if (earliest === undefined || compareTimes(from, earliest) < 0) earliest = from;
      }
      bound(seen, lossesMax);
      return earliest;
    },
    fresh(roots) {
      const digests = roots.map(digest);
      const known = named ?? new Set(digests);
      named = new Set(digests.filter((one) => known.has(one)));
      return roots.filter((_root, at) => !known.has(digests[at] ?? ""));
    },
    settled: (root) => void named?.add(digest(root)),
    state: () => ({ seen: [...seen].slice(-keptMax), named: [...(named ?? [])].slice(-keptMax) }),
  };
}

const everyProducer = "";

function digest(text: string): string {
  return createHash("sha256").update(text).digest("base64url").slice(0, 22);
}

/** Evicts the oldest entry, but never the one of all. */
function bound(known: Map<string, string> | Set<string>, max: number): void {
  for (const key of known.keys()) {
    if (known.size <= max) return;
    if (key !== everyProducer) known.delete(key);
  }
}
