/** A root is read once, however many events it has: each read of it settles all of its rows. */
import type { TurnEvent } from "@turnproof/evidence";
import { ephemeral, readRoots } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { collectorScope } from "../access/grants.ts";
import type { Parts } from "../parts.ts";
import { collectRoot } from "./window.ts";

/** More than one page of a walk. */
const spans = 10_001;

const event = (index: number): TurnEvent => ({
  schema_version: 3,
  event_id: `${index}:result`,
  event_kind: index === 0 ? "turn" : "tool_call",
  phase: "result",
  status: "success",
  timestamp: "2026-11-21T10:00:00.000Z",
  span_id: `${index}`,
  root_trace_id: "root",
  attributes: {},
});

/** A store with one large root, which counts how often it is read. */
async function countedStore(): Promise<{ store: EvidenceStore; reads: () => number }> {
  const held = ephemeral();
  await held.append({
    batchId: "1",
    receivedAt: "2026-11-21T10:00:01.000000Z",
    events: Array.from({ length: spans }, (_, index) => event(index)),
  });
  let reads = 0;
  const store: EvidenceStore = {
    ...held,
    root(...requested) {
      reads += 1;
      return held.root(...requested);
    },
  };
  return { store, reads: () => reads };
}

test("the window of a large root is one read", async () => {
  const { store, reads } = await countedStore();
  const ingest = { mark: () => "2026-11-21T10:00:02.000000Z", settled: async () => 0 };
  const damage = { report: () => ({ store: null, traces: 0, located: true }) };
  const parts = { store, ingest, damage } as unknown as Parts;
  const reading = { scope: collectorScope(), query: {} };
  const window = await collectRoot(parts, reading, "root");
  expect(window).toMatchObject({ complete: true, bounded: false, pages: 1 });
  expect(window.events).toHaveLength(spans);
  expect(reads()).toBe(1);
  const cut = await collectRoot(parts, reading, "root", { eventsMax: 10 });
  expect(cut).toMatchObject({ complete: false, bounded: true });
});

test("the turns of a large root are recorded from one read", async () => {
  const { store, reads } = await countedStore();
  const [root] = await readRoots(store, collectorScope(), ["root"]);
  expect(root?.events).toHaveLength(spans);
  expect(reads()).toBe(1);
});
