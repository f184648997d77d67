/**
 * @module CountedTrend: the trend of all turns of a filter, as the list of turns and the page of an
 * agent show it. Pages and their JSON share an answer for some seconds.
 */
import type { Parts } from "../parts.ts";
import type { Trend } from "../ui/display/trend.ts";
import type { Counting } from "./counted-turns.ts";
import { queryCache } from "./query-cache.ts";
import { turnTrend } from "./turn-trend.ts";
import { isComplete, pendingFrames } from "./window.ts";

/** Body of `/traces/trend.json`. */
export interface TrendModel extends Trend {
  /** True when everything that was received is counted. */
  readonly complete: boolean;
  /** Batches that were acknowledged and are not readable yet. */
  readonly pending_frames: number;
}

const answersOf = queryCache<TrendModel>();

/** The trend of the turns of a query. */
export function countedTrend(parts: Parts, { query, within, key }: Counting): Promise<TrendModel> {
  return answersOf(parts).of(key, async () => {
    const pending = await pendingFrames(parts);
    const options = { nowMs: parts.now(), within };
    return {
      ...(await turnTrend(parts.store.ledger, query, options)),
      complete: await isComplete(parts, pending, query),
      pending_frames: pending,
    };
  });
}
