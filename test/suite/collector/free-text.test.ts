/**
 * @module Free text in the filter bar over HTTP: a word without a key finds turns by an id, whole,
 * by a part of a thread's id, and by readable names and findings, in part; the list and every count
 * agree, inside the scope.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { allTenants } from "@turnproof/store/testing";

import { ruleQuery } from "../../../collector/src/alerts/rule-query.ts";
import { namedValues } from "../../../collector/src/pages/find/named-values.ts";
import type { FindModel } from "../../../collector/src/pages/find/route.ts";
import type { GateModel } from "../../../collector/src/pages/gate/route.ts";
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

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: { quietMs: 1e15 } });
  for (const [root, agent, user] of [
    ["root-1", "order-desk", "alice"],
    ["root-2", "Order-Returns", "bob"],
    ["root-3", "reader", "alice"],
    ["root-4", "reader", "bob"],
  ] as const) {
    await desk.put(turnEvents({ root, agent, user, thread: `thread-${user}` }));
  }
  await judgeTurns(desk.store, ["root-4"], {
    verdict: "partial",
    finding_codes: ["delivery_unconfirmed"],
  });
});
afterAll(() => desk.collector.close());

async function found(q: string, who = "otto"): Promise<readonly string[]> {
  const query = `q=${encodeURIComponent(q)}`;
  const { items } = await desk.json<{ items: { root_trace_id: string }[] }>(
    `/traces/turns.json?${query}`,
    as(who),
  );
  const { turns } = await desk.json<{ turns: number }>(`/traces/facets.json?${query}`, as(who));
  expect(turns).toBe(items.length);
  return items.map(({ root_trace_id: root }) => root).toSorted();
}

test.each([
  ["order", ["root-1", "root-2"]],
  ["ORDER-RET", ["root-2"]],
  ["-order", ["root-3", "root-4"]],
  ["order -user:bob", ["root-1"]],
  ["root-3", ["root-3"]],
  ["root-", []],
  ["root-3-turn", ["root-3"]],
  ["root-3-run", ["root-3"]],
  ["thread-bob", ["root-2", "root-4"]],
  ["bob", ["root-2", "root-4"]],
  ["read-ALI", ["root-1", "root-3"]],
  ["-read-ali", ["root-2", "root-4"]],
  ["unconfirmed", ["root-4"]],
  ["reader unconfirmed", ["root-4"]],
  ['"order desk"', []],
])("%s finds %j", async (q, roots) => {
  expect(await found(q)).toEqual(roots);
});

test("a rule of alerts and a side of a gate read a word as the list does", async () => {
  const { ledger } = desk.store;
  const rule = { where: "ORDER-RET" } as Parameters<typeof ruleQuery>[1];
  expect(await ledger.countTurns(await ruleQuery(ledger, rule))).toBe(1);
  const gate = "/traces/compare/gate.json?baseline=order&candidate=-order";
  const { read } = await desk.json<GateModel>(gate, as("otto"));
  expect(read).toEqual({ baseline: 2, candidate: 2 });
});

test("a tenant's operator finds names of its own turns only", async () => {
  expect(await found("order", "alice")).toEqual(["root-1"]);
  expect(await found("bob", "alice")).toEqual([]);
  expect(await found("root-4", "alice")).toEqual([]);
});

test("a page marks the wrong word with its reason, and answers the rest", async () => {
  const page = await desk.get("/traces?q=reader%20verdict:good%20latency:soon", {
    accept: "text/html",
    ...as("otto"),
  });
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toContain("<mark>verdict:good</mark>");
  expect(html).toContain("verdict: is one of success, partial, failed, unknown, unjudged");
  expect(html).toContain("<mark>latency:soon</mark>");
  expect(html).toContain('aria-invalid="true"');
  expect(html).toContain('value="reader verdict:good latency:soon"');
  expect([...html.matchAll(/<tr data-key/g)]).toHaveLength(2);
});

test("columns and density are in the address, and a cursor serves any of them", async () => {
  const html = await (
    await desk.get("/traces?hide=memory,cache,nonsense&rows=dense&limit=1", {
      accept: "text/html",
      ...as("otto"),
    })
  ).text();
  expect(html).toContain('class="grid turn-table hide-memory hide-cache dense-rows"');
  expect(html).toContain("/traces?hide=cache&amp;rows=dense&amp;limit=1");
  const { next_cursor: cursor } = await desk.json<{ next_cursor: string }>(
    "/traces/turns.json?limit=1&hide=memory",
    as("otto"),
  );
  const next = `/traces/turns.json?limit=1&rows=dense&cursor=${encodeURIComponent(cursor)}`;
  expect((await desk.get(next, as("otto"))).status).toBe(200);
});

test("a list without a match states what free text searches, and leads to Find", async () => {
  const read = async (q: string): Promise<string> => {
    const headers = { accept: "text/html", ...as("otto") };
    return (await desk.get(`/traces?q=${encodeURIComponent(q)}`, headers)).text();
  };
  const text = await read("ddaf95f2");
  expect(text).toContain("with a part of the id of its thread or agent");
  expect(text).toMatch(/href="\/traces\/find\?id=ddaf95f2">Search ids and events for “ddaf95f2”</);
  expect(await read("agent:nobody")).not.toContain("Search ids and events");
});

test("the beginning of a trace's id finds its turns, in the list and in Find", async () => {
  const root = "4bf92f3577b34da6a3ce929d0e0e4736";
  await desk.put(turnEvents({ root, agent: "tracer", user: "alice", thread: "thread-trace" }));
  for (const text of [root, "4bf92f35", "4BF92F3577B34", `4bf92f35 agent:tracer`]) {
    expect(await found(text)).toEqual([root]);
  }
  expect(await found("4bf92f35", "alice")).toEqual([root]);
  // Too short, in the middle, or of another trace.
  for (const text of ["4bf92f3", "2f3577b3", "4bf92f36"]) expect(await found(text)).toEqual([]);
  const { named } = await desk.json<FindModel>("/traces/find.json?id=4bf92f35", as("otto"));
  expect(named.find(({ key }) => key === "root")).toMatchObject({ value: root, turns: 1 });
  // The store compares the ids of every turn, however many there are.
  const many = { ...desk.store.ledger, countTurns: () => Promise.resolve(900_000) };
  const of = { scope: allTenants, where: [] };
  const { named: begun, not_compared } = await namedValues(many, of, "4BF92F35");
  expect(begun.map(({ key }) => key).toSorted()).toEqual(["root", "run", "turn"]);
  expect(not_compared).toEqual([]);
  expect((await namedValues(many, of, `${root.slice(20)}-ru`)).named).toMatchObject([
    { key: "run", value: `${root}-run`, turns: 1 },
  ]);
});
