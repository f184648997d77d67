/**
 * @module TimedStore: a store whose reads time out. A page that reports a slow store is better
 * than one that waits forever and occupies a connection.
 */
import type { CodedError } from "@turnproof/semconv";
import type { CheckResult, EvidenceStore, TurnLedger } from "@turnproof/store";

import { boundStore } from "./bound-store.ts";
import { presentBudget, readTimedOut } from "./read-budget.ts";

/**
 * Timeout of a read, which is the budget of a request's reads too, and of a check; milliseconds.
 */
export interface ReadTimes {
  readonly readMs: number;
  readonly checkMs: number;
}

/** A read by its name in the answer of a request that waited too long for it. */
type Timed = <T>(name: string, read: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** Default timeouts; a check of the store's state has the shorter one. */
export const readTimes: ReadTimes = { readMs: 5_000, checkMs: 2_000 };

/** The store; a read that takes longer rejects with `store_timeout` and is aborted. */
export function timedStore(store: EvidenceStore, { readMs, checkMs }: ReadTimes): EvidenceStore {
  const timed: Timed = (name, read) => within(readMs, name, read);
  const bound = boundStore(store);
  return {
    ...bound,
    ledger: timedLedger(store.ledger, timed),
    operatorRows: {
      ...store.operatorRows,
      list: (...requested) => timed("operator_rows", () => store.operatorRows.list(...requested)),
    },
    page: (scope, query, options) =>
      timed("events", (signal) => store.page(scope, query, { ...options, signal })),
    bundles: (scope, query, options) =>
      timed("bundles", (signal) => store.bundles(scope, query, { ...options, signal })),
    root: (scope, root, options) =>
      timed("events_of_root", (signal) => store.root(scope, root, { ...options, signal })),
    roots: (scope, ids, options) =>
      timed("events_of_roots", (signal) => store.roots(scope, ids, { ...options, signal })),
    find: (scope, id, query, options) =>
      timed("find", (signal) => store.find(scope, id, query, { ...options, signal })),
    check: () => timedCheck(store, checkMs),
  };
}

/** The ledger, whose queries time out like other reads; writes do not. */
function timedLedger(ledger: TurnLedger, timed: Timed): TurnLedger {
  return {
    ...ledger,
    listTurns: (query, page) =>
      timed("turns", (signal) => ledger.listTurns({ ...query, signal }, page)),
    countTurns: (query) => timed("turn_count", (signal) => ledger.countTurns({ ...query, signal })),
    turnFacets: (query, fields, valuesMax) =>
      timed("turn_facets", (signal) => ledger.turnFacets({ ...query, signal }, fields, valuesMax)),
    turnCounts: (query, options) =>
      timed("turn_counts", (signal) => ledger.turnCounts({ ...query, signal }, options)),
    turnFigures: (query, options) =>
      timed("turn_figures", (signal) => ledger.turnFigures({ ...query, signal }, options)),
    turnGroups: (query, ...requested) =>
      timed("turn_groups", (signal) => ledger.turnGroups({ ...query, signal }, ...requested)),
    callFigures: (query, ...requested) =>
      timed("call_figures", (signal) => ledger.callFigures({ ...query, signal }, ...requested)),
  };
}

/** Result of a check, or that it timed out; in milliseconds. */
export async function timedCheck(
  of: { check(): Promise<CheckResult> },
  checkMs: number = readTimes.checkMs,
): Promise<CheckResult> {
  const started = performance.now();
  // A check reports its own errors as a result; only its time limit rejects.
  return withinOwn(checkMs, "check", () => of.check()).catch(() => ({
    ok: false,
    code: "store_timeout",
    elapsedMs: performance.now() - started,
  }));
}

const tickMs = 100;

/** A read within its own time and that of its request. */
async function within<T>(
  ms: number,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const budget = presentBudget();
  return budget === undefined
    ? withinOwn(ms, name, work)
    : racing(work, (end) => budget.begin(name, end));
}

/** A read within its own time. */
function withinOwn<T>(
  ms: number,
  name: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return racing(work, (end) => {
    // A busy thread processes the answer late: that time is not counted against the store.
    let left = Math.ceil(ms / tickMs);
    const timer = setInterval(() => {
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      end(readTimedOut(name));
    }, tickMs);
    return () => clearInterval(timer);
  });
}

/** @param begin starts the time and returns what stops it */
async function racing<T>(
  work: (signal: AbortSignal) => Promise<T>,
  begin: (end: (error: CodedError) => void) => () => void,
): Promise<T> {
  const stop = new AbortController();
  const late = Promise.withResolvers<never>();
  const ended = begin((error) => {
    late.reject(error);
    stop.abort();
  });
  try {
    const answer = work(stop.signal);
    // The loser of the race has no other handler.
    answer.catch(() => {});
    return await Promise.race([answer, late.promise]);
  } finally {
    ended();
  }
}
