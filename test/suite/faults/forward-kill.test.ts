/**
 * Forwarding of a real process that is killed at any moment: each acknowledged span reaches the
 * other endpoint, or is counted as lost. `FORWARD_KILLS` sets how often.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as after } from "node:timers/promises";

import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { sendRecordings } from "../../apps/recorded.ts";
import { openStrictReceiver } from "../receive/strict-receiver.ts";
import type { StrictReceiver } from "../receive/strict-receiver.ts";
import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";

const kills = Number(process.env["FORWARD_KILLS"] ?? 3);

let receiver: StrictReceiver;
let dataDir: string;
let env: Record<string, string>;
let child: CollectorChild;
beforeAll(async () => {
  receiver = await openStrictReceiver();
  dataDir = mkdtempSync(join(tmpdir(), "turnproof-forward-kill-"));
  env = {
    TURNPROOF_BACKEND: "filesystem",
    TURNPROOF_GRPC_PORT: "off",
    TURNPROOF_FORWARD_URL: receiver.url,
  };
  child = await startCollector(dataDir, env);
});
afterAll(async () => {
  await child.kill();
  await receiver.close();
});

const reached = (): number =>
  new Set(receiver.spans.map(({ traceId, spanId }) => `${traceId} ${spanId}`)).size;

test("no span is lost over kills", async () => {
  let acknowledged = 0;
  for (let index = 0; index < kills; index += 1) {
    // The endpoint is away for a while, so that some kills find a full queue and some an empty one.
    receiver.answer = () => ({ status: Math.random() < 0.5 ? 503 : 200 });
    const options = { endMs: Date.now(), salt: `kill ${index}` };
    acknowledged += await sendRecordings(child.url, options);
    await after(Math.random() * 800);
    await child.kill();
    child = await startCollector(dataDir, env);
  }
  receiver.answer = () => ({ status: 200 });
  await vi.waitFor(() => expect(reached()).toBe(acknowledged), { timeout: 60_000, interval: 100 });
  await vi.waitFor(async () => {
    const metrics = await (await fetch(`${child.url}/metrics`)).text();
    expect(metrics).toMatch(/^turnproof_forward_lost_spans_total\{code="queue_full"\} 0$/m);
    expect(metrics).toMatch(/^turnproof_forward_pending_spans 0$/m);
  });
  // A kill between an answer and its note sends a batch again; the endpoint has its ids.
  const others = receiver.faults.filter((fault) => !fault.startsWith("span twice: "));
  expect(others).toEqual([]);
}, 300_000);
