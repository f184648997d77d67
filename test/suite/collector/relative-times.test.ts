/**
 * @module Relative times over HTTP: `-2h` counts back from the request, and on every page of a walk
 * from the walk's first page.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { endpoints } from "../../../collector/src/pages/index.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

const noon = Date.parse("2026-11-25T12:00:00Z");
const minuteMs = 60_000;
let now = noon;
let desk: Desk;

interface Turns {
  readonly items: readonly { readonly root_trace_id: string }[];
  readonly next_cursor: string | null;
}

beforeAll(async () => {
  desk = await openDesk({}, { now: () => now, judge: { quietMs: 1e15 } });
  // One turn each ten minutes of the four hours before noon, a second after the full minute.
  for (let n = 1; n <= 24; n += 1) {
    const at = new Date(noon - n * 10 * minuteMs + 1_000).toISOString();
    const received = at.replace("Z", "000Z");
    await desk.put(turnEvents({ root: `root-${n}`, at, user: "ann" }), received);
  }
});
afterAll(() => desk.collector.close());

const roots = async (query: string): Promise<number> =>
  (await desk.json<Turns>(`/traces/turns.json?limit=100&${query}`)).items.length;

test("a relative time counts back from now, wherever a time is accepted", async () => {
  now = noon;
  expect(await roots("start_time=-2h")).toBe(12);
  expect(await roots("start_time=-2h&end_time=-1h")).toBe(6);
  expect(await roots("q=after:-2h -after:-1h".replaceAll(" ", "%20"))).toBe(6);
  for (const path of ["/traces/facets.json", "/traces/overview.json", "/cost.json"]) {
    const { turns, turns_counted: counted } = await desk.json<{
      turns?: number;
      turns_counted?: number;
    }>(`${path}?start_time=-2h`);
    expect([path, turns ?? counted]).toEqual([path, 12]);
  }
  const { turns_counted } = await desk.json<{ turns_counted: number }>(
    "/agents.json?start_time=-2h",
  );
  expect(turns_counted).toBe(12);
});

test("the chart of a relative range reaches until now", async () => {
  now = noon;
  const { bins } = await desk.json<{ bins: { fromMs: number; toMs: number }[] }>(
    "/traces/overview.json?start_time=-24h",
  );
  expect(bins[0]?.fromMs).toBeLessThanOrEqual(noon - 1_440 * minuteMs);
  expect(bins.at(-1)?.toMs).toBeGreaterThan(noon);
});

test("an empty relative range is refused", async () => {
  const refused = await desk.get("/traces/turns.json?start_time=-1h&end_time=-2h");
  expect([refused.status, ((await refused.json()) as { code: string }).code]).toEqual([
    400,
    "range_empty",
  ]);
});

test("a walk keeps the range of its first page while the clock runs", async () => {
  now = noon;
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: Turns = await desk.json(`/traces/turns.json?start_time=-2h&limit=5${after}`);
    seen.push(...page.items.map(({ root_trace_id: root }) => root));
    cursor = page.next_cursor;
    now += 12 * minuteMs;
  } while (cursor !== null);
  expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => `root-${n + 1}`));
});

const ids: { readonly [template: string]: string } = {
  "/agents/:agent_id": "/agents/helper",
  "/threads/:thread_id": "/threads/thread-1",
};
/** Every page that takes a range. */
const ranged = Object.entries(endpoints).flatMap(([route, { query, answers = "" }]) => {
  const [method, path = ""] = route.split(" ");
  const isPage = method === "GET" && (answers === "text/html" || Object.hasOwn(ids, path));
  return isPage && "start_time" in (query?.shape ?? {}) ? [ids[path] ?? path] : [];
});
const html = { accept: "text/html" };

test("the range goes along to each page that takes it, and to no other", async () => {
  now = noon;
  expect(ranged).toEqual(expect.arrayContaining(["/traces", "/threads/thread-1", "/graph"]));
  const links = new Set<string>();
  for (const path of ranged) {
    const page = await (await desk.get(`${path}?start_time=-2h`, html)).text();
    const hrefs = [...page.matchAll(/ href="([^"]*)"/g)].map(([, href = ""]) => href);
    for (const href of hrefs) if (href.includes("start_time=-2h")) links.add(href);
    const rail = /<nav class="rail"[\s\S]*?<\/nav>/.exec(page)?.[0] ?? "";
    const carried = [...rail.matchAll(/class="go" href="([^"?]*)(\?start_time=-2h)?"/g)]
      .filter(([, , range]) => range !== undefined)
      .map(([, href = ""]) => href);
    const takes = [...rail.matchAll(/class="go" href="([^"?]*)[^>]*data-ranged/g)];
    expect([path, carried]).toEqual([path, takes.map(([, href]) => href)]);
  }
  expect(links.size).toBeGreaterThan(40);
  expect(links).toContain("/threads/thread-1?start_time=-2h");
  for (const link of links) {
    const { status } = await desk.get(link.replaceAll("&amp;", "&"), html);
    // 303: to the terms of `q` as parameters.
    expect([link, [200, 303].includes(status) ? "" : status]).toEqual([link, ""]);
  }
});
