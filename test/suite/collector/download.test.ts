/**
 * @module Downloads over HTTP: the turns of a filter and their events as CSV and JSON lines: the
 * same rows as the list, in its order, page by page, inside the scope, audited; a name that looks
 * like a formula stays text.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "csv-parse/sync";
import { afterAll, beforeAll, expect, test } from "vitest";

import type { TurnEvent } from "@turnproof/evidence";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const accounts = JSON.stringify({
  otto: { token: "otto-q7KxZt4Wm9Rc2Yd8", role: "viewer" },
  alice: { token: "alice-q7KxZt4Wm9Rc2Yd8", role: "viewer", user_id: "alice" },
});
const as = (name: string): Record<string, string> => ({
  authorization: `Bearer ${name}-q7KxZt4Wm9Rc2Yd8`,
});
const size = 1_203;
const formula = '=HYPERLINK("http://x","y")';

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk({ TURNPROOF_UI_ACCOUNTS: accounts }, { judge: { quietMs: 1e15 } });
  const turns = Array.from({ length: size }, (_, n) =>
    turnEvents({
      root: `root-${n}`,
      at: new Date(Date.UTC(2026, 10, 20, 0, 0, n)).toISOString(),
      user: n % 3 === 0 ? "alice" : "bob",
      agent: n === 7 ? formula : n === 9 ? "+1,2" : "desk",
    }),
  );
  // What went wrong, for the list of incidents.
  const failed = (turns[11] ?? []).map((event) =>
    event.event_kind === "tool_call"
      ? {
          ...event,
          status: "error" as const,
          attributes: { tool_name: "=cmd", tool_outcome: "error" },
        }
      : event,
  );
  await desk.put(turns.toSpliced(11, 1, failed).flat());
});
afterAll(() => desk.collector.close());

type Row = Record<string, string>;
const csv = async (path: string, who = "otto"): Promise<readonly Row[]> => {
  const response = await desk.get(path, as(who));
  expect(response.status).toBe(200);
  return parse(await response.text(), { columns: true });
};
const lines = async <T>(path: string, who = "otto"): Promise<readonly T[]> => {
  const text = await (await desk.get(path, as(who))).text();
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
};

const html = { accept: "text/html" };
const escaped = (href: string): string =>
  href.replaceAll(/[&]/g, "&amp;").replace(/(?<=time=.*):/g, "%3A");

test("every turn is exported once, as the list has it", async () => {
  const response = await desk.get("/traces/turns.jsonl?sort=ended_at", as("otto"));
  expect(response.headers.get("content-type")).toMatch(/^application\/jsonl/);
  expect(response.headers.get("content-disposition")).toMatch(
    /^attachment; filename="turns-\d{8}T\d{6}Z\.jsonl"$/,
  );
  const rows = (await response.text()).trimEnd().split("\n");
  expect(rows).toHaveLength(size);
  const { items } = await desk.json<{ items: readonly { root_trace_id: string }[] }>(
    "/traces/turns.json?sort=ended_at&limit=1000",
    as("otto"),
  );
  const root = (row: string): string =>
    (JSON.parse(row) as { root_trace_id: string }).root_trace_id;
  expect(rows.slice(0, 1_000).map(root)).toEqual(items.map(({ root_trace_id: id }) => id));
  const table = await csv("/traces/turns.csv?sort=ended_at&order=ascending");
  expect(table.map((row) => row["root_trace_id"])).toEqual(
    Array.from({ length: size }, (_, n) => `root-${n}`),
  );
  expect(table[0]).toMatchObject({ tool_results: "1", total_tokens: "15", verdict: "unjudged" });
});

test("the events are those of the turns of the filter", async () => {
  const filter = "q=-agent:desk&sort=ended_at&order=ascending";
  const events = await lines<{ event_id: string; agent_id: string }>(
    `/traces/spans.jsonl?${filter}`,
  );
  expect([...new Set(events.map(({ agent_id: agent }) => agent))]).toEqual([formula, "+1,2"]);
  const table = await csv(`/traces/spans.csv?${filter}`);
  expect(table.map((row) => row["event_id"])).toEqual(events.map(({ event_id: id }) => id));
  expect(events).toHaveLength(6);
});

test("a cell that looks like a formula is text in CSV, and unchanged in JSON", async () => {
  const text = await (await desk.get("/traces/turns.csv?q=-agent:desk", as("otto"))).text();
  expect(text).not.toMatch(/(^|,|")[=+@-][^,]/m);
  const names = (await csv("/traces/turns.csv?q=-agent:desk")).map((row) => row["agent_id"]);
  expect(new Set(names)).toEqual(new Set([`'${formula}`, "'+1,2"]));
  const rows = await lines<{ agent_id: string }>("/traces/turns.jsonl?q=-agent:desk");
  expect(new Set(rows.map((row) => row.agent_id))).toEqual(new Set([formula, "+1,2"]));
});

test("a tenant's operator exports its own turns, and filters are those of the list", async () => {
  const own = await csv("/traces/turns.csv", "alice");
  expect(new Set(own.map((row) => row["tenant"]))).toEqual(new Set(["id:alice"]));
  expect(own).toHaveLength(Math.ceil(size / 3));
  const spans = await lines<{ user_id: string }>("/traces/spans.jsonl?q=order", "alice");
  expect(spans).toEqual([]);
  expect((await desk.get("/traces/turns.csv?user_id=bob", as("alice"))).status).toBe(403);
  expect((await desk.get("/traces/turns.csv?q=latency:soon", as("otto"))).status).toBe(400);
  expect((await desk.get("/traces/turns.csv?limit=5", as("otto"))).status).toBe(400);
  expect((await desk.get("/traces/turns.csv")).status).toBe(401);
  const empty = await (await desk.get("/traces/turns.csv?agent_id=nobody", as("otto"))).text();
  expect(empty).toMatch(/^turn_key,[^\n]*,root_trace_id,[^\n]*\r\n$/);
});

test.each([
  ["/tools", "?sort=calls&by=agent", "items", "tools"],
  ["/cost", "?by=tenant", "items", "cost"],
  ["/traces/incidents", "", "items", "incidents"],
  ["/graph", "?user_id=bob", "edges", "connections"],
  ["/agents", "?start_time=2026-11-20T00:00:05Z", "items", "agents"],
  ["/threads", "?agent_id=desk", "items", "threads"],
])("the list of %s leaves as files with the rows of its JSON", async (path, query, rows, name) => {
  const model = await desk.json<Record<string, readonly Record<string, unknown>[]>>(
    `${path}.json${query}`,
    as("otto"),
  );
  const items = model[rows] ?? [];
  expect(items.length).toBeGreaterThan(0);
  const written = await lines<Record<string, unknown>>(`${path}.jsonl${query}`);
  // What is not in a row of this list is null in its file.
  const known = written.map((row) => Object.entries(row).filter(([, value]) => value !== null));
  const named = items.map((row) => Object.entries(row).filter(([, value]) => value !== null));
  expect(known.map((row) => Object.fromEntries(row))).toEqual(
    named.map((row) => Object.fromEntries(row)),
  );
  const table = await csv(`${path}.csv${query}`);
  expect(Object.keys(table[0] ?? {})).toEqual(Object.keys(written[0] ?? {}));
  expect(table).toHaveLength(items.length);
  for (const agent of table.map((row) => row["agent_id"] ?? row["value"] ?? "")) {
    expect(agent).not.toMatch(/^[=+@-]/);
  }
  const page = await (await desk.get(`${path}${query}`, { ...as("otto"), ...html })).text();
  const links = [...page.matchAll(/href="([^"]+)" download/g)].map(([, href = ""]) => href);
  expect(links).toEqual([`${path}.csv${query}`, `${path}.jsonl${query}`].map(escaped));
  const own = await desk.get(`${path}.csv?user_id=bob`, as("alice"));
  expect([own.status, (await desk.get(`${path}.csv`)).status]).toEqual([403, 401]);
  expect((await desk.get(`${path}.csv?start_time=soon`, { ...as("otto"), ...html })).status).toBe(
    400,
  );
  const log = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
  expect(log).toContain(`"${name}.export"`);
});

/** Lists whose rows are inside of the JSON of their page. */
test.each([
  ["/traces/find", "?id=root-5", "found", "root_trace_id"],
  ["/traces/health", "?agent_id=desk", "services", "service"],
  ["/traces/compare/releases", "?a=user:alice&b=user:bob", "comparison", "name"],
  ["/traces/compare/gate", "?baseline=user:alice&candidate=user:bob", "gate", "contract"],
])("the rows of %s leave as files, within the scope", async (path, query, name, key) => {
  const model = await desk.json<unknown>(`${path}.json${query}`, as("otto"));
  const written = await lines<Record<string, unknown>>(`${path}.jsonl${query}`);
  expect(written.length).toBeGreaterThan(0);
  const all = valuesIn(model, key);
  for (const row of written) expect(all).toContainEqual(row[key]);
  const table = await csv(`${path}.csv${query}`);
  expect(Object.keys(table[0] ?? {})).toEqual(Object.keys(written[0] ?? {}));
  expect(table).toHaveLength(written.length);
  const page = await (await desk.get(`${path}${query}`, { ...as("otto"), ...html })).text();
  for (const form of ["csv", "jsonl"]) expect(page).toContain(`href="${path}.${form}?`);
  const own = await lines<Record<string, unknown>>(`${path}.jsonl${query}`, "alice");
  expect(JSON.stringify(own)).not.toMatch(/"(user_id|tenant)":"bob"/);
  const log = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
  expect(log).toContain(`"${name}.export"`);
});

