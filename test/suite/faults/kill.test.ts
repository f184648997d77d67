/**
 * Kill oracle (faults R1; collector: Receive): the real collector over its embedded store is killed
 * at random moments while eight clients send. Afterwards everything acknowledged is stored exactly
 * once, nothing is stored that was not sent, every payload is what was sent, and a fresh span
 * passes.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { startCollector } from "./collector-child.ts";
import { drained, stored } from "./kill-oracle.ts";
import { SpanLedger, expectedOf } from "./span-ledger.ts";

const kills = Number(process.env["TURNPROOF_TEST_KILLS"] ?? 12);
const clients = 8;
/** Longest life of one collector once it listens. */
const lifeMsMax = 1_000;
const slow = { timeout: 30_000, interval: 20 };

/** Sends until the collector is gone; a request that was not answered is not sent again. */
async function client(url: string, ledger: SpanLedger, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const batch = ledger.batch(1 + Math.floor(Math.random() * 20));
    try {
      const response = await fetch(`${url}/v1/traces`, {
        method: "POST",
        headers: batch.headers,
        body: batch.body as BodyInit,
        signal: over,
      });
      await response.arrayBuffer();
      // A refusal is an answer that promises nothing.
      if (response.status === 200) ledger.acknowledge(batch);
      else expect([429, 503]).toContain(response.status);
    } catch {
      // The connection broke: the outcome is unknown, which is what the oracle allows for.
      return;
    }
    await sleep(Math.random() * 4);
  }
}

test(
  `${kills} kills lose nothing that was acknowledged`,
  { timeout: 60_000 + kills * 8_000 },
  async () => {
    const dataDir = await mkdtemp(join(tmpdir(), "kill-"));
    const ledger = new SpanLedger();
    for (let round = 0; round < kills; round++) {
      const known = ledger.acknowledged.size;
      const collector = await startCollector(dataDir);
      const over = new AbortController();
      const sending = Array.from({ length: clients }, () =>
        client(collector.url, ledger, over.signal),
      );
      // Every other life ends after it acknowledged something, however slow the machine is.
      if (round % 2 === 0)
        await expect.poll(() => ledger.acknowledged.size > known, slow).toBe(true);
      await sleep(Math.random() * lifeMsMax);
      await collector.kill();
      over.abort();
      await Promise.all(sending);
    }

    const survivor = await startCollector(dataDir);
    const fresh = ledger.batch(1);
    const answer = await fetch(`${survivor.url}/v1/traces`, {
      method: "POST",
      headers: fresh.headers,
      body: fresh.body as BodyInit,
    });
    expect(answer.status).toBe(200);
    ledger.acknowledge(fresh);
    await drained(survivor);
    const { events, duplicates } = await stored(survivor.url);
    const ended = await survivor.stop();
    // Its output is the only trace of an engine that crashes at its end.
    expect([ended, ended === 0 ? "" : survivor.output()]).toEqual([0, ""]);

    const found = new Map(events.map((event) => [event.event_id, event]));
    const lost = [...ledger.acknowledged].filter((id) => !found.has(id));
    expect(lost).toEqual([]);
    expect(found.size).toBe(events.length);
    expect(duplicates).toBe(0);
    for (const event of events) {
      expect(expectedOf(event)).toEqual(ledger.sent.get(event.event_id));
    }
    // An oracle that saw nothing proves nothing; how much it saw is the machine's.
    expect(ledger.acknowledged.size).toBeGreaterThan(kills / 2);
    await rm(dataDir, { recursive: true, force: true });
  },
);
