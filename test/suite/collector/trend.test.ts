/**
 * Trend over HTTP: outcomes of the turns of a filter over time and by release, over the whole of it
 * and not over a page, inside the caller's scope.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Trend {
  readonly turns: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly tool_results: number;
  readonly tool_failed: number;
  readonly tokens: number | null;
  readonly cached_share: number | null;
  readonly slices: readonly { readonly turns: number; readonly tool_failed: number }[];
  readonly releases: readonly {
    readonly release: string | null;
    readonly turns: number;
    readonly tool_failed: number;
  }[];
  readonly complete: boolean;
}

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});
const turns = 300;
const releasedAt = 200;

let desk: Desk;

/** Turn n of every minute: of bob each third; its tool fails from the release on. */
function turn(n: number): ReturnType<typeof turnEvents> {
  const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
  const user = n % 3 === 0 ? "bob" : "alice";
  const version = n < releasedAt ? "1.0.0" : "1.1.0";
  return turnEvents({ root: `root-${n}`, at, user, thread: `thr-${user}` }).map((event) => ({
    ...event,
    ...(event.event_kind === "tool_call" && n >= releasedAt
      ? { status: "error" as const, attributes: { tool_name: "search" } }
      : event.event_kind === "turn"
        ? { attributes: { service_version: version } }
        : {}),
  }));
}

beforeAll(async () => {
  // Nothing is judged: verdicts would depend on how long this file takes.
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  for (let n = 0; n < turns; n += 100) {
    const events = Array.from({ length: 100 }, (_, i) => turn(n + i)).flat();
    await desk.put(events, new Date(Date.UTC(2026, 10, 21, 10, n)).toISOString());
  }
});
afterAll(() => desk.collector.close());

const trend = (query = "", name = "otto"): Promise<Trend> =>
  desk.json<Trend>(`/traces/trend.json${query}`, as(name));

test("every turn of the filter counts, over time and by release", async () => {
  const all = await trend();
  expect(all).toMatchObject({ turns: 300, complete: true, cached_share: null });
  expect(all).toMatchObject({ tool_results: 300, tool_failed: 100, tokens: 300 * 15 });
  expect(all.verdicts).toEqual({ unjudged: 300 });
  const sum = (field: "turns" | "tool_failed"): number =>
    all.slices.reduce((total, slice) => total + slice[field], 0);
  expect([sum("turns"), sum("tool_failed")]).toEqual([300, 100]);
  expect(all.releases).toMatchObject([
    { release: "1.0.0", turns: 200, tool_failed: 0 },
    { release: "1.1.0", turns: 100, tool_failed: 100 },
  ]);
});

test.each([
  ["?user_id=bob", 100],
  ["?agent_id=helper&verdict=unjudged", 300],
  ["?q=release%3A1.1.0", 100],
  ["?start_time=2026-11-20T00:10:00Z&end_time=2026-11-20T00:20:00Z", 10],
  ["?agent_id=nobody", 0],
])("%s leaves %i turns", async (query, count) => {
  const narrowed = await trend(query);
  expect(narrowed.turns).toBe(count);
  expect(narrowed.slices.reduce((total, slice) => total + slice.turns, 0)).toBe(count);
});

test("nobody's trend holds another tenant's turn", async () => {
  const own = await trend("", "alice");
  expect(own.turns).toBe(200);
  expect(own.releases.map(({ turns: count }) => count)).toEqual([133, 67]);
  expect((await desk.get("/traces/trend.json?user_id=bob", as("alice"))).status).toBe(403);
});

test("a page of it cannot be asked for, nor a word that is none", async () => {
  for (const query of ["?limit=5", "?chart=duration", "?q=latency:soon"]) {
    expect((await desk.get(`/traces/trend.json${query}`, as("otto"))).status, query).toBe(400);
  }
});