test("find exports every page, each figure of a comparison is a line with both sides", async () => {
  const found = await desk.json<{ items: readonly unknown[] }>(
    "/traces/find.json?id=thread-1&limit=10",
    as("otto"),
  );
  const all = await lines<{ root_trace_id: string }>("/traces/find.jsonl?id=thread-1");
  expect(new Set(all.map((row) => row.root_trace_id)).size).toBeGreaterThan(found.items.length);
  const query = "?a=user:alice&b=user:bob";
  const { compared } = await desk.json<{
    compared: {
      agents: readonly { a: number; b: number }[];
      groups: readonly { rows: readonly { name: string; a: { value: number } }[] }[];
    };
  }>(`/traces/compare/releases.json${query}`, as("otto"));
  const figures = await lines<{
    name: string;
    a_value: number;
    agents_of_both: number;
    agents_of_one: number;
  }>(`/traces/compare/releases.jsonl${query}`);
  // As the page notes: sides of different agents differ by that alone.
  const both = compared.agents.filter(({ a, b }) => a > 0 && b > 0).length;
  expect(compared.agents.length).toBeGreaterThan(0);
  expect(new Set(figures.map((one) => `${one.agents_of_both} ${one.agents_of_one}`))).toEqual(
    new Set([`${both} ${compared.agents.length - both}`]),
  );
  expect(figures.map((one) => [one.name, one.a_value])).toEqual(
    compared.groups.flatMap(({ rows }) => rows.map(({ name, a }) => [name, a.value])),
  );
  const [recommendations] = (await (await desk.get("/learning.csv", as("otto"))).text()).split(
    "\r\n",
  );
  expect(recommendations).toMatch(/^recommendation_id,revision,state,code,.*,has_note,note$/);
  const { kinds } = await desk.json<{ kinds: readonly object[] }>(
    "/memory.json?user_id=alice",
    as("otto"),
  );
  expect(await lines("/memory.jsonl?user_id=alice")).toEqual(kinds);
  const page = await desk.get("/memory?user_id=alice", { ...as("otto"), ...html });
  expect(await page.text()).toContain('href="/memory.csv?user_id=alice"');
  expect((await desk.get("/memory.csv?user_id=bob", as("alice"))).status).toBe(403);
  const [alerts] = (await (await desk.get("/alerts.csv", as("otto"))).text()).split("\r\n");
  expect(alerts).toBe("id,rule,group,since,ended,reason,value,roots,cost");
});

