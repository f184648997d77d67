/**
 * @module JudgeLosses: losses that become known after turns were judged (design 6.4). No verdict
 * is a success while a loss is known that the turn may have met, so the judge goes back: for each
 * interval to where it began, and to each root of which rows were set aside.
 */
import { createHash } from "node:crypto";

import { compareTimes } from "@turnproof/evidence";
import type { LossInterval } from "@turnproof/evidence";
import type { Voice } from "@turnproof/store";

/** Producers, and services, that are remembered; what a forgotten one lost first is missed. */
const namesMax = 10_000;
/** Intervals that are remembered; the turns of a forgotten one are judged once more. */
const lossesMax = 100_000;
/** Receipts are read by the collector's clock and intervals told by the producer's. */
const skewMs = 5 * 60_000;

/** What the judge remembers of the turns that it judged, and of the losses it judged them with. */
export interface LateLosses {
  /** Remembers who speaks in a window that is judged. */
  judged(events: readonly Voice[]): void;
  /**
   * The receipt from which turns have to be judged again because of intervals that were not known
   * before; undefined when there is none that concerns a turn that was judged.
   */
  since(losses: readonly LossInterval[]): string | undefined;
  /**
   * Of these roots the ones that are not judged since they were named; the first time none, because
   * then all are to be judged anyway.
   */
  fresh(roots: readonly string[]): readonly string[];
  /** Says that a root is judged as one that is named. */
  settled(root: string): void;
  /** What the next process is to know. */
  state(): LossesState;
}

/** What is kept of losses from one process to the next. */
export interface LossesState {
  /** Digests of the intervals that turns were judged with, the newest last. */
  readonly seen: readonly string[];
  /** Digests of the roots of which rows were set aside, and that are judged since. */
  readonly named: readonly string[];
}

/** Intervals and roots that the next process knows; it judges the turns of others once more. */
const keptMax = 10_000;

/**
 * What an earlier process kept, if any. Which producers took part in its turns is unknown: any may
 * have, from `floor` on.
 */
export interface EarlierLosses extends LossesState {
  readonly floor: string;
}

/** Losses on top of what an earlier process kept. */
export function createLateLosses(before?: EarlierLosses): LateLosses {
  /** The earliest receipt that was judged: of each producer, of each service, and of all. */
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
    const told = [first.get(`p ${id}`), first.get(`s ${service}`)].filter((at) => at !== undefined);
    const earliest = anyTurn ? judged : (floor ?? told.toSorted(compareTimes)[0]);
    if (from === null || earliest === undefined) return earliest;
    const back = new Date(Date.parse(from) - skewMs).toISOString();
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

/** The longest remembered goes first, but never the one of all. */
function bound(known: Map<string, string> | Set<string>, max: number): void {
  for (const key of known.keys()) {
    if (known.size <= max) return;
    if (key !== everyProducer) known.delete(key);
  }
}
