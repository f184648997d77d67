/**
 * @module Tools over HTTP: every rate and percentile equals a count of the events that were put in,
 * by each field and over time, and a cell leads to exactly the turns with such a call.
 */
import type { TurnEvent, TurnRow } from "@turnproof/evidence";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Row {
  readonly value: string | null;
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly duration_unknown: number;
  readonly slices: readonly {
    readonly from_ms: number;
    readonly calls: number;
    readonly failed: number;
    readonly p95_ms: number | null;
  }[];
}
interface Tools {
  readonly turns_counted: number;
  readonly total: Row;
  readonly slices: Row["slices"];
  readonly items: readonly Row[];
  readonly frame: { readonly from_ms: number; readonly step_ms: number; readonly size: number };
}

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});

/** One call as it was put in. */
interface Put {
  readonly turn: string;
  readonly user: string;
  readonly agent: string;
  readonly release: string;
  readonly atMs: number;
  readonly name: string | null;
  readonly provider: string | null;
  readonly outcome: string;
  readonly ms: number | null;
}

const outcomes = ["success", "empty", "degraded", "fallback", "provider_error", "error"] as const;
const firstMs = Date.UTC(2026, 10, 20);
const put: readonly Put[] = Array.from({ length: 240 }, (_, n) => ({
  turn: `root-${Math.floor(n / 2)}`,
  user: Math.floor(n / 2) % 3 === 0 ? "bob" : "alice",
  agent: Math.floor(n / 2) % 2 === 0 ? "desk" : "shop",
  release: n < 140 ? "1.0.0" : "1.1.0",
  atMs: firstMs + Math.floor(n / 2) * 60_000,
  name: n % 7 === 0 ? null : ["search", "order:cancel", "mail it"][n % 3]!,
  provider: n % 4 === 0 ? null : n % 2 === 0 ? "acme" : "b:c",
  outcome: outcomes[(n * n + Math.floor(n / 11)) % outcomes.length]!,
  ms: n % 10 === 3 ? null : ((n * 37) % 101) + 0.5,
}));

function eventsOf(turn: string): TurnEvent[] {
  const calls = put.filter((one) => one.turn === turn);
  const [{ user, agent, release, atMs }] = calls as [Put, ...Put[]];
  const [whole, ...others] = turnEvents({
    root: turn,
    user,
    agent,
    thread: `thr-${user}`,
    at: new Date(atMs).toISOString(),
  });
  const tool = others.find(({ event_kind: kind }) => kind === "tool_call") as TurnEvent;
  return [
    { ...(whole as TurnEvent), attributes: { service_version: release } },
    ...calls.map(({ name, provider, outcome, ms }, nth): TurnEvent => {
      const { duration_ms: _ms, ...rest } = tool;
      return {
        ...rest,
        event_id: `${turn}-tool-${nth}`,
        span_id: `${turn}-${nth}`,
        status: outcome.endsWith("error") ? "error" : "success",
        ...(ms === null ? {} : { duration_ms: ms }),
        attributes: {
          tool_outcome: outcome,
          ...(name === null ? {} : { tool_name: name }),
          ...(provider === null ? {} : { tool_provider: provider }),
        },
      };
    }),
  ];
}

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts });
  await desk.put([...new Set(put.map(({ turn }) => turn))].flatMap(eventsOf));
});
afterAll(() => desk.collector.close());

const request = (query: string, name = "otto"): Promise<Tools> =>
  desk.json<Tools>(`/tools.json${query}`, as(name));

/** Nearest rank: the least value that the share of them does not exceed. */
function rank(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.find((_, at) => (at + 1) / sorted.length >= share - 1e-12) ?? null;
}

function countedOf(calls: readonly Put[]): object {
  const known = calls.flatMap(({ ms }) => ms ?? []);
  const counts: Record<string, number> = {};
  for (const { outcome } of calls) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return {
    calls: calls.length,
    outcomes: counts,
    p50_ms: rank(known, 0.5),
    p95_ms: rank(known, 0.95),
    p99_ms: rank(known, 0.99),
    duration_unknown: calls.length - known.length,
  };
}