/** Every value of a key, however deep. */
function valuesIn(model: unknown, key: string): readonly unknown[] {
  if (typeof model !== "object" || model === null) return [];
  return Object.entries(model).flatMap(([name, value]) => [
    ...(name === key ? [value] : []),
    ...valuesIn(value, key),
  ]);
}

test("a file has the whole list, of which a page has a part", async () => {
  const few = await desk.json<{ items: readonly unknown[] }>("/agents.json?limit=1", as("otto"));
  expect(few.items).toHaveLength(1);
  expect(await lines("/agents.jsonl")).toHaveLength(3);
  const turns = await lines<{ value: string }>("/cost.jsonl?by=turn");
  expect(turns.length).toBeGreaterThan(200);
});

test("a file states whether it is whole, as its list does", async () => {
  const stated = async (path: string): Promise<string | null> => {
    const response = await desk.get(path, as("otto"));
    expect([path, response.status]).toEqual([path, 200]);
    await response.arrayBuffer();
    return response.headers.get("turnproof-window");
  };
  for (const path of ["/traces/turns", "/traces/spans", "/agents", "/tools", "/graph"]) {
    expect([path, await stated(`${path}.csv`)]).toEqual([path, "complete"]);
    expect([path, await stated(`${path}.jsonl`)]).toEqual([path, "complete"]);
  }
  expect(await desk.json("/learning.json?limit=5", as("otto"))).toMatchObject({
    window_complete: false,
  });
  expect(await stated("/learning/candidates.csv?limit=5")).toBe("partial");
  // The permissions of roles are no evidence.
  expect(await stated("/settings.csv")).toBeNull();
});

