/**
 * What is acknowledged and not yet readable makes every window incomplete: before the drain stored
 * it, and after a restart over a journal that was never drained (evidence: Reconcile; collector:
 * Receive).
 */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import { openDesk, recordEvents, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";
const traceOf = (n: number): string => (n + 1).toString(16).padStart(32, "0");

/** Every list with a mark of whether it is whole. */
const lists = [
  "/traces/turns.json",
  "/traces/events.json",
  "/traces/events.json?view=bundles",
  "/traces/find.json?id=thread-1&scope=anonymous",
  "/traces/analysis.json",
  "/traces/health.json",
  "/agents.json",
  "/threads.json",
  "/threads/thread-1.json",
  "/learning.json",
];

/** A store whose writes wait until they are let through; reads are its own. */
function gated(store: EvidenceStore): { readonly store: EvidenceStore; open(): void } {
  const gate = Promise.withResolvers<void>();
  return {
    store: {
      ...store,
      append: async (batch) => {
        await gate.promise;
        await store.append(batch);
      },
    },
    open: () => gate.resolve(),
  };
}

async function send(desk: Desk, traceId = trace): Promise<number> {
  const start = "1760000000000000000";
  const span = {
    traceId,
    spanId: "b7ad6b7169203331",
    name: "any",
    startTimeUnixNano: start,
    endTimeUnixNano: "1760000000500000000",
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "helper",
      "gen_ai.conversation.id": "thread-1",
    },
  };
  const response = await desk.collector.app.request("http://localhost:4318/v1/traces", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(traceRequest([span], { "service.name": "desk" })),
  });
  return response.status;
}

async function complete(desk: Desk): Promise<Record<string, boolean>> {
  const stated: Record<string, boolean> = {};
  for (const path of lists) {
    const model = await desk.json<{ window_complete?: boolean }>(path);
    stated[path] = model.window_complete ?? false;
  }
  return stated;
}

const all = (value: boolean): Record<string, boolean> =>
  Object.fromEntries(lists.map((path) => [path, value]));

test("no list says that it is whole while the journal holds what it cannot show", async () => {
  const store = ephemeral();
  const shut = gated(store);
  const first = await openDesk({}, { store: shut.store, judge: false });
  expect(await complete(first)).toEqual(all(true));
  expect(await send(first)).toBe(200);
  expect(await complete(first)).toEqual(all(false));
  const empty = await first.json<{ items: unknown[] }>("/traces/turns.json");
  expect(empty.items).toEqual([]);
  // The process ends with the journal undrained; the next one finds it.
  await first.collector.close(0);

  const again = gated(store);
  const second = await openDesk(
    { TURNPROOF_DATA_DIR: first.dataDir },
    { store: again.store, judge: false },
  );
  expect(await complete(second)).toEqual(all(false));
  again.open();
  await expect.poll(async () => await complete(second), { timeout: 30_000 }).toEqual(all(true));
  const { items } = await second.json<{ items: { root_trace_id: string }[] }>("/traces/turns.json");
  expect(items.map((row) => row.root_trace_id)).toEqual([trace]);
  await second.collector.close();
});

test("the pages say what is still open, and never that the window is whole", async () => {
  const store = ephemeral();
  const shut = gated(store);
  const desk = await openDesk({}, { store: shut.store, judge: false });
  const words = async (path: string): Promise<string> =>
    (await (await desk.get(path, { accept: "text/html" })).text()).replaceAll(/<[^>]+>/g, " ");
  // One root is readable; what comes after it is not.
  const events = turnEvents({ root: "root-1", agent: "helper", thread: "thread-1" });
  await store.append({ batchId: "before", receivedAt: "2026-11-21T10:00:00.000000Z", events });
  await recordEvents(store, events);
  const pages = ["/traces", "/threads", "/threads/thread-1", "/agents"];
  for (const path of pages) {
    expect([path, await words(path)]).toEqual([path, expect.stringContaining("Window complete")]);
  }
  for (let n = 0; n < 3; n += 1) expect(await send(desk, traceOf(n))).toBe(200);
  for (const path of pages) {
    const stated = await words(path);
    expect([path, stated]).toEqual([path, expect.stringContaining("Window still open")]);
    expect(stated).toMatch(/[1-3] received batch(es are| is) not readable yet and not counted/);
    expect(stated).not.toContain("Window complete");
    expect(stated).not.toMatch(/turns?, complete/);
  }
  // A trace whose events are on their way is no unknown one.
  const waiting = await desk.get(`/traces/${traceOf(0)}.json`);
  expect([waiting.status, await waiting.json()]).toMatchObject([503, { code: "evidence_pending" }]);
  expect(waiting.headers.get("retry-after")).toMatch(/^\d+$/);
  expect((await desk.get(`/traces/${"e".repeat(32)}.json`)).status).toBe(404);
  // Nothing of this root is on its way.
  expect(await words("/traces/root-1")).not.toMatch(/not readable yet/);
  expect(await words("/traces/find?id=thread-1")).toMatch(/batch(es are| is) not readable yet/);
  shut.open();
  for (const path of pages) {
    await expect
      .poll(() => words(path), { timeout: 30_000 })
      .toMatch(/Window complete[\s\S]*4 turns|4 turns[\s\S]*Window complete/);
  }
  await desk.collector.close();
});

test("while turns arrive all the time, whole means all that was acknowledged before", async () => {
  const store = ephemeral();
  let writes = 0;
  const slow: EvidenceStore = {
    ...store,
    append: async (batch) => {
      writes += 1;
      await new Promise((resolve) => setTimeout(resolve, (writes * 7) % 23));
      await store.append(batch);
    },
  };
  const desk = await openDesk({}, { store: slow, judge: false });
  const acknowledged = new Set<string>();
  let sending = true;
  const sendAll = async (): Promise<void> => {
    for (let n = 0; n < 150; n += 1) {
      expect(await send(desk, traceOf(n))).toBe(200);
      acknowledged.add(traceOf(n));
    }
  };
  const sender = sendAll().finally(() => (sending = false));
  const seen = { whole: 0, open: 0 };
  const look = async (): Promise<number> => {
    const before = [...acknowledged];
    const page = await desk.json<Turns>("/traces/turns.json?limit=1000");
    const shown = new Set(page.items.map((row) => row.root_trace_id));
    seen[page.window_complete ? "whole" : "open"] += 1;
    // Whole claims all of it; open shows how much is missing, so that it is not taken for little.
    if (page.window_complete) expect(before.filter((root) => !shown.has(root))).toEqual([]);
    expect(page.window_complete).toBe(page.pending_frames === 0);
    const missing = before.filter((root) => !shown.has(root)).length;
    expect(page.pending_frames).toBeGreaterThanOrEqual(Math.min(missing, 1));
    return shown.size;
  };
  while (sending) {
    await look();
    // Reads of a store in the process wait for nothing: the sender must have its turn.
    await new Promise(setImmediate);
  }
  await sender;
  await expect.poll(look, { timeout: 30_000 }).toBe(150);
  await expect
    .poll(async () => (await desk.json<Turns>("/traces/turns.json?limit=1000")).window_complete)
    .toBe(true);
  expect(seen.open).toBeGreaterThan(0);
  await desk.collector.close();
});

interface Turns {
  readonly items: readonly { readonly root_trace_id: string }[];
  readonly window_complete: boolean;
  readonly pending_frames: number;
}
