/**
 * @module RangeIngest: the receiving side over a range of time, from its recorded minutes. Time
 * that was not recorded is listed, because its counts are unknown.
 */
import { isoTime } from "@turnproof/semconv";

import { readMinutes } from "../../receive/history/history-file.ts";
import { peaksOf, sumOfCounts } from "../../receive/history/minute.ts";
import type { IngestCounts, IngestMinute, IngestPeaks } from "../../receive/history/minute.ts";
import type { Parts } from "../../parts.ts";
import { binFrame } from "../../ui/display/turn-figures.ts";

/** Requests of one sender that were refused with one code, and items that did not enter. */
export interface IngestRefusal {
  /** Name of the credential; null without a valid one. */
  readonly sender: string | null;
  readonly code: string;
  readonly requests: number;
  readonly items: number;
}

/** One interval. */
export interface IngestSlice {
  readonly from: string;
  readonly received: number;
  /** Refused and rejected items. */
  readonly refused: number;
  /** False: the collector did not run, or nothing was recorded; the counts are no zero then. */
  readonly recorded: boolean;
}

/** The receiving side of this collector over a range, in full minutes. */
export interface IngestRange extends Omit<
  IngestCounts,
  "senders" | "services" | "requests_refused"
> {
  /** Start of the first recorded minute in the range, and end of the last; null without one. */
  readonly recorded: { readonly from: string; readonly to: string } | null;
  /** Parts of the range that were not recorded; `from` is null where nothing was before. */
  readonly unrecorded: readonly { readonly from: string | null; readonly to: string }[];
  /** Items received in a second while the collector ran; null where nothing was recorded. */
  readonly received_per_second: number | null;
  readonly refusals: readonly IngestRefusal[];
  readonly peaks: IngestPeaks | null;
  readonly step_ms: number;
  readonly slices: readonly IngestSlice[];
}

/** A range in epoch milliseconds; `fromMs` is undefined where it is open. */
export interface RequestedTime {
  readonly fromMs: number | undefined;
  /** Exclusive. */
  readonly toMs: number;
}

const dayMs = 86_400_000;
const minuteMs = 60_000;
/** Minutes of a process follow each other without a pause. */
const pauseMs = 1_000;

/** The range, and the durable items of each service in it. */
export async function ingestRange(
  { history }: Pick<Parts, "history">,
  { fromMs, toMs }: RequestedTime,
): Promise<{ readonly ingest: IngestRange; readonly services: IngestCounts["services"] }> {
  // The present minutes come first: one that is stored meanwhile is then in both, and is known by
  // its start.
  const recent = history.recent();
  // What was before the range shows whether the collector was off when the range began.
  const stored = await readMinutes(history.folder, fromMs === undefined ? 0 : fromMs - dayMs, toMs);
  const known = new Map([...recent, ...stored].map((minute) => [minute.from_ms, minute]));
  const all = [...known.values()].toSorted((a, b) => a.from_ms - b.from_ms);
  const within = all.filter(
    (minute) => minute.to_ms > (fromMs ?? 0) && minute.from_ms < toMs && minute.from_ms >= 0,
  );
  const { senders, services, requests_refused: _requests, ...counts } = sumOfCounts(within);
  const ranMs = within.reduce((sum, minute) => sum + minute.to_ms - minute.from_ms, 0);
  const [first] = within;
  const last = within.at(-1);
  const ingest: IngestRange = {
    ...counts,
    recorded:
      first === undefined || last === undefined
        ? null
        : { from: isoTime(first.from_ms), to: isoTime(last.to_ms) },
    unrecorded: unrecorded(all, { fromMs, toMs }),
    received_per_second: ranMs === 0 ? null : counts.received / (ranMs / 1_000),
    refusals: refusalsOf(senders),
    peaks: peaksOf(within),
    ...slicesOf(within, fromMs ?? first?.from_ms, Math.max(last?.to_ms ?? 0, toMs)),
  };
  return { ingest, services };
}

/** Gaps between minutes, and before the first one; after a last minute the collector was off. */
function unrecorded(
  minutes: readonly IngestMinute[],
  { fromMs, toMs }: RequestedTime,
): IngestRange["unrecorded"] {
  const gaps: { readonly from: string | null; readonly to: string }[] = [];
  let reached: number | undefined;
  let isOff = false;
  for (const { from_ms: from, to_ms: to, last } of minutes) {
    const begins = Math.max(reached ?? fromMs ?? from, fromMs ?? from);
    const isFirst = reached === undefined;
    if (isFirst && fromMs === undefined) gaps.push({ from: null, to: isoTime(from) });
    else if (!isOff && from - begins > pauseMs)
      gaps.push({ from: isoTime(begins), to: isoTime(from) });
    reached = to;
    isOff = last === true;
  }
  const begins = Math.max(reached ?? fromMs ?? toMs, fromMs ?? 0);
  if (!isOff && toMs - begins > pauseMs) gaps.push({ from: isoTime(begins), to: isoTime(toMs) });
  return gaps;
}

function refusalsOf(senders: IngestCounts["senders"]): readonly IngestRefusal[] {
  const rows = Object.entries(senders).flatMap(([name, of]) => {
    const codes = new Set([of.refused, of.rejected, of.requests_refused].flatMap(Object.keys));
    return [...codes].map((code) => ({
      sender: name === "" ? null : name,
      code,
      requests: of.requests_refused[code] ?? 0,
      items: (of.refused[code] ?? 0) + (of.rejected[code] ?? 0),
    }));
  });
  return rows.toSorted((a, b) => b.items - a.items || b.requests - a.requests);
}

function slicesOf(
  minutes: readonly IngestMinute[],
  fromMs: number | undefined,
  toMs: number,
): Pick<IngestRange, "step_ms" | "slices"> {
  if (fromMs === undefined || toMs <= fromMs) return { step_ms: 0, slices: [] };
  const step = Math.max(binFrame(fromMs, toMs - 1).stepMs, minuteMs);
  const start = Math.floor(fromMs / step) * step;
  const size = Math.max(1, Math.ceil((toMs - start) / step));
  const bars = Array.from({ length: size }, () => ({ received: 0, refused: 0, recorded: false }));
  for (const minute of minutes) {
    const at = Math.floor((minute.from_ms - start) / step);
    const bar = bars[Math.max(at, 0)];
    if (bar === undefined) continue;
    const { received, refused, rejected } = sumOfCounts([minute]);
    bar.received += received;
    bar.refused += total(refused) + total(rejected);
    bar.recorded = true;
  }
  return {
    step_ms: step,
    slices: bars.map((bar, index) => ({ from: isoTime(start + index * step), ...bar })),
  };
}

function total(counts: { readonly [code: string]: number }): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
