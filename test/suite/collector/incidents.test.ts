/**
 * Incidents over HTTP: every turn that went wrong is in one incident, under its most urgent cause;
 * the terms of an incident list exactly its turns; a tenant sees its own. And names by free text.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import type { FindModel } from "../../../collector/src/pages/find/route.ts";
import type { IncidentsModel } from "../../../collector/src/pages/incidents/route.ts";
import { judgeTurns, openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

let desk: Desk;

interface Planned {
  readonly n: number;
  readonly minute: number;
  readonly agent: string;
  readonly user: string;
  readonly tool: "success" | "error" | "fallback";
  readonly codes: readonly string[];
}

const urgent = "delivery_missing";
const note = "source_state_unknown";

/** A day with two bursts of one finding, a broken tool, a fallback, and quiet turns. */
const plan: readonly Planned[] = Array.from({ length: 96 }, (_, n) => {
  const minute = n * 15;
  const burst = (n >= 8 && n < 14) || (n >= 70 && n < 73);
  return {
    n,
    minute,
    agent: n % 2 === 0 || burst ? "desk" : "clerk",
    user: n % 3 === 0 ? "alice" : "bob",
    // Turns of the burst have a broken tool as well: they count once.
    tool: burst || (n >= 30 && n < 36) ? "error" : n >= 50 && n < 54 ? "fallback" : "success",
    codes: burst ? [urgent] : [],
  } as const;
});

function eventsOf({ n, minute, agent, user, tool }: Planned): ReturnType<typeof turnEvents> {
  const at = new Date(Date.UTC(2026, 10, 20, 0, minute)).toISOString();
  return turnEvents({ root: `root-${n}`, at, user, agent, thread: `thr-${n}` }).map((event) => ({
    ...event,
    ...(event.event_kind === "tool_call"
      ? {
          status: tool === "error" ? ("error" as const) : ("success" as const),
          attributes: {
            tool_name: "search_policies",
            tool_outcome: tool,
            ...(tool === "error" ? { error_type: "TimeoutError" } : {}),
          },
        }
      : { attributes: { ...event.attributes, service_version: n < 20 ? "1.0.0" : "2.0.0" } }),
  }));
}

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: false });
  await desk.put(plan.flatMap(eventsOf));
  const roots = (some: readonly Planned[]): string[] => some.map(({ n }) => `root-${n}`);
  const found = plan.filter(({ codes }) => codes.length > 0);
  await judgeTurns(desk.store, roots(found), {
    verdict: "failed",
    finding_codes: [note, urgent],
  });
});
afterAll(() => desk.collector.close());

const request = (query = "", name = "otto"): Promise<IncidentsModel> =>
  desk.json<IncidentsModel>(`/traces/incidents.json${query}`, as(name));

test("each cause, agent and burst is one incident, and each turn is in one", async () => {
  const { items, ...model } = await request();
  const wrong = plan.filter(({ tool, codes }) => tool !== "success" || codes.length > 0);
  expect(model).toMatchObject({ turns: 96, turns_wrong: wrong.length, turns_left: 0 });
  expect(items.map(({ kind, name, agent_id: agent, turns }) => [kind, name, agent, turns])).toEqual(
    expect.arrayContaining([
      ["finding", urgent, "desk", 6],
      ["finding", urgent, "desk", 3],
      ["failed_call", "search_policies", "desk", 3],
      ["failed_call", "search_policies", "clerk", 3],
      ["limited_call", "search_policies", null, 4],
    ]),
  );
  expect(items).toHaveLength(5);
  // Two turns of each of two agents are one row.
  expect(items.map(({ scattered, agents }) => [scattered, agents])).toEqual([
    ...Array.from({ length: 4 }, () => [false, 1]),
    [true, 2],
  ]);
  const [first] = items;
  expect(first).toMatchObject({
    kind: "finding",
    turns: 6,
    first_at: "2026-11-20T02:00:00.000Z",
    last_at: "2026-11-20T03:15:00.000Z",
    tenants: 2,
    releases: [{ release: "1.0.0", turns: 6 }],
    call_failed: { kind: "tool", name: "search_policies", error_type: "TimeoutError", calls: 6 },
  });
  const { slices } = model;
  const { from_ms: from = 0, step_ms: step = 1 } = model.frame ?? {};
  const drawn = Map.groupBy(plan, ({ minute }) =>
    Math.floor((Date.UTC(2026, 10, 20, 0, minute) - from) / step),
  );
  expect(slices).toEqual(
    [...drawn].map(([slot, turns]) => ({
      from_ms: from + slot * step,
      turns: turns.length,
      turns_wrong: turns.filter((turn) => wrong.includes(turn)).length,
    })),
  );
  const priorities = items.map(({ priority }) => priority);
  expect(priorities).toEqual(priorities.toSorted((a, b) => a - b));
});

