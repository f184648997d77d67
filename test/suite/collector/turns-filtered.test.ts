/**
 * @module Filters and orders of the list: over all turns and not over those that happen to stand
 * on one page, whatever the filter is.
 */
import { beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Page {
  readonly items: readonly { readonly root_trace_id: string }[];
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
}

const turns = 700;
const slow = "q=latency%3A%3E1s";

const rootOf = (index: number): string => `slow-${String(index).padStart(4, "0")}`;
/** Rare, and none of them among the newest 250. */
const isSlow = (index: number): boolean => index % 97 === 3 && index < 420;
const slowRoots = Array.from({ length: turns }, (_, index) => index)
  .filter(isSlow)
  .map(rootOf)
  .toReversed();

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
  const began = Date.parse("2026-11-21T09:00:00Z");
  for (let index = 0; index < turns; index += 1) {
    const at = new Date(began + index * 1_000);
    const events = turnEvents({ root: rootOf(index), at: at.toISOString() });
    const reported = isSlow(index)
      ? events.map((event) => ({ ...event, duration_ms: 5_000 }))
      : events;
    await desk.put(reported, at.toISOString().replace("Z", "000Z"));
  }
  return () => desk.collector.close();
});

const read = (query: string): Promise<Page> => desk.json<Page>(`/traces/turns.json?${query}`);
const rootsOf = ({ items }: Page): readonly string[] => items.map((row) => row.root_trace_id);

describe("a filter", () => {
  test("finds what lies far behind the first page", async () => {
    const page = await read(slow);
    expect(rootsOf(page)).toEqual(slowRoots);
    expect(page).toMatchObject({ next_cursor: null, window_complete: true });
  });

  test("fills each page to its limit, and its pages are the whole, each turn once", async () => {
    expect(await walk(`${slow}&limit=2`)).toEqual(slowRoots);
  });

  test("ends a common value's page at the limit", async () => {
    const page = await read("q=-agent%3Anobody&limit=10");
    expect(rootsOf(page)).toEqual(
      Array.from({ length: 10 }, (_, index) => rootOf(turns - 1 - index)),
    );
    expect(page).toMatchObject({ window_complete: false });
    expect(page.next_cursor).not.toBeNull();
  });
});

async function walk(query: string): Promise<readonly string[]> {
  const seen: string[] = [];
  let cursor = "";
  for (;;) {
    const page = await read(`${query}${cursor}`);
    seen.push(...rootsOf(page));
    if (page.next_cursor === null) return seen;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
  }
}

describe("an order", () => {
  const all = Array.from({ length: turns }, (_, index) => index);
  const inOrder = (of: readonly number[]): readonly string[] => of.map(rootOf);

  test("by duration: the slowest first, or last", async () => {
    const down = await walk("sort=duration_ms&limit=250");
    expect(new Set(down.slice(0, slowRoots.length))).toEqual(new Set(slowRoots));
    expect(new Set(down).size).toBe(turns);
    const up = await walk("sort=duration_ms&order=ascending&limit=250");
    expect(new Set(up.slice(-slowRoots.length))).toEqual(new Set(slowRoots));
    expect(new Set(up).size).toBe(turns);
  });

  test.each(["first_received", "received_at", "started_at", "ended_at"])("by %s", async (sort) => {
    const newest = inOrder(all.toReversed());
    expect(await walk(`sort=${sort}&limit=333`)).toEqual(newest);
    expect(await walk(`sort=${sort}&order=ascending&limit=333`)).toEqual(inOrder(all));
  });

  test.each(["total_tokens", "event_count", "tool_results", "memory_supplied"])(
    "by %s, where all are equal or unknown, still meets each turn once",
    async (sort) => {
      expect((await walk(`sort=${sort}&limit=400`)).toSorted()).toEqual(inOrder(all));
    },
  );

  test.each(["agent_id", "thread_id", "verdict", "stages_missing", "cache_decision", "findings"])(
    "by %s meets each turn once in both directions, and the page's heading leads to it",
    async (sort) => {
      expect((await walk(`sort=${sort}&limit=400`)).toSorted()).toEqual(inOrder(all));
      const up = await walk(`sort=${sort}&order=ascending&limit=400`);
      expect(up.toSorted()).toEqual(inOrder(all));
      const page = await (await desk.get("/traces", { accept: "text/html" })).text();
      expect(page).toMatch(new RegExp(`<a class="sort" href="[^"]*sort=${sort}[&"]`));
    },
  );

  test("by a name begins with the smallest, by a number with the largest", async () => {
    const at = async (query: string): Promise<string> =>
      (await desk.get(`/traces${query}`, { accept: "text/html" })).text();
    const next = (page: string, heading: string): string =>
      new RegExp(`<a class="sort" href="([^"]*)"[^>]*>${heading}`).exec(page)?.[1] ?? "";
    const page = await at("");
    expect(next(page, "Agent")).toBe("/traces?sort=agent_id&amp;order=ascending");
    expect(next(page, "Verdict")).toBe("/traces?sort=verdict");
    expect(next(await at("?sort=agent_id&order=ascending"), "Agent")).toBe("/traces?sort=agent_id");
    expect(next(await at("?sort=agent_id"), "Agent")).toBe("/traces");
    expect(next(await at("?sort=verdict"), "Verdict")).toBe(
      "/traces?sort=verdict&amp;order=ascending",
    );
  });

  test("that is none is refused, and a cursor belongs to its order", async () => {
    for (const query of ["sort=tenant", "sort=", "order=up"]) {
      expect((await desk.get(`/traces/turns.json?${query}`)).status).toBe(400);
    }
    const { next_cursor: cursor } = await read("sort=duration_ms&limit=5");
    const other = `/traces/turns.json?limit=5&cursor=${encodeURIComponent(cursor ?? "")}`;
    expect((await desk.get(other)).status).toBe(400);
  });
});

test("a list goes by the turns' own time; a clock ahead counts no later than its receipt", async () => {
  const put = async (root: string, at: string, received: string): Promise<void> => {
    const events = turnEvents({ root, at, agent: "clockmaker" });
    await desk.put(events, `2026-11-20T${received}:00.000000Z`);
  };
  await put("ahead", "2031-01-01T00:00:00.000Z", "10:00");
  await put("on time", "2026-11-20T10:59:00.000Z", "11:00");
  await put("late", "2026-11-20T08:00:00.000Z", "12:00");
  const own = ["on time", "ahead", "late"];
  expect(await walk("agent_id=clockmaker&limit=2")).toEqual(own);
  expect(await walk("agent_id=clockmaker&order=ascending&limit=2")).toEqual(own.toReversed());
  const received = ["late", "on time", "ahead"];
  expect(await walk("agent_id=clockmaker&limit=2&sort=first_received")).toEqual(received);
  const page = await (
    await desk.get("/traces?agent_id=clockmaker", { accept: "text/html" })
  ).text();
  expect(page).toMatch(
    /aria-sort="descending"[^>]*>\s*<a class="sort"[^>]*sort=own_time&amp;order=asc/,
  );
  expect(page).toMatch(/href="[^"]*sort=first_received"[^>]*>by receipt/);
});

test("an empty answer says that nothing matches", async () => {
  const page = async (path: string): Promise<string> =>
    (await desk.get(path, { accept: "text/html" })).text();
  expect(await page("/traces?agent_id=nobody")).toContain("holds no turn that matches");
  expect(await page("/traces?q=latency%3A%3E90s")).toContain("holds no turn that matches");
});