test("a reader that leaves ends the reading, and its place is free again", async () => {
  for (let n = 0; n < 30; n += 1) {
    const response = await desk.get("/traces/turns.jsonl", as("otto"));
    expect(response.status).toBe(200);
    await response.body?.cancel();
  }
});

test("each export has an audit record without its filter", async () => {
  const log = readFileSync(join(desk.dataDir, "audit.jsonl"), "utf8");
  expect(log).toContain('"turns.export"');
  expect(log).toContain('"events.export"');
  expect(log).not.toContain("agent:desk");
});

test("a file of events names where events without a turn are, which has them", async () => {
  const own = await openDesk({}, { judge: false });
  const at = "2026-11-20T10:00:00.000Z";
  const report: TurnEvent = {
    schema_version: 3,
    event_id: "report:result",
    event_kind: "data_quality",
    phase: "event",
    status: "success",
    timestamp: at,
    application_id: "desk",
    root_trace_id: "report-pod-1",
    producer_id: "pod-1",
    attributes: { loss_created: 9, loss_exported: 9, loss_dropped: 0 },
  };
  try {
    await own.put([...turnEvents({ root: "root-a", user: "alice" }), report]);
    const read = async (path: string): Promise<string> => (await own.get(path)).text();
    expect(await read("/traces/spans.jsonl")).not.toContain("report:result");
    expect(await read("/traces/export?table=events&format=jsonl")).toContain("report:result");
    const page = await (await own.get("/traces", html)).text();
    expect(page).toContain("Events without a turn");
    expect(page).toContain('href="/traces/export?table=events&amp;format=jsonl"');
  } finally {
    await own.collector.close();
  }
});