test("the terms of an incident list exactly its turns, and its typical turn is one of them", async () => {
  for (const { items } of [await request(), await request("?user_id=alice")]) {
    for (const { q, q_turns: listed, turns, typical } of items) {
      expect(listed).toBe(turns);
      const query = new URLSearchParams({ q: q ?? "", limit: "1000" });
      const all = await desk.json<{ items: { root_trace_id: string; user_id: string }[] }>(
        `/traces/turns.json?${query}${items.length === 5 ? "" : "&user_id=alice"}`,
        as("otto"),
      );
      expect([q, all.items.length]).toEqual([q, turns]);
      expect(all.items.map(({ root_trace_id: root }) => root)).toContain(typical?.root_trace_id);
    }
  }
});

test("a range, a filter and a tenant narrow them; nothing wrong is an empty list", async () => {
  const range = "?start_time=2026-11-20T07:00:00Z&end_time=2026-11-20T09:15:00Z";
  const { items } = await request(range);
  expect(items.map(({ kind }) => kind)).toEqual(["failed_call", "failed_call"]);
  const own = await request("", "alice");
  const wrong = plan.filter(({ user, tool }) => user === "alice" && tool !== "success");
  expect(own).toMatchObject({ turns: 32, turns_wrong: wrong.length });
  expect(own.items.every(({ tenants }) => tenants === 1)).toBe(true);
  expect((await desk.get("/traces/incidents.json?user_id=bob", as("alice"))).status).toBe(403);
  const none = await request("?end_time=2026-11-20T01:00:00Z");
  expect(none).toMatchObject({ turns: 4, turns_wrong: 0, items: [] });
  expect(await request("?agent_id=nobody")).toMatchObject({ turns: 0, items: [], frame: null });
});

test("the order is priority, then turns, as the page says; single turns share a row, and a next page has the rest", async () => {
  const many = await openDesk({}, { judge: false });
  const turn = (more: Partial<Planned>, n: number): Planned => ({
    n,
    minute: 0,
    agent: "desk",
    user: "bob",
    tool: "error",
    codes: [],
    ...more,
  });
  const planned = [
    ...Array.from({ length: 9 }, (_, nth) => ({ minute: nth, tool: "fallback" as const })),
    { minute: 600, agent: "single", codes: [urgent], tool: "success" as const },
    // Twenty-five agents whose turns fail together, and turns that fail alone.
    ...Array.from({ length: 75 }, (_, nth) => ({ minute: nth, agent: `agent-${nth % 25}` })),
    ...Array.from({ length: 8 }, (_, nth) => ({ minute: 900 + nth * 130, agent: "alone" })),
  ].map(turn);
  await many.put(planned.flatMap(eventsOf));
  await judgeTurns(many.store, ["root-9"], { verdict: "failed", finding_codes: [urgent] });
  const first = await many.json<IncidentsModel>("/traces/incidents.json");
  const { skipped, incidents, turns_left: left, turns_wrong: wrong } = first;
  const rest = await many.json<IncidentsModel>("/traces/incidents.json?skip=25");
  const rows = [...first.items, ...rest.items];
  expect({ skipped, incidents, wrong, listed: rows.length }).toEqual({
    skipped: 0,
    incidents: 28,
    wrong: 93,
    listed: 28,
  });
  expect(first.items).toHaveLength(25);
  expect(left).toBe(rest.items.reduce((sum, { turns }) => sum + turns, 0));
  // One turn of the first priority is above eight of the second, and these above nine of the third.
  expect(rows[0]).toMatchObject({ kind: "finding", name: urgent, turns: 1 });
  expect(rows[1]).toMatchObject({ kind: "failed_call", turns: 8, scattered: true });
  expect(rows[2]).toMatchObject({ kind: "failed_call", turns: 3, scattered: false });
  expect(rows.at(-1)).toMatchObject({ kind: "limited_call", turns: 9, scattered: false });
  const orders = rows.map(({ priority, turns }) => [priority, -turns] as const);
  expect(orders).toEqual(orders.toSorted(([a, x], [b, y]) => a - b || x - y));
  const page = await (await many.get("/traces/incidents")).text();
  expect(page).toContain("skip=25");
  expect(page).toContain("1 to 25 of 28, by priority, then turns");
  expect(page).toContain("P0 first; in each priority, the incident with the most turns first.");
  expect(page).toMatch(/Scattered turns of one\s+cause are one row: at most two of an agent/);
  expect(page.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ")).toContain(
    `Next: 3 with ${left} turns`,
  );
  await many.collector.close();
});