describe.each([
  ["name", (one: Put) => one.name],
  ["provider", (one: Put) => one.provider],
  ["release", (one: Put) => one.release],
  ["agent", (one: Put) => one.agent],
] as const)("by %s", (by, valueOf) => {
  test.each(["otto", "alice"])("what %s reads is what was put in", async (reader) => {
    const own = put.filter(({ user }) => reader === "otto" || user === reader);
    const answer = await request(`?by=${by}`, reader);
    expect(answer.turns_counted).toBe(new Set(own.map(({ turn }) => turn)).size);
    expect(answer.total).toEqual(countedOf(own));
    const groups = Map.groupBy(own, valueOf);
    expect(new Set(answer.items.map(({ value }) => value))).toEqual(new Set(groups.keys()));
    expect(answer.items).toHaveLength(groups.size);
    // The chart above the rows counts each call once, whatever the rows are.
    const { slices: all } = answer;
    const rows = [...answer.items, { value: undefined, slices: all, ...countedOf(own) }];
    for (const { value, slices, ...figures } of rows) {
      const calls = value === undefined ? own : (groups.get(value) ?? []);
      expect([value, figures]).toEqual([value, countedOf(calls)]);
      const { from_ms: from, step_ms: step, size } = answer.frame;
      const drawn = slices.map((slice) => [slice.from_ms, slice.calls, slice.failed]);
      const endMs = (one: Put): number => one.atMs;
      const wanted = Array.from({ length: size }, (_, at) => from + at * step).flatMap((start) => {
        const within = calls.filter((one) => endMs(one) >= start && endMs(one) < start + step);
        const failed = within.filter(({ outcome }) => outcome.endsWith("error")).length;
        return within.length === 0 ? [] : [[start, within.length, failed]];
      });
      expect(drawn.reduce((sum, [, count = 0]) => sum + count, 0)).toBe(calls.length);
      expect(drawn).toEqual(wanted);
    }
  });
});

/** Turns that the list has under a term. */
async function turnsOf(term: string): Promise<readonly string[]> {
  const query = `q=${encodeURIComponent(term)}&limit=1000`;
  const { items } = await desk.json<{ items: TurnRow[] }>(
    `/traces/turns.json?${query}`,
    as("otto"),
  );
  return items.map(({ root_trace_id: root = "" }) => root).toSorted();
}

test("every cell of the page leads to the turns with such a call", async () => {
  const cells: Readonly<Record<string, (one: Put, value: string | null) => boolean>> = {
    name: (one, value) => one.name === value,
    provider: (one, value) => one.provider === value,
    release: (one, value) => one.release === value,
    agent: (one, value) => one.agent === value,
  };
  let followed = 0;
  for (const [by, is] of Object.entries(cells)) {
    const page = await (
      await desk.get(`/tools?by=${by}`, { ...as("otto"), accept: "text/html" })
    ).text();
    const links = [
      ...page.matchAll(/href="\/traces\?([^"]*)" title="(\d+) of (\d+) (\w+): their turns"/g),
    ];
    for (const [, query = "", count, , word = ""] of links) {
      const requested = new URLSearchParams(query.replaceAll("&amp;", "&"));
      const { items } = await desk.json<{ items: TurnRow[] }>(
        `/traces/turns.json?${requested}&limit=1000`,
        as("otto"),
      );
      const such = put.filter(({ outcome }) =>
        word === "failed" ? outcome.endsWith("error") : outcome === word,
      );
      const groups = [...new Set(put.map((one) => one[by as keyof Put] as string | null))];
      const wanted = groups.map((value) => such.filter((one) => is(one, value)));
      const turns = items.map(({ root_trace_id: root = "" }) => root).toSorted();
      const found = wanted.filter(
        (calls) =>
          calls.length === Number(count) &&
          JSON.stringify([...new Set(calls.map(({ turn }) => turn))].toSorted()) ===
            JSON.stringify(turns),
      );
      expect([by, requested.toString(), found.length]).toEqual([
        by,
        requested.toString(),
        expect.any(Number),
      ]);
      expect(found.length).toBeGreaterThan(0);
      followed += 1;
    }
  }
  expect(followed).toBeGreaterThan(30);
});

test("a call is meant with all of its values, and a negated term is its complement", async () => {
  const all = await turnsOf("");
  for (const [term, is] of [
    ["call:tool:search:failed", (one: Put) => one.name === "search" && /error/.test(one.outcome)],
    ["call:tool:order:cancel:*", (one: Put) => one.name === "order:cancel"],
    ['call:"tool:mail it:empty"', (one: Put) => one.name === "mail it" && one.outcome === "empty"],
    ["call:tool::*", (one: Put) => one.name === null],
    [
      "call:tool@acme:*:fallback",
      (one: Put) => one.provider === "acme" && one.outcome === "fallback",
    ],
    ["call:tool:*:unknown", () => false],
  ] as const) {
    const wanted = [...new Set(put.filter(is).map(({ turn }) => turn))].toSorted();
    expect([term, await turnsOf(term)]).toEqual([term, wanted]);
    const others = all.filter((turn) => !wanted.includes(turn));
    expect([term, await turnsOf(`-${term}`)]).toEqual([term, others]);
  }
});

