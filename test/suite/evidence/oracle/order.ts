/**
 * @module Order: which of two events was first (evidence: Reconcile). Within one
 * producer its sequence orders. Across producers causality does, then timestamps; 500 ms of
 * skew are bridged where causality or a delivered version orders the pair. Receipt is no order.
 */
import { instant, sameTurn, sameVersion, refs, text } from "./reading.ts";
import type { Json } from "./reading.ts";

const skewMs = 500;

/** -1: the first is earlier; 1: it is later; 0: they are of one instant. */
export type Sign = -1 | 0 | 1;

/** The clocks of a window, and the questions that they answer. */
export interface Clocks {
  /** How far a producer's clock is ahead of its receipts, in milliseconds. */
  readonly ahead: (event: Json) => number;
  /** True where the producer was moved back, so that its times are no more than bounds. */
  readonly bounded: (event: Json) => boolean;
  readonly time: (event: Json) => number;
  readonly compare: (one: Json, other: Json) => Sign;
  /** True where the second event is an effect of the first. */
  readonly causes: (cause: Json, effect: Json) => boolean;
  /** The later of two deciding events was received before the earlier one's timestamp. */
  readonly receiptConflict: (earlier: Json, later: Json) => boolean;
}

/** Events of one producer, by its fields in them. */
export function sameProducer(one: Json, other: Json): boolean {
  return one["producer_id"] === other["producer_id"];
}

/**
 * The clocks of a window.
 *
 * @param asOf the mark of the window, where it has one
 * @param shifted false leaves producers that are ahead at their own time
 */
export function clocksOf(all: readonly Json[], asOf: string | null, shifted = true): Clocks {
  // What has no receipt was there by the mark, or else by a day after the last receipt.
  const received = all.flatMap((event) => instant(event, "received_at") ?? []);
  const bound =
    asOf === null
      ? received.length === 0
        ? Infinity
        : Math.max(...received) + 86_400_000
      : Date.parse(asOf);
  // Mutants have one set of clocks each, so what is read twice is kept.
  const known = new Map<unknown, number>();
  const ahead = (event: Json): number => {
    const producer = event["producer_id"];
    const found = known.get(producer);
    if (found !== undefined) return found;
    const leads = all
      .filter((other) => sameProducer(other, event))
      .map(
        (other) => (instant(other, "timestamp") ?? 0) - (instant(other, "received_at") ?? bound),
      );
    const lead = Math.max(0, ...leads);
    known.set(producer, lead);
    return lead;
  };
  const stamped = (event: Json): number =>
    (instant(event, "timestamp") ?? 0) - (shifted ? ahead(event) : 0);
  // What a producer numbered later happened later, so within a turn it is no earlier than what came
  // before it. A wrong time of one turn moves no other turn, and a report orders nothing.
  const times = new Map<Json, number>();
  const time = (event: Json): number => {
    const known = times.get(event);
    if (known !== undefined) return known;
    const before = all.filter(
      (other) =>
        sameProducer(other, event) &&
        sameTurn(other, event) &&
        [other, event].every((one) => one["event_kind"] !== "data_quality") &&
        isNumberedBefore(other, event),
    );
    const found = Math.max(stamped(event), ...before.map(stamped));
    times.set(event, found);
    return found;
  };
  const causes = (cause: Json, effect: Json): boolean => causesOf(effect, all).has(cause);
  const compare = (one: Json, other: Json): Sign => {
    const [a, b] = [one["producer_seq"], other["producer_seq"]];
    if (sameProducer(one, other)) {
      if (typeof a === "number" && typeof b === "number" && a !== b) return a < b ? -1 : 1;
    } else {
      // A span that ended causes by its start; its end may be later than its effects.
      if (one["phase"] !== "result" && causes(one, other)) return -1;
      if (other["phase"] !== "result" && causes(other, one)) return 1;
      if (Math.abs(time(one) - time(other)) <= skewMs) {
        if (delivers(one, other)) return 1;
        if (delivers(other, one)) return -1;
      }
    }
    const difference = time(one) - time(other);
    return difference < 0 ? -1 : difference > 0 ? 1 : 0;
  };
  const receiptConflict = (earlier: Json, later: Json): boolean =>
    // Only shifted clocks can contradict receipts; the others are ahead, which is another finding.
    shifted && (instant(later, "received_at") ?? Infinity) < stamped(earlier);
  const bounded = (event: Json): boolean => shifted && ahead(event) > 0;
  return { ahead, bounded, time, compare, causes, receiptConflict };
}

function isNumberedBefore(one: Json, other: Json): boolean {
  const [a, b] = [one["producer_seq"], other["producer_seq"]];
  return typeof a === "number" && typeof b === "number" && a < b;
}

/** The first event delivers a version that the second, an artifact, made. */
function delivers(delivery: Json, artifact: Json): boolean {
  if (delivery["event_kind"] !== "delivery" || artifact["event_kind"] !== "artifact") return false;
  const made = refs(artifact, "output_refs")[0];
  return made !== undefined && refs(delivery, "input_refs").some((ref) => sameVersion(ref, made));
}

/** Everything that an event names as its cause: parents, links, `caused_by`, and their causes. */
function causesOf(effect: Json, all: readonly Json[]): Set<Json> {
  const found = new Set<Json>();
  const open: Json[] = [effect];
  for (let event = open.pop(); event !== undefined; event = open.pop()) {
    for (const cause of directCauses(event, all)) {
      if (cause === effect || found.has(cause)) continue;
      found.add(cause);
      open.push(cause);
    }
  }
  return found;
}

/** What an event itself names as its causes. */
export function directCauses(event: Json, all: readonly Json[]): Json[] {
  const links = (event["links"] as readonly Json[] | undefined) ?? [];
  const spans = [text(event, "parent_span_id"), ...links.map((link) => text(link, "span_id"))];
  return all.filter(
    (other) =>
      other !== event &&
      other["root_trace_id"] === event["root_trace_id"] &&
      ((other["span_id"] !== undefined && spans.includes(text(other, "span_id"))) ||
        (event["caused_by_event_id"] !== undefined &&
          other["event_id"] === event["caused_by_event_id"])),
  );
}

/** Those that none of the others follows; equal instants stand together. */
export function latest(events: readonly Json[], clocks: Clocks): readonly Json[] {
  const standing = events.filter(
    (one) => !events.some((other) => other !== one && clocks.compare(other, one) > 0),
  );
  return standing.length > 0 ? standing : events;
}

/** True where the pairwise orders contradict each other, so that nothing is the latest. */
export function isCyclic(events: readonly Json[], clocks: Clocks): boolean {
  return events.some((a) =>
    events.some(
      (b) =>
        clocks.compare(a, b) < 0 &&
        events.some((c) => clocks.compare(b, c) < 0 && clocks.compare(a, c) >= 0),
    ),
  );
}