test("turns whose evidence is lost are one incident, and their rows have a word for it", async () => {
  const lost = await openDesk({}, { judge: false });
  const planned = Array.from({ length: 6 }, (_, n): Planned => {
    const tool = n === 5 ? "error" : "success";
    return { n, minute: n * 200, agent: `agent-${n % 2}`, user: "bob", tool, codes: [] };
  });
  await lost.put(planned.flatMap(eventsOf));
  const roots = planned.slice(1).map(({ n }) => `root-${n}`);
  await judgeTurns(lost.store, roots, { verdict: "partial", finding_codes: [] });
  const { items, turns_wrong: wrong } = await lost.json<IncidentsModel>("/traces/incidents.json");
  expect(wrong).toBe(5);
  expect(items.map(({ kind, turns, agents }) => [kind, turns, agents])).toEqual([
    ["failed_call", 1, 1],
    ["evidence", 4, 2],
  ]);
  for (const { q, q_turns: listed, turns } of items) {
    const query = new URLSearchParams({ q: q ?? "" });
    const list = await lost.json<{ turns: number }>(`/traces/trend.json?${query}`);
    expect([q, listed, list.turns]).toEqual([q, turns, turns]);
  }
  const page = await (await lost.get("/traces", { accept: "text/html" })).text();
  expect(page.match(/>\s*incomplete\s*</g)).toHaveLength(5);
  await lost.collector.close();
});

test("a row whose link lists further turns of its cause has both numbers", async () => {
  const scattered = await openDesk({}, { judge: false });
  const planned = [
    { minute: 0, agent: "one" },
    { minute: 900, agent: "two" },
    // These three fail together, between the others.
    ...Array.from({ length: 3 }, (_, nth) => ({ minute: 300 + nth, agent: "burst" })),
  ].map((own, n): Planned => ({ n, user: "bob", tool: "error", codes: [], ...own }));
  await scattered.put(planned.flatMap(eventsOf));
  const { items } = await scattered.json<IncidentsModel>("/traces/incidents.json");
  expect(items.map(({ turns, q_turns: listed }) => [turns, listed])).toEqual([
    [3, 3],
    [2, 5],
  ]);
  const page = await (await scattered.get("/traces/incidents")).text();
  const stated = [...page.matchAll(/data-listed[^>]*>([^<]*)</g)].map(([, text]) => text?.trim());
  expect(stated).toEqual(["The link lists 5 turns, those of other rows included."]);
  await scattered.collector.close();
});

test("a part of a name finds readable values with their turns, in scope", async () => {
  const find = (text: string, name = "otto"): Promise<FindModel> =>
    desk.json<FindModel>(`/traces/find.json?id=${encodeURIComponent(text)}`, as(name));
  expect((await find("POLICIES")).named).toEqual([
    {
      key: "tool",
      name: "Tool",
      value: "search_policies",
      words: "search_policies",
      turns: 96,
    },
  ]);
  expect((await find("delivery miss")).named).toMatchObject([{ key: "finding", turns: 9 }]);
  const desks = plan.filter(({ agent, user }) => agent === "desk" && user === "alice");
  expect((await find("des", "alice")).named).toContainEqual(
    expect.objectContaining({ key: "agent", value: "desk", turns: desks.length }),
  );
  // A whole id is found in the evidence; other ids with its text are listed beside it.
  const { named, named_total: all, not_compared: cut, items } = await find("thr-8");
  expect(items).toMatchObject([{ root_trace_id: "root-8" }]);
  expect(named.map(({ key, value }) => `${key} ${value}`)).toEqual(
    Array.from({ length: 10 }, (_, n) => `thread thr-8${n}`),
  );
  expect({ all, cut }).toEqual({ all: 10, cut: [] });
  expect((await find("oot-95-tu")).named).toEqual([
    { key: "turn", name: "Turn", value: "root-95-turn", words: "root-95-turn", turns: 1 },
  ]);
  expect((await find("95-run")).named).toMatchObject([{ key: "run", value: "root-95-run" }]);
  // Words in any order, whatever separates them in the name; of the caller's own turns alone.
  expect((await find("policies search")).named).toMatchObject([{ value: "search_policies" }]);
  const [own] = plan.filter(({ user }) => user === "bob");
  expect((await find(`oot-${own?.n}-tu`, "alice")).named).toEqual([]);
  const most = await find("root");
  expect([most.named.length, most.named_total]).toEqual([30, 96 * 3]);
  // The page shows the first; its files have all.
  const page = await (await desk.get("/traces/find?id=root", as("otto"))).text();
  for (const form of ["csv", "jsonl"] as const) {
    expect(page).toContain(`/traces/find/named.${form}?id=root"`);
    const file = await desk.get(`/traces/find/named.${form}?id=root`, as("otto"));
    const lines = (await file.text()).trim().split("\n");
    expect(lines).toHaveLength(96 * 3 + (form === "csv" ? 1 : 0));
    expect(JSON.stringify(lines.slice(-1))).toContain("root");
  }
  const others = await desk.get(`/traces/find/named.jsonl?id=oot-${own?.n}-tu`, as("alice"));
  expect(await others.text()).toBe("");
});
