/**
 * @module JudgeWindows: whole roots for the judge. What passed the drain a moment ago is in memory;
 * the rest is read back. The judge waits for nothing: a window is whole up to a mark, before which
 * everything that was acknowledged is stored.
 */
import { compareTimes } from "@turnproof/evidence";
import { limits } from "@turnproof/semconv";
import type { RootStanding } from "@turnproof/store";

import { collectorScope } from "./auth/grants.ts";
import type { Parts } from "./parts.ts";
import { readWhole, windowOf } from "./window.ts";
import type { Window } from "./window.ts";

/** A span is received a moment before it is pending. */
const pendingAfterMs = 2_000;
/** Rows that are read for many roots at once; a root of more is read alone. */
const togetherRows = 50_000;
const pageRows = 10_000;

/** Windows of these roots; one that may still grow by what waits in the journal is left out. */
export async function judgeWindows(
  parts: Parts,
  standing: ReadonlyMap<string, RootStanding>,
): Promise<ReadonlyMap<string, Window>> {
  const mark = markOf(parts);
  const windows = new Map<string, Window>();
  const others: string[] = [];
  const keep = (root: string, window: Window): void => {
    const { as_of: latest } = window;
    if (latest === null || compareTimes(latest, mark) <= 0) windows.set(root, window);
  };
  const manner = { started: performance.now(), mark, pending: 0 };
  for (const [root, stands] of standing) {
    const slice = parts.recorder?.slice(root, stands, limits.rootEventsMax);
    if (slice === undefined) others.push(root);
    else keep(root, windowOf([slice], { ...manner, bounded: slice.bounded }));
  }
  if (others.length === 0) return windows;
  const options = { limit: pageRows, budgetRows: togetherRows };
  const together = await parts.store.roots?.(collectorScope(), others, options);
  for (const root of others) {
    const slice = together?.get(root);
    if (slice !== undefined && slice.next === null) {
      keep(root, windowOf([slice], { ...manner, bounded: slice.bounded }));
      continue;
    }
    const { slices, bounded } = await readWhole(
      (page) => parts.store.root(collectorScope(), root, page),
      limits.rootEventsMax,
    );
    keep(root, windowOf(slices, { ...manner, bounded }));
  }
  return windows;
}

/** A time of receipt up to which everything is stored. */
function markOf({ ingest }: Parts): string {
  const { oldest_pending_at: pending } = ingest.report().journal;
  if (pending === null) return ingest.mark();
  return new Date(Date.parse(pending) - pendingAfterMs).toISOString();
}
