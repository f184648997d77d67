/**
 * @module Minute: what the receiving side did in one minute, as differences of its totals, so that
 * the sum over any minutes is exact. Counts that are zero are left out of a stored minute.
 */
import type { ConservationSnapshot, ReasonCounts, SourceCounts } from "../conservation.ts";

/** Counts of some time. */
export interface IngestCounts {
  /** Spans, log records and metric points that arrived. */
  readonly received: number;
  readonly requests: number;
  /** Items that a store holds and that were read back. */
  readonly stored: number;
  readonly quarantined: number;
  /** Durable items that were damaged before they were stored. */
  readonly lost: number;
  /** Items of requests that were answered with an error, by code. */
  readonly refused: ReasonCounts;
  /** Items that a partial success named, by code. */
  readonly rejected: ReasonCounts;
  /** Requests that were answered with an error, by code. */
  readonly requests_refused: ReasonCounts;
  /** Attributes that were left out, by reason. */
  readonly dropped_attributes: ReasonCounts;
  readonly senders: SourceCounts["senders"];
  /** Durable items by service; an empty name where none is recorded. */
  readonly services: ReasonCounts;
}

/** The largest values that were seen in some time. */
export interface IngestPeaks {
  readonly pending_items: number;
  /** Age of the oldest item that is durable and not stored. */
  readonly oldest_pending_ms: number;
  readonly journal_bytes: number;
  /**
   * How long receipts waited for the judge, beyond its usual wait for a quiet root. Null without a
   * judge that keeps a mark, and before the first one of a process.
   */
  readonly judge_behind_ms: number | null;
}

/** One minute, or the part of it in which this process ran. */
export interface IngestMinute {
  readonly from_ms: number;
  /** Exclusive. */
  readonly to_ms: number;
  readonly counts: MinuteCounts;
  readonly peaks: IngestPeaks;
  /** Nothing was received after it, until the next minute begins. */
  readonly last?: true;
}

/** Counts without those that are zero. */
export type MinuteCounts = CountTree;

interface CountTree {
  readonly [name: string]: number | CountTree;
}

/** No counts. */
export const noCounts: IngestCounts = {
  received: 0,
  requests: 0,
  stored: 0,
  quarantined: 0,
  lost: 0,
  refused: {},
  rejected: {},
  requests_refused: {},
  dropped_attributes: {},
  senders: {},
  services: {},
};

/** The totals of a process, in the form of counts. */
export function totalsOf(of: ConservationSnapshot, sources: SourceCounts): IngestCounts {
  return {
    received: of.received,
    requests: of.requests,
    stored: of.stored,
    quarantined: of.quarantined,
    lost: of.lost,
    refused: of.refused_reasons,
    rejected: of.rejected_reasons,
    requests_refused: of.requests_refused,
    dropped_attributes: of.dropped_attributes,
    ...sources,
  };
}

/** What was added between two totals. */
export function addedBetween(before: IngestCounts, now: IngestCounts): MinuteCounts {
  return minus(treeOf(now), treeOf(before));
}

/** Sums of the counts of some minutes. */
export function sumOfCounts(minutes: readonly IngestMinute[]): IngestCounts {
  const sum = minutes.reduce<CountTree>((total, { counts }) => plus(total, counts), {});
  const own = sum as unknown as Partial<IngestCounts>;
  const senders = Object.entries(own.senders ?? {}).map(
    ([name, counts]) => [name, { ...noSenderCounts, ...counts }] as const,
  );
  return { ...noCounts, ...own, senders: Object.fromEntries(senders) };
}

const noSenderCounts = { requests: 0, items: 0, refused: {}, rejected: {}, requests_refused: {} };

/** The largest values of some minutes; null without a minute. */
export function peaksOf(minutes: readonly IngestMinute[]): IngestPeaks | null {
  return minutes.reduce<IngestPeaks | null>(
    (most, { peaks }) => (most === null ? peaks : largerOf(most, peaks)),
    null,
  );
}

/** The larger of each value; a known one is larger than an unknown one. */
export function largerOf(a: IngestPeaks, b: IngestPeaks): IngestPeaks {
  const behind = [a.judge_behind_ms, b.judge_behind_ms].filter((value) => value !== null);
  return {
    pending_items: Math.max(a.pending_items, b.pending_items),
    oldest_pending_ms: Math.max(a.oldest_pending_ms, b.oldest_pending_ms),
    journal_bytes: Math.max(a.journal_bytes, b.journal_bytes),
    judge_behind_ms: behind.length === 0 ? null : Math.max(...behind),
  };
}

type Entry = [name: string, value: number | CountTree];

function treeOf(counts: IngestCounts): CountTree {
  return counts as unknown as CountTree;
}

function own(tree: CountTree, name: string): number | CountTree | undefined {
  return Object.hasOwn(tree, name) ? tree[name] : undefined;
}

function minus(now: CountTree, before: CountTree): CountTree {
  const rest = Object.entries(now).flatMap(([name, value]): Entry[] => {
    const past = own(before, name);
    if (typeof value === "number") {
      const added = value - (typeof past === "number" ? past : 0);
      return added > 0 ? [[name, added]] : [];
    }
    const added = minus(value, typeof past === "object" ? past : {});
    return Object.keys(added).length === 0 ? [] : [[name, added]];
  });
  return Object.fromEntries(rest);
}

function plus(a: CountTree, b: CountTree): CountTree {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries(
    [...names].map((name): Entry => {
      const [x, y] = [own(a, name), own(b, name)];
      if (typeof x === "object" || typeof y === "object") {
        return [name, plus(asTree(x), asTree(y))];
      }
      return [name, (x ?? 0) + (y ?? 0)];
    }),
  );
}

function asTree(value: number | CountTree | undefined): CountTree {
  return typeof value === "object" ? value : {};
}
