/**
 * @module Losses: losses reported by producers, and known losses of the journal. Each prevents a
 * success of the turns that it concerns (vocabulary: From a span to an event 6; evidence:
 * Reconcile; evidence: Loss accounting).
 */
import { lossIntervals, rootsAmong } from "@turnproof/evidence";
import type { LossInterval, TurnEvent } from "@turnproof/evidence";
import { compareTimes, isoTime, limits, producerReports as codes } from "@turnproof/semconv";
import type { EventSlice, Keyset, Voice } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { JudgeParts } from "../parts.ts";

/** Known losses behind a window. */
export interface KnownLosses {
  /** Roots of the window with quarantined events. */
  readonly quarantined_roots: readonly string[];
  /** Losses of producers and of the journal, with their time ranges. */
  readonly losses: readonly LossInterval[];
}

const pageRows = limits.pageEventsMax;
/** A report may be stored a little after a later one, so this much is read again. */
const overlapMs = 5 * 60_000;
/** A report that is stored this long after its receipt missed a window of ten seconds. */
const lateMs = 8_000;
/**
 * Another collector may store reports late from its journal: interval and range of looking for
 * them.
 */
const wideEveryMs = 3_600_000;
const wideBackMs = 24 * 3_600_000;

/** Reports read so far. */
interface Read {
  readonly reports: Map<string, TurnEvent>;
  /** From when each is known, epoch milliseconds. */
  readonly knownMs: WeakMap<TurnEvent, number>;
  /** Receipt at which the next read starts; empty: read everything. */
  since: string;
  wideAt: number;
  /** False until everything was read once. */
  isFollowing: boolean;
}

/** By collector: all reports are read once, then new ones. */
const read = new WeakMap<JudgeParts, Read>();

/**
 * Losses of the producers and services in these events, and of this collector's journal. `reports`
 * are those of all producers; reports of untrusted producers do not count.
 */
export function knownLosses(
  parts: JudgeParts,
  events: readonly Voice[],
  reports: readonly TurnEvent[],
): KnownLosses {
  const journal = parts.ingest.losses();
  const producers = new Set(events.flatMap((event) => event.producer_id ?? []));
  const services = new Set(events.map((event) => event.service_name ?? event.application_id));
  const reported = intervalsOf(reports).filter(
    ({ producer_id: id, service }) => producers.has(id ?? "") || services.has(service),
  );
  return {
    quarantined_roots: rootsAmong(events, journal.quarantined_roots),
    losses: [...reported, ...journal.losses],
  };
}

const intervals = new WeakMap<readonly TurnEvent[], readonly LossInterval[]>();

/** The losses in these reports; computed once, however many windows are judged with them. */
function intervalsOf(reports: readonly TurnEvent[]): readonly LossInterval[] {
  let known = intervals.get(reports);
  if (known === undefined) {
    known = lossIntervals(reports.filter(isTrusted));
    intervals.set(reports, known);
  }
  return known;
}

/** True unless the receiver marked the sender as untrusted. */
export function isTrusted({ ingest_trusted: trusted }: TurnEvent): boolean {
  return trusted !== false;
}

/**
 * All reports of producers about themselves; of those with equal totals, and of heartbeats, the
 * first and the last of each, and those known and received first. Reading is by receipt, so a
 * report may concern any time.
 */
export async function producerReports(parts: JudgeParts): Promise<readonly TurnEvent[]> {
  const query = { store: "trace", event_kind: "data_quality" } as const;
  const now = parts.now();
  const known = read.get(parts) ?? {
    reports: new Map(),
    knownMs: new WeakMap(),
    since: "",
    wideAt: now,
    isFollowing: false,
  };
  read.set(parts, known);
  const wide = now - known.wideAt >= wideEveryMs;
  const since = wide ? earliest([known.since, isoTime(now - wideBackMs)]) : known.since;
  // Pending rows of the journal keep their time of receipt when they are stored.
  const pending = parts.ingest.report().journal.oldest_pending_at;
  let after: Keyset | null = null;
  let newest = "";
  do {
    const options: { limit: number; after?: Keyset } = { limit: pageRows };
    if (after !== null) options.after = after;
    const slice: EventSlice = await parts.store.page(collectorScope(), query, options);
    let oldest = "";
    for (const event of slice.events) {
      const { received_at: at = event.timestamp } = event;
      const isLate = known.isFollowing && Date.parse(at) < now - lateMs;
      keep(known, event, isLate ? now : Date.parse(at));
      if (newest === "" || compareTimes(at, newest) > 0) newest = at;
      if (oldest === "" || compareTimes(at, oldest) < 0) oldest = at;
    }
    const reached = oldest !== "" && since !== "" && compareTimes(oldest, since) < 0;
    after = reached ? null : slice.next;
  } while (after !== null);
  if (wide) known.wideAt = now;
  known.isFollowing = true;
  if (newest !== "") {
    const overlap = isoTime(Date.parse(newest) - overlapMs);
    known.since = earliest(pending === null ? [overlap] : [overlap, pending]);
  }
  return [...known.reports.values()];
}

/** The earliest of some times; empty is before all of them. */
function earliest(times: readonly string[]): string {
  if (times.includes("")) return "";
  return times.reduce((a, b) => (compareTimes(a, b) <= 0 ? a : b));
}

/**
 * From when a report is known, epoch milliseconds: its receipt, or when it was read, where it was
 * stored late.
 */
export function knownMs(parts: JudgeParts, report: TurnEvent): number {
  return read.get(parts)?.knownMs.get(report) ?? receiptMs(report);
}

/** Totals only grow, so reports between two with equal totals add nothing. */
function keep({ reports, knownMs: times }: Read, event: TurnEvent, sinceMs: number): void {
  const { producer_id: id, attributes: of } = event;
  if (id === undefined) return;
  // A store in memory returns the same report again.
  if (!times.has(event)) times.set(event, sinceMs);
  const totals = [of.loss_dropped, of.sampled_out, of.write_failures];
  const contents = of.quality_code === codes.heartbeat ? "heartbeat" : totals.join(" ");
  for (const end of ["first", "last"] as const) {
    const key = JSON.stringify([id, isTrusted(event), contents, end]);
    const known = reports.get(key);
    const order = known === undefined ? 0 : compareTimes(event.timestamp, known.timestamp);
    if (known === undefined || (end === "first" ? order < 0 : order > 0)) reports.set(key, event);
  }
  // From when these totals are known, and their first receipt.
  for (const [end, atMs] of [
    ["known", (of: TurnEvent) => times.get(of) ?? 0],
    ["received", receiptMs],
  ] as const) {
    const key = JSON.stringify([id, isTrusted(event), contents, end]);
    const earlier = reports.get(key);
    if (earlier === undefined || atMs(event) < atMs(earlier)) reports.set(key, event);
  }
}

/** Receipt of a report, epoch milliseconds; where it is not recorded, its own time. */
export function receiptMs({ received_at: at, timestamp }: TurnEvent): number {
  return Date.parse(at ?? timestamp);
}
