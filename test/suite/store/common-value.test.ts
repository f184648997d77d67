/**
 * @module A common value: when thousands of roots hold the value of a filter, ClickHouse goes by
 * arrival instead of by name. The pages are those of the readable reference, to the last one.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";
import { clickhouse, ephemeral } from "@turnproof/store";
import type { EvidenceStore, Keyset } from "@turnproof/store";
import { allTenants } from "@turnproof/store/testing";

import { temporaryDirectories } from "./temporary-directory.ts";

/** Above the number of roots that a value leads to by their names. */
const roots = 9_000;
const batchRoots = 1_500;

const directories = temporaryDirectories();
let store: EvidenceStore;
let reference: EvidenceStore;

/**
 * Two of three roots are of the common agent; some readReceipts feedback hours after their turn.
 */
function eventsOf(index: number): TurnEvent[] {
  const root = `root-${index}`;
  const atMs = Date.UTC(2026, 10, 2) + index * 7_919;
  const event = (id: string, ms: number, more: Partial<TurnEvent>): TurnEvent => ({
    schema_version: 3,
    event_id: `${root}-${id}:result`,
    event_kind: "turn",
    phase: "result",
    status: "success",
    timestamp: new Date(ms).toISOString(),
    received_at: `${new Date(ms + (index % 5) * 400).toISOString().slice(0, -1)}000Z`,
    span_id: `${root}-${id}`,
    root_trace_id: root,
    application_id: "shop",
    attributes: {},
    ...more,
  });
  const agent_id = index % 3 === 0 ? "rare-helper" : "common-helper";
  const thread_id = `thread-${index % 40}`;
  const status = index % 2 === 0 ? "error" : "success";
  const turn = event("turn", atMs, { agent_id, thread_id, status });
  if (index % 11 !== 0) return [turn];
  const parent_span_id = turn.span_id ?? "";
  const late = { parent_span_id, event_kind: "feedback" as const, attributes: { rating: 1 } };
  return [turn, event("late", atMs + 5_400_000, late)];
}

beforeAll(async () => {
  store = await clickhouse({ connection: { dataDir: await directories.make() } });
  reference = ephemeral();
  for (let from = 0; from < roots; from += batchRoots) {
    const events = Array.from({ length: batchRoots }, (_, i) => eventsOf(from + i)).flat();
    const receivedAt = events.at(-1)?.received_at ?? "";
    for (const into of [store, reference]) {
      await into.append({ batchId: `common ${from}`, receivedAt, events });
    }
  }
});

afterAll(async () => {
  await store?.close();
  await reference?.close();
  await directories.remove();
});

async function walked(from: EvidenceStore, query: EventQuery): Promise<readonly string[][]> {
  const pages: string[][] = [];
  let after: Keyset | null = null;
  do {
    const options = { limit: 1_000, ...(after === null ? {} : { after }) };
    const slice = await from.page(allTenants, query, options);
    expect(slice.bounded).toBe(false);
    pages.push(slice.events.map((event) => event.event_id));
    after = slice.next;
  } while (after !== null);
  return pages;
}

test.each<{ name: string; query: EventQuery; size: number }>([
  { name: "a common agent", query: { agent_id: "common-helper" }, size: 6_546 },
  { name: "the application of all", query: { application_id: "shop" }, size: 9_819 },
  { name: "a common status", query: { status: "error" }, size: 4_500 },
  {
    name: "a common agent and a common status",
    query: { agent_id: "common-helper", status: "error" },
    size: 3_000,
  },
  {
    name: "an hour of the first day",
    query: { start_time: "2026-11-02T01:00:00Z", end_time: "2026-11-02T02:00:00Z" },
    size: 476,
  },
  {
    name: "a common agent in an hour nobody spoke",
    query: {
      agent_id: "common-helper",
      start_time: "2026-10-02T01:00:00Z",
      end_time: "2026-10-02T02:00:00Z",
    },
    size: 0,
  },
])("events of $name, page by page", async ({ query, size }) => {
  const pages = await walked(store, query);
  expect(pages.flat()).toHaveLength(size);
  expect(pages).toEqual(await walked(reference, query));
});