test("rows sort by a share or a percentile; unknown values come last", async () => {
  const p95 = (await request("?sort=p95_ms&order=ascending")).items.map(
    (row) => row.p95_ms ?? Infinity,
  );
  expect(p95).toEqual(p95.toSorted((a, b) => a - b));
  const share = (await request("?sort=failed")).items.map(
    ({ outcomes: of, calls }) => ((of["error"] ?? 0) + (of["provider_error"] ?? 0)) / calls,
  );
  expect(share).toEqual(share.toSorted((a, b) => b - a));
});

describe.each([
  ["a parameter", "tool_name=search", (one: Put) => one.name === "search"],
  ["a term", "q=tool:search", (one: Put) => one.name === "search"],
  ["a call", "q=call:tool:search:failed", (one: Put) => one.name === "search"],
  ["a provider", "q=call:tool@acme:*:*", (one: Put) => one.provider === "acme"],
  [
    "a tool of a provider",
    "q=call:tool@acme:search:*",
    (one: Put) => one.name === "search" && one.provider === "acme",
  ],
] as const)("figures of the calls that %s names", (_case, query, is) => {
  const failedOnly = query.endsWith(":failed");
  const turns = new Set(
    put
      .filter((one) => is(one) && (!failedOnly || one.outcome.endsWith("error")))
      .map(({ turn }) => turn),
  );
  const own = put.filter((one) => is(one) && turns.has(one.turn));

  test.each(["name", "provider", "release", "agent"] as const)("by %s", async (by) => {
    const answer = await request(`?by=${by}&${query}`);
    expect(answer.turns_counted).toBe(turns.size);
    expect(answer.total).toEqual(countedOf(own));
    const groups = Map.groupBy(own, (one) => one[by]);
    expect(new Set(answer.items.map(({ value }) => value))).toEqual(new Set(groups.keys()));
    for (const { value, slices, ...figures } of answer.items) {
      expect([value, figures]).toEqual([value, countedOf(groups.get(value) ?? [])]);
      const drawn = slices.reduce((sum, { calls }) => sum + calls, 0);
      expect(drawn).toBe(figures.calls);
    }
    const { from_ms: from, step_ms: step } = answer.frame;
    const times = answer.slices.map(({ from_ms: start, p95_ms: ms }) => [start, ms]);
    const wanted = Map.groupBy(own, ({ atMs }) => from + Math.floor((atMs - from) / step) * step);
    expect(times).toEqual(
      [...wanted].map(([start, calls]) => [
        start,
        rank(
          calls.flatMap(({ ms }) => ms ?? []),
          0.95,
        ),
      ]),
    );
  });
});

test("figures are of all calls where a filter names several tools, none, or one that is no tool", async () => {
  for (const [query, is] of [
    ["tool_name=search&q=tool:order:cancel", () => true],
    ["q=tool:search,%22mail%20it%22", () => true],
    ["q=call:tool:search:failed,tool:order:cancel:*", () => true],
    ["q=-tool:search", () => true],
    ["q=model:none", () => false],
  ] as const) {
    const answer = await request(`?${query}`);
    expect((answer as { selected?: unknown }).selected).toBeNull();
    const listed = answer.items.reduce((sum, { calls }) => sum + calls, 0);
    expect(listed).toBe(answer.total.calls);
    expect(listed > 0).toBe(is());
  }
});

test("the page says which calls its figures are of, and a row leads to its own chart", async () => {
  const page = async (query: string): Promise<string> =>
    (await desk.get(`/tools?${query}`, { ...as("otto"), accept: "text/html" })).text();
  const all = await page("");
  expect(all).not.toContain("data-selected");
  const links = [...all.matchAll(/href="([^"]+)" title="(p95 over time[^"]+)" data-over-time/g)];
  expect(links.map(([, href, title]) => [href, title])).toContainEqual([
    "/tools?tool_name=search",
    expect.stringMatching(/^p95 over time, [\d.]+ ms to [\d.]+ ms: the chart of search$/),
  ]);
  expect(all).toMatch(/aria-label="up to \d+ calls in an interval, p95 up to [\d.]+ ms"/);
  const one = await page("tool_name=search");
  const calls = put.filter(({ name }) => name === "search").length;
  expect(one).toContain("Only calls of search, in the turns that the filter selects.");
  expect(one).toContain(`${calls} calls of search`);
  expect(one).not.toContain("data-over-time");
  const several = await page("tool_name=search&q=tool:order:cancel");
  expect(several).toContain("These are all tool calls of these turns; each row has its own");
});
