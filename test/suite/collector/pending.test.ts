/**
 * What is acknowledged and not yet readable makes every window incomplete: before the drain stored
 * it, and after a restart over a journal that was never drained (design 4, 6.1).
 */
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { traceRequest } from "../../otlp/encode.ts";
import { openDesk } from "./desk.ts";
import type { Desk } from "./desk.ts";

const trace = "0af7651916cd43dd8448eb211c80319c";

/** Every list that says whether it is whole. */
const lists = [
  "/traces/turns.json",
  "/traces/events.json",
  "/traces/events.json?view=bundles",
  "/traces/find.json?id=thread-1",
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

async function send(desk: Desk): Promise<number> {
  const start = "1760000000000000000";
  const span = {
    traceId: trace,
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
  const said: Record<string, boolean> = {};
  for (const path of lists) {
    const model = await desk.json<{ window_complete?: boolean }>(path);
    said[path] = model.window_complete ?? false;
  }
  return said;
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
