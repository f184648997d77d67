/** @module Kill oracle: what a collector that was killed holds once it runs again. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

import type { TurnEvent } from "@turnproof/evidence";

import type { CollectorChild } from "./collector-child.ts";

interface EventPage {
  readonly items: readonly TurnEvent[];
  readonly next_cursor: string | null;
  readonly duplicates_removed: number;
}

/** Everything that is stored, by the pages that an operator reads. */
export async function stored(url: string): Promise<{ events: TurnEvent[]; duplicates: number }> {
  const events: TurnEvent[] = [];
  let duplicates = 0;
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const response = await fetch(`${url}/traces/events.json?limit=1000${query}`);
    assert.equal(response.status, 200);
    const page = (await response.json()) as EventPage;
    events.push(...page.items);
    duplicates += page.duplicates_removed;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { events, duplicates };
}

/** Waits until the journal is stored; every span is counted in one place all the while. */
export async function drained(collector: CollectorChild, waitMs = 60_000): Promise<void> {
  const until = performance.now() + waitMs;
  while (performance.now() < until) {
    const metrics = await (await fetch(`${collector.url}/metrics`)).text();
    assert.match(metrics, /^turnproof_ingest_balanced 1$/m);
    if (/^turnproof_journal_pending_frames 0$/m.test(metrics)) return;
    await sleep(50);
  }
  throw new Error(`not drained: ${collector.output()}`);
}
