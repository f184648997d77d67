/**
 * @module LossAccounting: known losses per producer (evidence: Loss accounting). Every producer of
 * the window must have reported; with a single missing report the total is unknown, never zero.
 */
import type { MetricState } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { compareOrder } from "./reconcile-order.ts";

/** Loss of one producer, from its reports or its sequence numbers. */
export interface ProducerLoss {
  /** Null for producers without an id, one entry per application. */
  readonly producer_id: string | null;
  /** Applications of its events, the one of its own report first; empty where not recorded. */
  readonly application_ids: readonly string[];
  readonly events: number;
  readonly state: "nothing_lost" | "lost" | "unknown";
  /** Number of lost events; null where it is unknown. */
  readonly lost: number | null;
  /**
   * Sequence numbers missing between the first and the last in the window or a report; null where
   * there are none.
   */
  readonly sequence_gaps: number | null;
  readonly sampled_out: number | null;
  readonly write_failures: number | null;
  /** Its own last report: null where the window has none. */
  readonly reported: {
    /** Losses that it counted, by content-free code; empty where it reported no reason. */
    readonly reasons: Readonly<Record<string, number>>;
  } | null;
}

/** A number; null when unknown. */
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
  readonly producer: string | undefined;
  readonly applications: Set<string>;
  events: number;
  readonly sequence: number[];
  report: TurnEvent | undefined;
}

/** A producer's report of its own counters; they are totals, so the last one is current. */
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
 * Reads the reports and the sequence numbers. `filtered`: the window is a part of its producers'
 * events; a gap in the numbers then proves nothing, and its producer is unknown.
 */
export function readLosses(
  events: readonly TurnEvent[],
  options: { readonly filtered?: boolean } = {},
): LossAccounting {
  const named = new Map<string, Ledger>();
  const nameless = new Map<string | undefined, Ledger>();
  for (const event of events) {
    const { producer_id, producer_seq, application_id: application } = event;
    const ledger =
      producer_id === undefined
        ? ledgerAt(nameless, application, undefined)
        : ledgerAt(named, producer_id, producer_id);
    ledger.events += 1;
    if (application !== undefined) ledger.applications.add(application);
    if (producer_seq !== undefined) ledger.sequence.push(producer_seq);
    if (!isReport(event)) continue;
    if (ledger.report === undefined || compareOrder(event, ledger.report) > 0) {
      ledger.report = event;
    }
  }
  const producers = [...nameless.values(), ...named.values()]
    .map((ledger) => lossOf(ledger, options.filtered === true))
    .toSorted((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1));
  return {
    producers,
    write_failures: total(producers.map((producer) => producer.write_failures)),
    dropped_events: total(producers.map((producer) => producer.lost)),
    sampled_out: total(producers.map((producer) => producer.sampled_out)),
  };
}

function ledgerAt<K>(ledgers: Map<K, Ledger>, key: K, producer: string | undefined): Ledger {
  let ledger = ledgers.get(key);
  if (ledger === undefined) {
    ledger = { producer, applications: new Set(), events: 0, sequence: [], report: undefined };
    ledgers.set(key, ledger);
  }
  return ledger;
}

/** Producers by id; those without one first, by application. */
function sortKey({ producer_id: id, application_ids: [application = ""] }: ProducerLoss): string {
  return id === null ? `0 ${application}` : `1 ${id}`;
}

function lossOf(ledger: Ledger, filtered: boolean): ProducerLoss {
  const { producer: id, report } = ledger;
  const attributes = id === undefined ? undefined : report?.attributes;
  const between = gapsIn(ledger.sequence);
  const gaps = between + (filtered ? 0 : unread(ledger.sequence, attributes));
  const dropped = attributes?.loss_dropped;
  // In a filtered window a gap proves nothing; the producer's own report must account for it.
  const accounted = filtered && accountsForAll(ledger.sequence, attributes);
  const known = dropped !== undefined && !(filtered && gaps > dropped && !accounted);
  // A report may be older than the numbers, and the reverse: the larger loss is proven.
  const proven = accounted ? 0 : Math.max(between, gaps - waiting(attributes));
  const lost = known ? Math.max(dropped, proven) : null;
  return {
    producer_id: id ?? null,
    application_ids: applicationsOf(ledger),
    events: ledger.events,
    state: lost === null ? "unknown" : lost === 0 ? "nothing_lost" : "lost",
    lost,
    sequence_gaps: ledger.sequence.length === 0 ? null : gaps,
    sampled_out: attributes?.sampled_out ?? null,
    write_failures: attributes?.write_failures ?? null,
    reported: attributes === undefined ? null : { reasons: reasonsOf(attributes) },
  };
}

function reasonsOf(attributes: TurnEvent["attributes"]): Readonly<Record<string, number>> {
  const { loss_reasons: codes = [], loss_reason_counts: counts = [] } = attributes;
  return Object.fromEntries(codes.map((code, at) => [code, counts[at] ?? 0]));
}

/** Numbers issued before the report, after the last one in the window. */
function unread(
  sequence: readonly number[],
  attributes: TurnEvent["attributes"] | undefined,
): number {
  const given = attributes?.last_seq;
  if (given === undefined || sequence.length === 0) return 0;
  return Math.max(0, given - sequence.reduce((most, seq) => Math.max(most, seq), 0));
}

/**
 * The report came after all events of the window, and everything created was exported or dropped.
 */
function accountsForAll(
  sequence: readonly number[],
  attributes: TurnEvent["attributes"] | undefined,
): boolean {
  const {
    loss_created: created,
    loss_exported: exported,
    loss_dropped: dropped,
  } = attributes ?? {};
  const last = attributes?.last_seq;
  if (created === undefined || exported === undefined || dropped === undefined) return false;
  if (last === undefined || sequence.some((seq) => seq > last)) return false;
  return created === exported + dropped;
}

/** Events queued at the producer at the time of its report: not lost, not received yet. */
function waiting(attributes: TurnEvent["attributes"] | undefined): number {
  const {
    loss_created: created,
    loss_exported: exported,
    loss_dropped: dropped,
  } = attributes ?? {};
  if (created === undefined || exported === undefined || dropped === undefined) return 0;
  return Math.max(0, created - exported - dropped);
}

/**
 * A process may record events for another application's turn; its own report names the process.
 */
function applicationsOf({ applications, report }: Ledger): readonly string[] {
  const own = report?.application_id;
  const others = [...applications].filter((name) => name !== own).toSorted();
  return own === undefined ? others : [own, ...others];
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
