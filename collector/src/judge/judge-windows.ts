/**
 * @module JudgeWindows: whole roots for the judge. Recently drained roots are in memory; others
 * are read back. The judge never waits: a window is complete up to a mark, before which all
 * acknowledged rows are stored.
 */
import { compareTimes, isoTime, limits } from "@turnproof/semconv";
import { paced } from "@turnproof/store";
import type { HeldTurn, RootCounts } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { JudgeParts } from "../parts.ts";
import { togetherRows, windowOf } from "../turns/window.ts";
import type { Window } from "../turns/window.ts";
import { pendingAfterMs } from "./judge-timing.ts";

const pageRows = 10_000;

/** A whole root, with its turns in the ledger where they are known. */
export interface LedgerRoot {
  readonly window: Window;
  readonly turns?: readonly HeldTurn[];
}

/** Windows of these roots; one with rows in the journal is left out. */
export async function judgeWindows(
  parts: JudgeParts,
  standing: ReadonlyMap<string, RootCounts>,
  mark: string,
): Promise<ReadonlyMap<string, LedgerRoot>> {
  const windows = new Map<string, LedgerRoot>();
  const others: string[] = [];
  const keep = (root: string, window: Window, turns?: readonly HeldTurn[]): void => {
    const { as_of: latest } = window;
    if (latest !== null && compareTimes(latest, mark) > 0) return;
    windows.set(root, turns === undefined ? { window } : { window, turns });
  };
  const pass = paced();
  const manner = { started: performance.now(), mark, pending: 0 };
  for (const [root, stands] of standing) {
    await pass();
    const held = parts.recorder?.whole(root, stands, limits.rootEventsMax);
    if (held === undefined) others.push(root);
    else {
      const { slice, turns } = held;
      const bounded = slice.bounded || slice.next !== null;
      keep(root, windowOf([slice], { ...manner, bounded }), turns);
    }
  }
  if (others.length === 0) return windows;
  const options = { limit: pageRows, budgetRows: togetherRows };
  const together = await parts.store.roots(collectorScope(), others, options);
  for (const root of others) {
    const slice = together.get(root);
    if (slice !== undefined && slice.next === null) {
      keep(root, windowOf([slice], { ...manner, bounded: slice.bounded }));
      continue;
    }
    const alone = await parts.store.root(collectorScope(), root, { limit: limits.rootEventsMax });
    const bounded = alone.bounded || alone.next !== null;
    keep(root, windowOf([alone], { ...manner, bounded }));
  }
  return windows;
}

/** A time of receipt up to which everything is stored. */
export function markOf({ ingest }: JudgeParts): string {
  const { oldest_pending_at: pending } = ingest.report().journal;
  if (pending === null) return ingest.mark();
  return isoTime(Date.parse(pending) - pendingAfterMs);
}
