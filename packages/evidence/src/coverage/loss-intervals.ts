/**
 * @module LossIntervals: when reported losses happened. A producer's counters are totals, so an
 * increase happened between the previous report and the one that shows it, and only turns open in
 * that interval may have lost evidence. Of a first report it is the time since the producer's first
 * event.
 */
import { compareTimes, isoTime, later } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import type { IdentityGroups } from "../event/identity-tuple.ts";

/** An increase of a producer's totals. */
export interface LossInterval {
  /** Absent for a producer without an id: it may be any. */
  readonly producer_id?: string;
  /** Service that reported it. */
  readonly service?: string;
  /**
   * Time before which no lost event can be: of an earlier report, or of its first event; null where
   * neither is known.
   */
  readonly from: string | null;
  /** Time of the report with the loss. */
  readonly to: string;
  readonly lost: number;
  readonly sampled_out: number;
  readonly write_failures: number;
}

const counters = ["loss_dropped", "sampled_out", "write_failures"] as const;

/** The increases in reports. Input order makes no difference. */
export function lossIntervals(reports: readonly TurnEvent[]): LossInterval[] {
  const byProducer = new Map<string | undefined, TurnEvent[]>();
  for (const report of reports) {
    if (!isLossReport(report)) continue;
    const known = byProducer.get(report.producer_id);
    if (known === undefined) byProducer.set(report.producer_id, [report]);
    else known.push(report);
  }
  const intervals: LossInterval[] = [];
  for (const [producer, own] of byProducer) {
    own.sort((a, b) => compareTimes(a.timestamp, b.timestamp) || seqOf(a) - seqOf(b));
    let before: TurnEvent | undefined;
    for (const [at, report] of own.entries()) {
      const [lost = 0, sampled_out = 0, write_failures = 0] = counters.map((name) =>
        riseOf(report.attributes[name], before?.attributes[name]),
      );
      const service = report.service_name ?? report.application_id;
      if (lost + sampled_out + write_failures > 0) {
        intervals.push({
          ...(producer === undefined ? {} : { producer_id: producer }),
          ...(service === undefined ? {} : { service }),
          from: startOf(report, before, own.slice(0, at)),
          to: report.timestamp,
          lost,
          sampled_out,
          write_failures,
        });
      }
      before = report;
    }
  }
  return intervals;
}

function isLossReport({ attributes }: TurnEvent): boolean {
  return (
    attributes.loss_created !== undefined || counters.some((name) => attributes[name] !== undefined)
  );
}

/**
 * The time from which a loss that this report shows may have happened. Events that the report
 * before counts as made, but neither as delivered nor as lost, can be lost later, so it is the
 * report that counts only events whose fate is known by then.
 */
function startOf(
  report: TurnEvent,
  before: TurnEvent | undefined,
  earlier: readonly TurnEvent[],
): string | null {
  const settled = settledOf(before);
  const last = earlier.findLast((one) => madeOf(one) <= settled);
  if (last !== undefined) return last.timestamp;
  const covered = report.attributes.loss_covers_ms;
  const start = Date.parse(report.timestamp) - (typeof covered === "number" ? covered : Number.NaN);
  const isStated = Number.isFinite(start) && Number(covered) >= 0;
  return isStated ? isoTime(Math.max(0, start)) : null;
}

/** Events that the report counts as delivered or lost; all, where it has no such count. */
function settledOf(report: TurnEvent | undefined): number {
  const { loss_exported: exported, loss_dropped: dropped } = report?.attributes ?? {};
  const isStated = typeof exported === "number" && typeof dropped === "number";
  return isStated ? exported + dropped : Infinity;
}

/** Events that the report counts as made; none, where it has no such count. */
function madeOf({ attributes: { loss_created: made } }: TurnEvent): number {
  return typeof made === "number" ? made : 0;
}

function seqOf({ attributes }: TurnEvent): number {
  return attributes.last_seq ?? 0;
}

/** A value that is no number does not prove zero. */
function riseOf(value: unknown, before: unknown): number {
  if (value === undefined || value === null) return 0;
  if (typeof value !== "number") return 1;
  return Math.max(0, value - (typeof before === "number" ? before : 0));
}

/** Extent of a turn, and the producers and services in it. */
interface Extent {
  from: string;
  to: string;
  readonly producers: Set<string | undefined>;
  readonly services: Set<string | undefined>;
}

/** The loss intervals in which a turn of the window was open that may involve the producer. */
export function lossesOfTurns(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  intervals: readonly LossInterval[],
): readonly LossInterval[] {
  if (intervals.length === 0) return [];
  const extents = extentsOf(events, groups);
  return intervals.filter((interval) => extents.some((extent) => isOpenIn(extent, interval)));
}

function extentsOf(events: readonly TurnEvent[], { starts, order }: IdentityGroups): Extent[] {
  const extents: Extent[] = [];
  for (let group = 0; group + 1 < starts.length; group += 1) {
    let extent: Extent | undefined;
    for (let at = starts[group] ?? 0; at < (starts[group + 1] ?? 0); at += 1) {
      const event = events[order[at] as number] as TurnEvent;
      if (event.event_kind === "data_quality") continue;
      const { timestamp, started_at: began = timestamp } = event;
      extent ??= { from: began, to: timestamp, producers: new Set(), services: new Set() };
      if (compareTimes(began, extent.from) < 0) extent.from = began;
      extent.to = later(extent.to, timestamp) ?? timestamp;
      extent.producers.add(event.producer_id);
      extent.services.add(event.service_name ?? event.application_id);
    }
    if (extent !== undefined) extents.push(extent);
  }
  return extents;
}

/** True where a loss of this interval may be between two times, both included. */
export function overlapsLoss(
  extent: { readonly from: string; readonly to: string },
  { from, to }: Pick<LossInterval, "from" | "to">,
): boolean {
  if (compareTimes(extent.from, to) > 0) return false;
  return from === null || compareTimes(extent.to, from) >= 0;
}

function isOpenIn(extent: Extent, interval: LossInterval): boolean {
  const { producer_id, service } = interval;
  if (!overlapsLoss(extent, interval)) return false;
  if (producer_id === undefined || extent.producers.has(producer_id)) return true;
  return service === undefined || extent.services.has(service);
}
