/**
 * @module What a page cannot read of its address: it is marked on the page, which is shown without
 * it; a filter is a term of the search box. JSON and files refuse the request (collector: Answer).
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
  await desk.put(turnEvents({ root: "root-1", user: "alice" }));
  await desk.put(turnEvents({ root: "root-2", user: "bob", agent: "other" }));
});
afterAll(() => desk.collector.close());

const html = { accept: "text/html" };
const shown = async (path: string): Promise<string> => {
  const response = await desk.get(path, html);
  expect([path, response.status]).toEqual([path, 200]);
  return response.text();
};
const statusOf = async (path: string): Promise<number> => (await desk.get(path)).status;
const marked = (text: string): readonly string[] =>
  [...text.matchAll(/<mark>([^<]*)<\/mark>/g)].map(([, word = ""]) => word);
const rows = (text: string): number => text.split("<tr data-key").length - 1;

test.each([
  ["finding=wrong", "finding:wrong"],
  ["status=wrong", "status:wrong"],
  ["verdict=nice", "verdict:nice"],
  ["event_kind=wrong", "kind:wrong"],
])("/traces?%s is a term of the search box, which marks it", async (query, word) => {
  const text = await shown(`/traces?${query}&agent_id=helper`);
  expect(marked(text)).toEqual([word]);
  expect(text).toMatch(new RegExp(`name="q"[^>]* value="agent:helper ${word}"`));
  expect(text).toContain('aria-invalid="true"');
  expect(rows(text)).toBe(rows(await shown("/traces?agent_id=helper")));
  expect(await statusOf(`/traces/turns.json?${query}`)).toBe(400);
});

test.each([
  ["/traces", "sort=wrong", "must be one of started_at"],
  ["/traces", "limit=0", "must be a whole number from 1 to 1,000"],
  ["/traces", "after=-1h", "is no parameter of this page"],
  ["/traces", "status=ok&status=error", "is in the address more than once"],
  ["/traces", `q=${"a".repeat(1001)}`, "is no valid value"],
  ["/traces", "cursor=wrong", "this is its first page"],
  ["/threads", "cursor=wrong", "this is its first page"],
  ["/agents", "scope=anonymous&user_id=ann", "user_id in this address is another tenant"],
  ["/tools", "by=wrong", "must be one of"],
  ["/cost", "by=wrong", "must be one of"],
  ["/settings", "colour=red", "is no parameter of this page"],
])("%s?%s is marked above its page, with the reason", async (path, query, reason) => {
  const text = await shown(`${path}?${query}`);
  expect(marked(text)).toHaveLength(1);
  expect(text).toContain(reason);
  const twin = /type="application\/json" href="([^"]+)"/.exec(text)?.[1] ?? "";
  expect((await desk.get(twin.replaceAll("&amp;", "&"))).status).toBe(200);
  expect(await statusOf(`${path}?${query}`)).toBe(400);
});

test("one box has the range, the parameters and the terms that are not applied", async () => {
  const text = await shown(
    "/traces?start_time=2026-11-20&end_time=2026-11-10&colour=red&q=latency:soon&limit=0",
  );
  expect(text.split('role="status" data-not-applied').length - 1).toBe(1);
  expect(text.split('class="unclear').length - 1).toBe(1);
  expect(marked(text).toSorted()).toEqual(
    ["2026-11-10", "2026-11-20", "colour=red", "latency:soon", "limit=0"].toSorted(),
  );
  // Both fields are described by their own lines.
  expect(text).toMatch(/aria-describedby="range-refused"/);
  expect(text).toMatch(/<ul id="range-refused"/);
  expect(text).toMatch(/aria-describedby="filter-unclear"/);
  expect(text).toMatch(/<ul id="filter-unclear"/);
  expect((await shown("/traces")).includes("data-not-applied")).toBe(false);
});

test("a list without rows does not offer what sets them apart", async () => {
  expect(await shown("/traces?agent_id=helper")).toContain("What sets these turns apart");
  expect(await shown("/traces?agent_id=none")).not.toContain("What sets these turns apart");
});

test("a value that would select something stays out of the search box", async () => {
  const text = await shown(`/traces?verdict=${encodeURIComponent('nice" helper "')}`);
  expect(text).toMatch(/name="q"[^>]* value=""/);
  expect(marked(text)).toEqual(["verdict=nice&quot; helper &quot;"]);
});

test("a file is refused", async () => {
  expect((await desk.get("/traces/turns.csv?finding=wrong", html)).status).toBe(400);
});

test("terms that exclude each other are marked, with a link to the turns of either", async () => {
  for (const path of ["/traces", "/cost", "/traces/incidents"]) {
    const text = await shown(`${path}?agent_id=helper&q=agent:other`);
    expect(marked(text)).toEqual(["agent:helper", "agent:other"]);
    expect(text).toContain("exclude each other: a turn has one agent");
    expect(text).toContain(`href="${path}?q=agent%3Ahelper%2Cother"`);
  }
  expect(rows(await shown("/traces?agent_id=helper&q=agent:other"))).toBe(0);
  expect(rows(await shown("/traces?q=agent%3Ahelper%2Cother"))).toBe(2);
  expect(await shown("/traces?agent_id=helper&tool_name=search")).not.toContain(
    "exclude each other",
  );
});
