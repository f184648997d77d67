/**
 * One request stalls no other: while a turn of 20,000 spans is taken in, judged and drawn,
 * all others are answered (faults R17). What is compared are parts of the same run, not times.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect, test } from "vitest";

import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";
import { watchLatency } from "./latency-watcher.ts";
import { oneTrace, oneTraceHeaders } from "./one-trace.ts";

const root = "5".padStart(32, "0");
const spans = 20_000;
let dataDir = "";
let collector: CollectorChild;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-stall-"));
  collector = await startCollector(dataDir);
});
afterAll(async () => {
  await collector.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** The part of the attack's time in which `/healthz` had no answer. */
async function stalledShare(attack: () => Promise<void>): Promise<number> {
  const watch = await watchLatency(`${collector.url}/healthz`);
  const started = performance.now();
  await attack();
  const took = performance.now() - started;
  const { stalled, failed } = await watch.stop();
  expect(failed).toBe(0);
  return stalled / took;
}

const get = (path: string): Promise<Response> =>
  fetch(`${collector.url}${path}`, {
    headers: { accept: path.includes(".json") ? "*/*" : "text/html" },
  });

interface Listed {
  readonly items: readonly { readonly verdict?: string | null }[];
}

test("a turn of 20,000 spans is taken, judged and drawn, and everybody else is answered", async () => {
  const body = oneTrace(root, spans);
  expect(body.length).toBeLessThan(500_000);
  const judged = await stalledShare(async () => {
    const headers = oneTraceHeaders;
    const sent = await fetch(`${collector.url}/v1/traces`, { method: "POST", headers, body });
    expect(sent.status).toBe(200);
    for (;;) {
      const list = (await (await get("/traces/turns.json")).json()) as Listed;
      if (typeof list.items[0]?.verdict === "string") return;
      await sleep(2_000);
    }
  });
  expect(judged).toBeLessThan(0.3);
  for (const path of [
    `/traces/${root}`,
    "/traces",
    `/traces/reconcile.json?agent_id=a&root_trace_id=${root}`,
  ]) {
    const share = await stalledShare(async () => {
      const answers = await Promise.all([get(path), get(path)]);
      for (const answer of answers) {
        expect([path, answer.status]).toEqual([path, 200]);
        await answer.arrayBuffer();
      }
    });
    expect([path, share < 0.3]).toEqual([path, true]);
  }
}, 300_000);

test("a page of the large turn says all that it has", async () => {
  const model = (await (await get(`/traces/${root}.json?form=columns`)).json()) as {
    readonly window: { readonly event_count: number };
    readonly turns: readonly { readonly tokens?: unknown }[];
  };
  expect(model.window.event_count).toBe(spans);
  expect(model.turns).toHaveLength(1);
  // A tail that is open meanwhile gets them, and memory and agents of a host answer.
  const health = (await (await get("/traces/health.json")).json()) as {
    readonly collector: {
      readonly memory: { readonly ok: boolean };
      readonly judge: string;
      readonly ingest: { readonly conservation: { readonly received: number } };
    };
  };
  expect(health.collector).toMatchObject({ memory: { ok: true }, judge: "on" });
  expect(health.collector.ingest.conservation.received).toBe(spans);
});

test("who reads the large turn many times at once delays no page of another turn", async () => {
  const small = "6".padStart(32, "0");
  const sent = await fetch(`${collector.url}/v1/traces`, {
    method: "POST",
    headers: oneTraceHeaders,
    body: oneTrace(small, 3),
  });
  expect(sent.status).toBe(200);
  await get(`/traces/${root}`).then((answer) => answer.arrayBuffer());
  const statuses: number[] = [];
  const many = Array.from({ length: 24 }, async (_, at) => {
    const answer = await get(at % 2 === 0 ? `/traces/${root}` : `/traces/${root}.json`);
    await answer.arrayBuffer();
    statuses.push(answer.status);
    if (answer.status === 503) expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  });
  await sleep(300);
  for (const path of [`/traces/${small}`, "/traces", `/traces/${small}.json`]) {
    const answer = await get(path);
    await answer.arrayBuffer();
    expect([path, answer.status]).toEqual([path, 200]);
  }
  // The large ones are read one after another, so most of them are still to come.
  expect(statuses.filter((status) => status === 200).length).toBeLessThan(12);
  await Promise.all(many);
  expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
  expect(statuses).toContain(200);
}, 300_000);
