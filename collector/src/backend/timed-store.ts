/**
 * @module TimedStore: a store whose reads give up. A page that waits for a store for ever is worse
 * than one that says so, and holds a place that others need.
 */
import { CodedError } from "@turnproof/semconv";
import type { CheckResult, EvidenceStore, TurnLedger } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";

/** How long a read, and a check, may take, in milliseconds. */
export interface ReadTimes {
  readonly readMs: number;
  readonly checkMs: number;
}

/** What a reader waits for at most; whoever asks a store's state is told sooner. */
export const readTimes: ReadTimes = { readMs: 5_000, checkMs: 2_000 };

/** The store; a read that takes longer rejects with `store_timeout` and is told to stop. */
export function timedStore(store: EvidenceStore, { readMs, checkMs }: ReadTimes): EvidenceStore {
  const timed = <T>(read: (signal: AbortSignal) => Promise<T>): Promise<T> => within(readMs, read);
  const bound = boundStore(store);
  return {
    ...bound,
    ledger: timedLedger(store.ledger, timed),
    page: (scope, query, options) =>
      timed((signal) => store.page(scope, query, { ...options, signal })),
    bundles: (scope, query, options) =>
      timed((signal) => store.bundles(scope, query, { ...options, signal })),
    turns: (scope, query, options) =>
      timed((signal) => store.turns(scope, query, { ...options, signal })),
    root: (scope, root, options) =>
      timed((signal) => store.root(scope, root, { ...options, signal })),
    roots: (scope, ids, options) =>
      timed((signal) => store.roots(scope, ids, { ...options, signal })),
    find: (scope, id, query, options) =>
      timed((signal) => store.find(scope, id, query, { ...options, signal })),
    check: () => timedCheck(store, checkMs),
  };
}

/** The ledger, whose questions give up as the other reads do; writes take their time. */
function timedLedger(
  ledger: TurnLedger,
  timed: <T>(read: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): TurnLedger {
  return {
    ...ledger,
    listTurns: (question, page) =>
      timed((signal) => ledger.listTurns({ ...question, signal }, page)),
    countTurns: (question) => timed((signal) => ledger.countTurns({ ...question, signal })),
    turnFacets: (question, fields, valuesMax) =>
      timed((signal) => ledger.turnFacets({ ...question, signal }, fields, valuesMax)),
    turnCounts: (question, options) =>
      timed((signal) => ledger.turnCounts({ ...question, signal }, options)),
    turnFigures: (question, options) =>
      timed((signal) => ledger.turnFigures({ ...question, signal }, options)),
    callFigures: (question, kind, by) =>
      timed((signal) => ledger.callFigures({ ...question, signal }, kind, by)),
  };
}

/** What a check says, or that nobody answered in time; in milliseconds. */
export async function timedCheck(
  of: { check(): Promise<CheckResult> },
  checkMs: number = readTimes.checkMs,
): Promise<CheckResult> {
  const started = performance.now();
  return within(checkMs, () => of.check()).catch(() => ({
    ok: false,
    code: "store_timeout",
    elapsedMs: performance.now() - started,
  }));
}

const tickMs = 100;

async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  // A thread that is busy with another turn hears of its answer late: that time is not the store's.
  let left = Math.ceil(ms / tickMs);
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    late.reject(new CodedError("store_timeout"));
    stop.abort();
  }, tickMs);
  const answer = work(stop.signal);
  // Whoever comes second has nobody waiting for it.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearInterval(timer);
  }
}
