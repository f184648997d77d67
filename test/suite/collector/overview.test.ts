/**
 * @module Overview over HTTP: all turns of a filter and not those of a page, inside the caller's
 * scope.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { DurationCells } from "../../../collector/src/ui/display/duration-cells.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Overview {
  readonly bins: readonly { fromMs: number; toMs: number; turns: number; errors: number }[];
  readonly turns: number;
  readonly complete: boolean;
  readonly durations?: DurationCells;
}

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  for (let hour = 0; hour < 12; hour += 1) {
    const at = new Date(Date.UTC(2026, 10, 20, hour, 30)).toISOString();
    const user = hour % 3 === 0 ? "bob" : "alice";
    const root = `root-${hour}`;
    const events = turnEvents({ root, at, user, agent: `agent-${user}`, thread: `thr-${user}` });
    await desk.put(events, `2026-11-21T10:00:${String(hour).padStart(2, "0")}.000000Z`);
  }
});

afterAll(() => desk.collector.close());

test("it counts what a page of one row does not show", async () => {
  const page = await desk.json<{ items: unknown[] }>("/traces/turns.json?limit=1", as("otto"));
  expect(page.items).toHaveLength(1);
  const overview = await desk.json<Overview>("/traces/overview.json", as("otto"));
  expect(overview.turns).toBe(12);
  expect(overview.bins.reduce((sum, bin) => sum + bin.turns, 0)).toBe(12);
  expect(overview).toMatchObject({ complete: true });
});

test("a range is drawn from end to end, by the turns' own time", async () => {
  const range = "start_time=2026-11-20T03:00:00Z&end_time=2026-11-20T06:00:00Z";
  const overview = await desk.json<Overview>(`/traces/overview.json?${range}`, as("otto"));
  expect(overview.turns).toBe(3);
  expect(overview.bins[0]?.fromMs).toBe(Date.UTC(2026, 10, 20, 3));
  expect(overview.bins.at(-1)?.toMs).toBe(Date.UTC(2026, 10, 20, 6));
});

test("a tenant's overview holds nothing of another's, whoever asked before", async () => {
  await desk.json("/traces/overview.json", as("otto"));
  const overview = await desk.json<Overview>("/traces/overview.json", as("alice"));
  expect(overview.turns).toBe(8);
  expect(JSON.stringify(overview)).not.toContain("bob");
  const foreign = await desk.get("/traces/overview.json?user_id=bob", as("alice"));
  expect(foreign.status).toBe(403);
});

test("durations are those of the same turns, of one tenant and one chart at a time", async () => {
  const counts = await desk.json<Overview>("/traces/overview.json", as("alice"));
  const path = "/traces/overview.json?chart=duration";
  const all = await desk.json<Overview>(path, as("otto"));
  expect(total(all)).toEqual({ turns: 12, reported: 12 });
  const alice = await desk.json<Overview>(path, as("alice"));
  expect(total(alice)).toEqual({ turns: 8, reported: 8 });
  expect(alice.turns).toBe(counts.turns);
  expect(alice.durations?.columns.map(({ fromMs }) => fromMs)).toEqual(
    alice.bins.map(({ fromMs }) => fromMs),
  );
  expect(counts.durations).toBeUndefined();
});

/** Turns of all columns, and those that a class or the unknown counts. */
function total({ durations }: Overview): { readonly turns: number; readonly reported: number } {
  const columns = durations?.columns ?? [];
  const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
  return {
    turns: sum(columns.map(({ turns }) => turns)),
    reported: sum(columns.flatMap(({ counts, unknown }) => [...counts, unknown])),
  };
}

test("what belongs to a page is no parameter", async () => {
  for (const name of ["cursor=x", "limit=10", "sort=duration_ms", "q=latency:soon"]) {
    expect((await desk.get(`/traces/overview.json?${name}`, as("otto"))).status).toBe(400);
  }
});

test.each([
  ["q=-agent:agent-bob", 8],
  ["verdict=unjudged", 12],
  ["verdict=failed", 0],
  ["q=has:error", 0],
])("%s is counted over all turns: %i", async (query, turns) => {
  for (const chart of ["", "&chart=duration"]) {
    const path = `/traces/overview.json?${query}${chart}`;
    const overview = await desk.json<Overview>(path, as("otto"));
    expect(overview.turns).toBe(turns);
    expect(overview.bins.reduce((sum, bin) => sum + bin.turns, 0)).toBe(turns);
  }
});

test("a broken clock stretches no axis: its turn is counted and stands in no bin", async () => {
  const now = Date.parse("2026-11-21T12:00:00Z");
  const own = await openDesk({}, { now: () => now, judge: false });
  try {
    for (const [root, at] of [
      ["right", "2026-11-21T09:00:00.000Z"],
      ["later", "2026-11-21T11:00:00.000Z"],
      ["broken", "1970-01-01T00:00:07.000Z"],
    ] as const) {
      await own.put(turnEvents({ root, at }));
    }
    for (const chart of ["", "?chart=duration"]) {
      const overview = await own.json<Overview>(`/traces/overview.json${chart}`);
      expect(overview.turns).toBe(3);
      expect(overview.bins.reduce((sum, bin) => sum + bin.turns, 0)).toBe(2);
      expect(overview.bins[0]?.fromMs).toBeGreaterThanOrEqual(Date.UTC(2026, 10, 21));
    }
    const range = "start_time=1969-12-31&end_time=1970-01-02";
    const then = await own.json<Overview>(`/traces/overview.json?${range}`);
    expect(then.bins.reduce((sum, bin) => sum + bin.turns, 0)).toBe(1);
  } finally {
    await own.collector.close();
  }
});

test.each(["", "?chart=duration"])("the page of such a turn says it too: %s", async (chart) => {
  const own = await openDesk({}, { judge: false });
  try {
    const now = new Date(Date.now() - 60_000).toISOString();
    await own.put(turnEvents({ root: "right", at: now }));
    await own.put(turnEvents({ root: "broken", at: "1970-01-01T00:00:07.000Z" }));
    const page = await (await own.get(`/traces${chart}`, { accept: "text/html" })).text();
    expect(page).toContain("1 more at other times");
  } finally {
    await own.collector.close();
  }
});
