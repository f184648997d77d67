/**
 * Facets over HTTP: turns by value over the whole filtered window, not over a page, inside the
 * caller's scope, every filter of the bar applied.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Facets {
  readonly facets: readonly {
    readonly key: string;
    readonly values: readonly { readonly value: string; readonly count: number }[];
    readonly total: number;
  }[];
  readonly turns: number;
  readonly complete: boolean;
  readonly pending_frames: number;
}

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});
const turnsOfAll = 600;

/** Nothing is judged while two answers are compared: one of them would be of an earlier moment. */
const judge = { quietMs: 1_000_000 * 3_600_000 };

let desk: Desk;

/** Deployment environment of turn n: half of the turns have none. */
const environmentOf = (n: number): string | undefined => ["staging", "production"][n % 4];

/** Turn n: of bob each third, of an agent of its own each fiftieth, failed each tenth. */
function turn(n: number): ReturnType<typeof turnEvents> {
  const at = new Date(Date.UTC(2026, 10, 20, 0, n)).toISOString();
  const user = n % 3 === 0 ? "bob" : "alice";
  const agent = n % 50 === 0 ? `rare-${n}` : "helper";
  const environment = environmentOf(n);
  const events = turnEvents({ root: `root-${n}`, at, user, agent, thread: `thr-${user}` }).map(
    (event) =>
      environment === undefined || event.event_kind === "tool_call"
        ? event
        : { ...event, attributes: { ...event.attributes, deployment_environment: environment } },
  );
  if (n % 10 > 0) return events;
  return events.map((event) =>
    event.event_kind === "tool_call" ? { ...event, status: "error" } : event,
  );
}

async function fill(one: Desk, from: number, to: number): Promise<void> {
  for (let n = from; n < to; n += 100) {
    const events = Array.from({ length: 100 }, (_, i) => turn(n + i)).flat();
    const received = new Date(Date.UTC(2026, 10, 21, 10, n / 100)).toISOString();
    await one.put(events, received.replace("Z", "000Z"));
  }
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge });
  await fill(desk, 0, turnsOfAll);
});
afterAll(() => desk.collector.close());

const facets = (query = "", name = "otto", on = desk): Promise<Facets> =>
  on.json<Facets>(`/traces/facets.json${query}`, as(name));
const countsOf = ({ facets: list }: Facets, key: string): Record<string, number> =>
  Object.fromEntries(
    list.find((one) => one.key === key)?.values.map(({ value, count }) => [value, count]) ?? [],
  );

test("every turn counts, not those of a page", async () => {
  const all = await facets();
  expect(all).toMatchObject({ turns: 600, complete: true });
  expect(all.pending_frames).toBe(0);
  expect(countsOf(all, "user")).toEqual({ alice: 400, bob: 200 });
  expect(countsOf(all, "agent")).toMatchObject({ helper: 588, "rare-0": 1, "rare-550": 1 });
  expect(all.facets.find(({ key }) => key === "agent")?.total).toBe(13);
  expect(countsOf(all, "tool")).toEqual({ search: 600 });
});

test("turns are counted by deployment environment, those without one under no value", async () => {
  const all = await facets();
  expect(all.facets.find(({ key }) => key === "env")).toEqual({
    key: "env",
    name: "Environment",
    values: [
      { value: "production", count: 150 },
      { value: "staging", count: 150 },
    ],
    total: 2,
  });
  expect(countsOf(await facets("?q=env:staging%20-user:bob"), "env")).toEqual({ staging: 100 });
  expect(countsOf(await facets("?q=-env:staging"), "env")).toEqual({ production: 150 });
});

