/**
 * @module TimedStore: a store whose reads time out. A page that reports a slow store is better
 * than one that waits forever and occupies a connection.
 */
import { CodedError } from "@turnproof/semconv";
import type { CheckResult, EvidenceStore, TurnLedger } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";

/** Timeout of a read and of a check, in milliseconds. */
export interface ReadTimes {
  readonly readMs: number;
  readonly checkMs: number;
}

/** Default timeouts; a check of the store's state has the shorter one. */
export const readTimes: ReadTimes = { readMs: 5_000, checkMs: 2_000 };

/** The store; a read that takes longer rejects with `store_timeout` and is aborted. */
export function timedStore(store: EvidenceStore, { readMs, checkMs }: ReadTimes): EvidenceStore {
  const timed = <T>(read: (signal: AbortSignal) => Promise<T>): Promise<T> => within(readMs, read);
  const bound = boundStore(store);
  return {
    ...bound,
    ledger: timedLedger(store.ledger, timed),
    operatorRows: {
      ...store.operatorRows,
      list: (...requested) => timed(() => store.operatorRows.list(...requested)),
    },
    page: (scope, query, options) =>
      timed((signal) => store.page(scope, query, { ...options, signal })),
    bundles: (scope, query, options) =>
      timed((signal) => store.bundles(scope, query, { ...options, signal })),
    root: (scope, root, options) =>
      timed((signal) => store.root(scope, root, { ...options, signal })),
    roots: (scope, ids, options) =>
      timed((signal) => store.roots(scope, ids, { ...options, signal })),
    find: (scope, id, query, options) =>
      timed((signal) => store.find(scope, id, query, { ...options, signal })),
    check: () => timedCheck(store, checkMs),
  };
}

/** The ledger, whose queries time out like other reads; writes do not. */
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
    turnGroups: (question, ...requested) =>
      timed((signal) => ledger.turnGroups({ ...question, signal }, ...requested)),
    callFigures: (question, ...requested) =>
      timed((signal) => ledger.callFigures({ ...question, signal }, ...requested)),
  };
}

/** Result of a check, or that it timed out; in milliseconds. */
export async function timedCheck(
  of: { check(): Promise<CheckResult> },
  checkMs: number = readTimes.checkMs,
): Promise<CheckResult> {
  const started = performance.now();
  // A check reports its own errors as a result; only its time limit rejects.
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
  // A busy thread processes the answer late: that time is not counted against the store.
  let left = Math.ceil(ms / tickMs);
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    late.reject(new CodedError("store_timeout"));
    stop.abort();
  }, tickMs);
  const answer = work(stop.signal);
  // The loser of the race has no other handler.
  answer.catch(() => {});
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearInterval(timer);
  }
}
