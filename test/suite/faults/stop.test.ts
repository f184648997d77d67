/**
 * A collector that receives a stop signal while it receives, stores and answers ends with code 0.
 * The embedded engine cannot interrupt a statement, and a process that exits under one ends by
 * SIGSEGV.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { expect, test } from "vitest";

import { startCollector } from "./collector-child.ts";
import { SpanLedger } from "./span-ledger.ts";

const rounds = 4;
const clients = 3;

/** Sends and reads until the collector is gone. */
async function client(url: string, ledger: SpanLedger, gone: AbortSignal): Promise<void> {
  while (!gone.aborted) {
    const batch = ledger.batch(200);
    try {
      const { headers, body } = batch;
      const sent = await fetch(`${url}/v1/traces`, {
        method: "POST",
        headers,
        body: body as BodyInit,
      });
      if (sent.status === 200) ledger.acknowledge(batch);
      await (await fetch(`${url}/traces/events.json?limit=1000`)).arrayBuffer();
    } catch {
      return;
    }
  }
}

test(`${rounds} stops under load end cleanly`, { timeout: 60_000 * rounds }, async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "stop-"));
  const ledger = new SpanLedger();
  const ends: unknown[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const collector = await startCollector(dataDir);
    const gone = new AbortController();
    const sending = Array.from({ length: clients }, () =>
      client(collector.url, ledger, gone.signal),
    );
    await sleep(300 + Math.random() * 1_500);
    const ended = await collector.stop();
    gone.abort();
    await Promise.all(sending);
    ends.push(ended);
  }
  expect(ends).toEqual(Array.from({ length: rounds }, () => 0));
  expect(ledger.acknowledged.size).toBeGreaterThan(0);
  await rm(dataDir, { recursive: true, force: true });
});
