/**
 * @module LossAccounting: what is known to be lost, per producer (design 6.4). Every producer of
 * the window must have reported; a single silent one leaves the whole unknown, never zero.
 */
import type { MetricState } from "@turnproof/semconv";

import type { TurnEvent } from "./event.ts";
import { compareOrder } from "./reconcile-order.ts";

/** What one producer lost, as far as it or its numbers say. */
export interface ProducerLoss {
  /** Null for everything whose producer does not name itself. */
  readonly producer_id: string | null;
  readonly events: number;
  readonly state: "nothing_lost" | "lost" | "unknown";
  /** Known to be lost; null where nobody can say. */
  readonly lost: number | null;
  /** Numbers missing between the first and the last that the window holds. */
  readonly sequence_gaps: number;
  readonly sampled_out: number | null;
  readonly write_failures: number | null;
}

/** A number that may be unknown, and then is null. */
export interface KnownNumber {
  readonly value: number | null;
  readonly state: MetricState;
}

/** Loss of a window. */
export interface LossAccounting {
  readonly producers: readonly ProducerLoss[];
  readonly write_failures: KnownNumber;
  readonly dropped_events: KnownNumber;
  readonly sampled_out: KnownNumber;
}

interface Ledger {
  events: number;
  readonly sequence: number[];
  report: TurnEvent | undefined;
}

/** A producer's report of its own counters; they are totals, so the last one holds. */
function isReport({ event_kind, attributes }: TurnEvent): boolean {
  return (
    event_kind === "data_quality" &&
    (attributes.loss_dropped !== undefined ||
      attributes.loss_created !== undefined ||
      attributes.sampled_out !== undefined ||
      attributes.write_failures !== undefined)
  );
}

/**
 * Reads the reports and the sequence numbers. `filtered` says that the window holds a part of what
 * its producers sent: then a gap in the numbers proves nothing, and its producer is unknown.
 */
export function readLosses(
  events: readonly TurnEvent[],
  options: { readonly filtered?: boolean } = {},
): LossAccounting {
  const ledgers = new Map<string | undefined, Ledger>();
  for (const event of events) {
    const { producer_id, producer_seq } = event;
    let ledger = ledgers.get(producer_id);
    if (ledger === undefined) {
      ledger = { events: 0, sequence: [], report: undefined };
      ledgers.set(producer_id, ledger);
    }
    ledger.events += 1;
    if (producer_seq !== undefined) ledger.sequence.push(producer_seq);
    if (!isReport(event)) continue;
    if (ledger.report === undefined || compareOrder(event, ledger.report) > 0) {
      ledger.report = event;
    }
  }
  const producers = [...ledgers]
    .map(([id, ledger]) => lossOf(id, ledger, options.filtered === true))
    .toSorted((a, b) => ((a.producer_id ?? "") < (b.producer_id ?? "") ? -1 : 1));
  return {
    producers,
    write_failures: total(producers.map((producer) => producer.write_failures)),
    dropped_events: total(producers.map((producer) => producer.lost)),
    sampled_out: total(producers.map((producer) => producer.sampled_out)),
  };
}

function lossOf(id: string | undefined, ledger: Ledger, filtered: boolean): ProducerLoss {
  const gaps = gapsIn(ledger.sequence);
  const said = ledger.report?.attributes;
  const dropped = id === undefined ? undefined : said?.loss_dropped;
  const known = dropped !== undefined && !(filtered && gaps > 0);
  // A report may lag behind the numbers, and the numbers behind a report: the larger is proven.
  const lost = known ? Math.max(dropped, gaps) : null;
  return {
    producer_id: id ?? null,
    events: ledger.events,
    state: lost === null ? "unknown" : lost === 0 ? "nothing_lost" : "lost",
    lost,
    sequence_gaps: gaps,
    sampled_out: (id === undefined ? undefined : said?.sampled_out) ?? null,
    write_failures: (id === undefined ? undefined : said?.write_failures) ?? null,
  };
}

function gapsIn(sequence: number[]): number {
  const numbers = sequence.toSorted((a, b) => a - b);
  let gaps = 0;
  for (let at = 1; at < numbers.length; at += 1) {
    const step = (numbers[at] as number) - (numbers[at - 1] as number);
    if (step > 1) gaps += step - 1;
  }
  return gaps;
}

function total(parts: readonly (number | null)[]): KnownNumber {
  let sum = 0;
  for (const part of parts) {
    if (part === null) return { value: null, state: "unknown" };
    sum += part;
  }
  return parts.length === 0 ? { value: null, state: "unknown" } : { value: sum, state: "known" };
}
