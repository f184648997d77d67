/**
 * @module What only a row can answer (verdict, finding, latency) is asked of all turns and not of
 * those that happen to stand on one page: reading goes on until the page is full.
 */
import { beforeAll, describe, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

interface Page {
  readonly items: readonly { readonly root_trace_id: string }[];
  readonly root_count: number;
  readonly next_cursor: string | null;
  readonly window_complete: boolean;
  readonly bounded: boolean;
  readonly filtered_out: number;
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
/** Milliseconds that pass whenever the collector looks at its clock. */
let pace = 0;
let clock = Date.parse("2026-11-21T10:00:00Z");

beforeAll(async () => {
  desk = await openDesk({}, { now: () => (clock += pace) });
  const began = Date.parse("2026-11-21T09:00:00Z");
  for (let index = 0; index < turns; index += 1) {
    const at = new Date(began + index * 1_000);
    const events = turnEvents({ root: rootOf(index), at: at.toISOString() });
    const told = isSlow(index) ? events.map((event) => ({ ...event, duration_ms: 5_000 })) : events;
    await desk.put(told, at.toISOString().replace("Z", "000Z"));
  }
  return () => desk.collector.close();
});

const read = (query: string): Promise<Page> => desk.json<Page>(`/traces/turns.json?${query}`);
const rootsOf = ({ items }: Page): readonly string[] => items.map((row) => row.root_trace_id);

describe("a filter of rows", () => {
  test("finds what lies far behind the first page, and says how much was read", async () => {
    const page = await read(slow);
    expect(rootsOf(page)).toEqual(slowRoots);
    expect(page).toMatchObject({
      root_count: turns,
      filtered_out: turns - slowRoots.length,
      next_cursor: null,
      window_complete: true,
      bounded: false,
    });
  });

  test("fills each page to its limit, and its pages are the whole, each turn once", async () => {
    const seen: string[] = [];
    let cursor = "";
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await read(`${slow}&limit=2${cursor}`);
      seen.push(...rootsOf(page));
      expect(page.items.length).toBeLessThanOrEqual(2);
      if (page.next_cursor === null) break;
      expect(page.items).toHaveLength(2);
      cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    }
    expect(seen).toEqual(slowRoots);
  });

  test("ends a common value's page at the limit without reading everything", async () => {
    const page = await read("q=-agent%3Anobody&limit=10");
    expect(rootsOf(page)).toEqual(
      Array.from({ length: 10 }, (_, index) => rootOf(turns - 1 - index)),
    );
    expect(page.root_count).toBe(10);
    expect(page.next_cursor).not.toBeNull();
    expect(page.bounded).toBe(false);
  });

  test("keeps nobody waiting: it says that it stopped, and goes on from there", async () => {
    pace = 600;
    const first = await read(slow);
    expect(first).toMatchObject({ bounded: true, window_complete: false });
    expect(first.root_count).toBeLessThan(turns);
    let page = first;
    const seen = [...rootsOf(first)];
    while (page.next_cursor !== null) {
      page = await read(`${slow}&cursor=${encodeURIComponent(page.next_cursor)}`);
      seen.push(...rootsOf(page));
    }
    pace = 0;
    expect(seen).toEqual(slowRoots);
    expect(page.bounded).toBe(false);
  });

  test("without one a page is as long as its limit", async () => {
    const page = await read("limit=5");
    expect(page.items).toHaveLength(5);
    expect(page).toMatchObject({ root_count: 5, filtered_out: 0, bounded: false });
  });
});

test("an empty answer says whether everything was read", async () => {
  const page = async (path: string): Promise<string> =>
    (await desk.get(path, { accept: "text/html" })).text();
  expect(await page("/traces?agent_id=nobody")).toContain("holds no turn that matches");
  expect(await page("/traces?q=latency%3A%3E90s")).toContain(`${turns} turns were read`);
});
