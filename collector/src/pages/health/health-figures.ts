/**
 * @module HealthFigures: texts of the health page: losses as known zero, a known number, or
 * unknown; the sum that accounts for every received item; sorted counts.
 */
import type { KnownNumber, ProducerLoss, TraceHealth } from "@turnproof/evidence";

import type { ConservationSnapshot } from "../../receive/conservation.ts";
import { countText, wordsOf } from "../../ui/display/figures.ts";

/** A loss in words, with its tone. */
export interface LossTexts {
  readonly tone: "ok" | "bad" | "quiet";
  readonly word: string;
  readonly why: string;
}

/** True where a read failed and no event was read: the counts of events are unknown then. */
export function nothingRead({
  query_timing: reads,
  normalized_events: events,
}: Pick<TraceHealth, "query_timing" | "normalized_events">): boolean {
  return events === 0 && reads.some(({ failed }) => failed);
}

/** Read whole, and there is neither an event nor a report: no count that could be unknown. */
export function nothingReceived(
  of: Pick<TraceHealth, "normalized_events" | "producers" | "failures_by_code" | "query_failures">,
): boolean {
  return (
    of.normalized_events === 0 &&
    of.producers.length === 0 &&
    of.query_failures === 0 &&
    Object.keys(of.failures_by_code).length === 0
  );
}

/** The loss of one producer; `part`: the reader may read only a part of its events. */
export function lossOf(of: ProducerLoss, part = false): LossTexts {
  const { state, lost } = of;
  if (state === "nothing_lost") {
    const why =
      (of.sequence_gaps ?? 0) === 0
        ? "It accounted for every event that it made."
        : "It accounted for every event that it made; the missing numbers lie outside of what was read.";
    return { tone: "ok", word: "known 0", why };
  }
  if (state === "lost" && lost !== null) {
    return { tone: "bad", word: `known ${countText(lost)}`, why: lostWhy(of, lost) };
  }
  const why = part
    ? "You may read a part of its events, and a part shows no loss."
    : unknownWhy(of);
  return { tone: "quiet", word: "unknown", why };
}

function lostWhy({ reported, sequence_gaps: gaps }: ProducerLoss, lost: number): string {
  const reasons = ranked(reported?.reasons ?? {});
  const counted = reasons.reduce((sum, [, count]) => sum + count, 0);
  const words = reasons.map(([code, count]) => `${wordsOf(code)} ${countText(count)}`);
  if (lost > counted) {
    const rest = countText(lost - counted);
    words.push((gaps ?? 0) >= lost ? `${rest} numbers never arrived` : `${rest} without a reason`);
  }
  return words.join(", ");
}

function unknownWhy({ producer_id: id, reported, sequence_gaps }: ProducerLoss): string {
  const gaps = sequence_gaps ?? 0;
  if (id === null) return "It does not number its events, so what is missing is unknown.";
  const missing = `${countText(gaps)} ${gaps === 1 ? "number is" : "numbers are"} missing`;
  if (reported === null) {
    return gaps === 0
      ? "It numbers its events and never reported what it lost."
      : `${missing}, and it never reported what it lost.`;
  }
  return gaps === 0
    ? "Its report does not hold what it lost."
    : `${missing} in the part that was read, more than it reported.`;
}

/** A number that may be unknown: `known 0`, `known 12`, `unknown`. */
export function knownText({ value, state }: KnownNumber): string {
  return value === null ? "unknown" : `${state === "partial" ? "≥ " : "known "}${countText(value)}`;
}

/** One term of the sum. */
export interface ConservationTerm {
  readonly name: string;
  readonly value: number;
  readonly why: string;
}

/** The sum of conservation, both sides term by term. */
export interface Sum {
  readonly left: readonly ConservationTerm[];
  readonly right: readonly ConservationTerm[];
  readonly leftTotal: number;
  readonly rightTotal: number;
}

/** The accounting of every received item. */
export function conservationSum(c: ConservationSnapshot): Sum {
  const left = [
    { name: "received", value: c.received, why: "counted on the wire since this process began" },
    { name: "recovered", value: c.recovered, why: "found in the journal when it began" },
  ];
  const right = [
    { name: "stored", value: c.stored, why: "a store holds them, and they were read back" },
    { name: "pending", value: c.pending, why: "durable in the journal, or not answered yet" },
    { name: "quarantined", value: c.quarantined, why: "rejected by the store, quarantined" },
    { name: "lost", value: c.lost, why: "damaged on disk before they were stored" },
    { name: "refused", value: c.refused, why: "answered with an error as a whole request" },
    { name: "rejected", value: c.rejected, why: "answered by a partial success" },
  ];
  const total = (terms: readonly ConservationTerm[]): number =>
    terms.reduce((sum, { value }) => sum + value, 0);
  return { left, right, leftTotal: total(left), rightTotal: total(right) };
}

/** Names with their counts, largest first. */
export function ranked(counts: {
  readonly [name: string]: number | undefined;
}): (readonly [name: string, count: number])[] {
  return Object.entries(counts)
    .flatMap(([name, count]) => (count === undefined ? [] : [[name, count] as const]))
    .toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}