test.each([
  ["?q=env%3Astaging", 150],
  // Turns without an environment pass its negation, as those without a release do.
  ["?q=-env%3Astaging", 450],
  ["?q=-env%3Astaging%20-env%3Aproduction", 300],
  ["?q=-release%3A1.0", 600],
  ["?user_id=bob", 200],
  // A tool failed in them; the turns themselves did not.
  ["?status=error", 0],
  ["?agent_id=helper", 588],
  ["?start_time=2026-11-20T00:10:00Z&end_time=2026-11-20T00:20:00Z", 10],
  ["?verdict=unjudged", 600],
  ["?verdict=success", 0],
  ["?q=has%3Aerror", 60],
  ["?q=-agent%3Ahelper", 12],
])("%s counts the turns that pass: %i", async (query, turns) => {
  const some = await facets(query);
  expect(some).toMatchObject({ turns, complete: true });
  const list = await desk.json<{ items: unknown[] }>(
    `/traces/turns.json${query}&limit=1000`,
    as("otto"),
  );
  expect(list.items).toHaveLength(turns);
  for (const { values } of some.facets) {
    for (const { count } of values) expect(count).toBeLessThanOrEqual(turns);
  }
});

test("each turn has one status: the facet, the filter and the rows have the same counts", async () => {
  const some = "end_time=2026-11-20T04:00:00Z";
  for (const query of [`?${some}`, `?${some}&q=has%3Aerror`]) {
    const all = await facets(query);
    const statuses = countsOf(all, "status");
    expect(Object.values(statuses).reduce((sum, turns) => sum + turns, 0)).toBe(all.turns);
    const { items } = await desk.json<{ items: { status: string }[] }>(
      `/traces/turns.json${query}&limit=1000`,
      as("otto"),
    );
    const rows = Map.groupBy(items, ({ status }) => status);
    expect(statuses).toEqual(
      Object.fromEntries([...rows].map(([status, { length }]) => [status, length])),
    );
  }
});

test("the built-in views depend on the chosen range alone, which they keep", async () => {
  const views = async (query: string): Promise<readonly string[]> => {
    const headers = { ...as("otto"), accept: "text/html" };
    const html = await (await desk.get(`/traces${query}`, headers)).text();
    const [, list = ""] = /data-view-list[^>]*>(.*?)<\/ul>/s.exec(html) ?? [];
    return [...list.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(
      ([, href = "", name = ""]) =>
        `${name} ${new URL(href.replaceAll("&amp;", "&"), "http://x").search}`,
    );
  };
  const plain = await views("");
  expect(plain).toContain("Over 10 s ?q=latency%3A%3E10s");
  for (const query of ["?limit=250", "?sort=duration_ms", "?agent_id=helper"]) {
    expect(await views(query)).toEqual(plain);
  }
  const from = "start_time=2026-11-20T00%3A00%3A00Z";
  expect(await views(`?${from}`)).toEqual(plain.map((view) => `${view}&${from}`));
});

test("a tenant's facets hold nothing of another's, whoever asked before", async () => {
  await facets();
  const own = await facets("", "alice");
  expect(own.turns).toBe(400);
  expect(JSON.stringify(own)).not.toContain("bob");
  expect((await desk.get("/traces/facets.json?user_id=bob", as("alice"))).status).toBe(403);
});

test("what belongs to a page is no parameter, and a term that is none is refused", async () => {
  for (const query of ["cursor=x", "limit=10", "q=latency:soon"]) {
    expect((await desk.get(`/traces/facets.json?${query}`, as("otto"))).status).toBe(400);
  }
});

test("a history of any length is counted whole", async () => {
  const large = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge });
  await fill(large, 0, 2_600);
  const all = await facets("", "otto", large);
  expect(all).toMatchObject({ turns: 2_600, complete: true });
  expect(countsOf(all, "user")).toEqual({ alice: 1_733, bob: 867 });
  expect((await facets("?q=has%3Aerror", "otto", large)).turns).toBe(260);
  await large.collector.close();
});

test("the number beside a value is that of the turns which the list shows under it", async () => {
  const parameters: Record<string, string> = { agent: "agent_id", app: "application_id" };
  const all = await facets("?end_time=2026-11-20T04:00:00Z");
  for (const { key, values } of all.facets) {
    for (const { value, count } of values) {
      const term = encodeURIComponent(`${key}:${value}`);
      const query = parameters[key] === undefined ? `q=${term}` : `${parameters[key]}=${value}`;
      const path = `/traces/turns.json?end_time=2026-11-20T04:00:00Z&limit=1000&${query}`;
      const { items } = await desk.json<{ items: unknown[] }>(path, as("otto"));
      expect([key, value, items.length]).toEqual([key, value, count]);
    }
  }
});
