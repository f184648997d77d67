/**
 * A root with more events than a page reads: the page has the first ones and states it, also as
 * JSON, and there is no verdict on a part. Its verdict on a page of its own is over the whole root.
 */
import { limits } from "@turnproof/semconv";
import { ephemeral } from "@turnproof/store";
import type { EvidenceStore } from "@turnproof/store";
import { afterAll, beforeAll, expect, test } from "vitest";

import { collectorWindows } from "../../../collector/src/cli/check-windows.ts";
import type { EventWindow } from "../../../collector/src/cli/check-windows.ts";
import { createClient } from "../../../collector/src/cli/client.ts";
import { listen } from "../../../collector/src/server.ts";
import { openDesk, quiet, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";
import { call, connect } from "./mcp-client.ts";

interface Part {
  readonly turns: readonly { readonly event_count: number }[];
  readonly events: readonly object[];
  readonly verdict: object;
  readonly partial_read: object | null;
}

/** Budgets that the collector set, and a store in which a root of three rows is above a page's. */
const budgets: (number | undefined)[] = [];
let heldRows = 60_000;
function small(): EvidenceStore {
  const store = ephemeral();
  return {
    ...store,
    root(scope, root, { budgetRows, ...options }) {
      budgets.push(budgetRows);
      // Of two large roots the second has what the first left.
      const isCut = [limits.pageRootEventsMax, 10_000].includes(budgetRows ?? 0);
      const budget = isCut ? { budgetRows: 2 } : {};
      return store.root(scope, root, { ...options, ...budget });
    },
    roots: async () => new Map(),
    standing: async (roots) =>
      new Map(
        [...(await store.standing(roots))].map(([root, of]) => [root, { ...of, rows: heldRows }]),
      ),
  };
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { store: small(), judge: false });
  await desk.put(turnEvents({ root: "large" }));
  await desk.put(turnEvents({ root: "another" }));
  // A second turn, all of it after the budget.
  await desk.put(turnEvents({ root: "large", agent: "late" }), "2026-11-21T10:05:00.000000Z");
});
afterAll(() => desk.collector.close());

test("the page has the first events received, says so, and gives no verdict", async () => {
  const of = { events_read: 2, events_recorded: 6 };
  const part = await desk.json<Part>("/traces/large.json");
  expect(part.events).toHaveLength(2);
  expect(part).toMatchObject({ partial_read: of, window: { bounded: true, complete: false } });
  // The turns are those of the ledger, over all of their events.
  expect(part.turns.map(({ event_count: count }) => count)).toEqual([3, 3]);
  expect(part.verdict).toMatchObject({ status: "unknown", verified: false, findings: [] });
  const why = "Unknown: this root was read in part, and a part is not judged.";
  expect(part.verdict).toMatchObject({ why, window: { complete: false } });
  const columns = await desk.json<Part>("/traces/large.json?form=columns");
  expect(columns).toMatchObject({ partial_read: of, verdict: { status: "unknown" } });
  const page = await (await desk.get("/traces/large", { accept: "text/html" })).text();
  expect(page.replaceAll(/\s+/g, " ")).toContain("the first 2 of 6 events");
  expect(page).toContain("/traces/reconcile?agent_id=");
  expect(page).toContain("/traces/large?read=whole");
});

test("the verdict on a page of its own is over the whole root", async () => {
  const path = "/traces/reconcile.json?agent_id=helper&root_trace_id=large";
  expect(await desk.json(path)).toMatchObject({ event_count: 3, read: { bounded: false } });
});

test("the whole root is read where it is requested", async () => {
  const whole = await desk.json<Part>("/traces/large.json?read=whole");
  expect(whole).toMatchObject({ partial_read: null, window: { bounded: false } });
  expect(whole.events).toHaveLength(6);
});

test("contracts are checked over whole roots, and an agent learns what is a part", async () => {
  const server = await listen(desk.collector.app, { host: "127.0.0.1", port: 0, log: quiet });
  try {
    const windows = collectorWindows(createClient({ url: server.url }), { root: "large" }, 10);
    const read: EventWindow[] = [];
    for await (const { window } of windows) read.push(window);
    expect(read.flatMap(({ events }) => events)).toHaveLength(6);
    expect(read.map(({ metadata }) => metadata?.window_complete)).not.toContain(false);
    const client = await connect(server.url, "any");
    const { text } = await call(client, "check_a_contract", { root_trace_id: "large" });
    const { text: failed } = await call(client, "why_did_this_turn_fail", { id: "large" });
    await client.close();
    expect(failed).toMatch(/^verdict: unknown, not judged; /m);
    expect(failed).toContain("errors: no operation that was read recorded an error");
    // Of the first events alone the second turn would not be there.
    expect(text.match(/contract default, turn /g)).toHaveLength(2);
    expect(text).not.toContain("not whole");
  } finally {
    await server.close(1_000);
  }
});

test("a root that is bounded for another reason than its size is no part", async () => {
  const store = ephemeral();
  const root: EvidenceStore["root"] = async (...asked) => ({
    ...(await store.root(...asked)),
    bounded: true,
  });
  const damaged = await openDesk({}, { store: { ...store, root }, judge: false });
  await damaged.put(turnEvents({ root: "damaged" }));
  const model = await damaged.json<Part>("/traces/damaged.json");
  expect(model).toMatchObject({ partial_read: null, window: { bounded: true, complete: false } });
  const page = await damaged.get("/traces/damaged", { accept: "text/html" });
  expect((await page.text()).replaceAll(/\s+/g, " ")).toContain(
    "was not read to its end: 3 events",
  );
  await damaged.collector.close();
});

test("a turn that begins after the budget is found", async () => {
  const late = await desk.json<Part>("/traces/large.json?agent_id=late");
  expect(late.partial_read).toBeNull();
  expect(late.events).toHaveLength(3);
});

test.each(["/agents/helper.json", "/threads/thread-1.json"])(
  "%s reads of all large roots together what one page reads",
  async (path) => {
    budgets.length = 0;
    heldRows = 40_000;
    expect(await desk.json(path)).toMatchObject({ window_complete: false });
    expect(new Set(budgets)).toEqual(new Set([10_000, 40_000]));
  },
);
