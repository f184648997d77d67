/**
 * @module Sorted lists: agents, threads, costs and incidents go by any of their columns, over the
 * whole list and not a page of it. A cursor belongs to its order.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import type { AgentsModel } from "../../../collector/src/pages/agents/route.ts";
import type { CostModel } from "../../../collector/src/pages/cost/route.ts";
import type { IncidentsModel } from "../../../collector/src/pages/incidents/route.ts";
import type { ThreadsModel } from "../../../collector/src/pages/threads/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
const html = { accept: "text/html" };

/** Agent `a-3` has three turns in as many threads, 30 ms each; the fewer errors the more turns. */
beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  const turns = [1, 2, 3, 4, 5].flatMap((size) =>
    Array.from({ length: size }, (_, n) =>
      turnEvents({
        root: `root-${size}-${n}`,
        agent: `a-${size}`,
        thread: `t-${size}-${n}`,
        user: `user-${n}`,
        at: new Date(Date.UTC(2026, 10, 20, 8, n, size * 7)).toISOString(),
      }).map((event) => {
        const failed = event.event_kind === "tool_call" && n < 6 - size;
        return {
          ...event,
          duration_ms: size * 10,
          // The calls of one agent have no count of tokens.
          ...(event.event_kind === "model_call"
            ? {
                attributes: {
                  model: `m-${size}`,
                  ...(size === 2 ? {} : { input_tokens: (6 - size) * 100, output_tokens: 10 }),
                },
              }
            : {}),
          ...(failed
            ? {
                status: "error" as const,
                attributes: { tool_name: "search", tool_outcome: "error", error_type: "Timeout" },
              }
            : {}),
        };
      }),
    ),
  );
  await desk.put(turns.flat());
});
afterAll(() => desk.collector.close());

/** All rows of a list, two a page. */
async function walk<T>(path: string, query: string, idOf: (item: T) => string): Promise<string[]> {
  const found: string[] = [];
  let cursor = "";
  do {
    const page = await desk.json<{ items: readonly T[]; next_cursor: string | null }>(
      `${path}?limit=2${query}${cursor}`,
    );
    found.push(...page.items.map(idOf));
    cursor = page.next_cursor === null ? "" : `&cursor=${encodeURIComponent(page.next_cursor)}`;
  } while (cursor !== "");
  return found;
}

const agents = (query: string): Promise<string[]> =>
  walk<AgentsModel["items"][number]>("/agents.json", query, ({ agent_id: id }) => id ?? "");

const by = (...sizes: readonly number[]): string[] => sizes.map((size) => `a-${size}`);

describe("agents", () => {
  test.each([
    ["", by(5, 4, 3, 2, 1)],
    ["&sort=last", by(5, 4, 3, 2, 1)],
    ["&sort=last&order=ascending", by(1, 2, 3, 4, 5)],
    ["&sort=value&order=ascending", by(1, 2, 3, 4, 5)],
    ["&sort=value", by(5, 4, 3, 2, 1)],
    ["&sort=turns", by(5, 4, 3, 2, 1)],
    ["&sort=turns&order=ascending", by(1, 2, 3, 4, 5)],
    // 1, 2, 3, 2 and 1 turns failed: equal ones go by their id.
    ["&sort=errors", by(3, 2, 4, 1, 5)],
    ["&sort=tool_failed&order=ascending", by(1, 5, 2, 4, 3)],
    ["&sort=p95_ms", by(5, 4, 3, 2, 1)],
    ["&sort=p95_ms&order=ascending", by(1, 2, 3, 4, 5)],
    ["&sort=threads", by(5, 4, 3, 2, 1)],
    // 510, unknown, 930, 840 and 550 tokens.
    ["&sort=tokens", by(3, 4, 5, 1, 2)],
    ["&sort=tokens&order=ascending", by(1, 5, 4, 3, 2)],
  ])("%s", async (query, expected) => {
    expect(await agents(query)).toEqual(expected);
  });

  test("verdicts sort by the share of failed turns, and models state that they do not", async () => {
    // No turn is judged here: every share is unknown, and equal ones go by their id.
    expect(await agents("&sort=failed_share")).toEqual(by(1, 2, 3, 4, 5));
    const page = await (await desk.get("/agents?sort=failed_share", html)).text();
    expect(page).toMatch(
      /<th[^>]*title="Sorted by the share of failed[^"]*" aria-sort="descending"><a class="sort"[^>]*>Verdicts/,
    );
    expect(page).toMatch(/<th[^>]*title="[^"]*does not sort by models">\s*Models/);
    const threads = await (await desk.get("/threads", html)).text();
    expect(threads).toContain('href="/threads?sort=failed_share"');
    const file = await (await desk.get("/agents.csv?sort=failed_share")).text();
    expect(file.match(/^a-\d/gm)).toEqual(by(1, 2, 3, 4, 5));
  });

  test("a cursor of one order is no place in another", async () => {
    const { next_cursor: cursor } = await desk.json<{ next_cursor: string }>(
      "/agents.json?limit=2&sort=turns",
    );
    const next = `&cursor=${encodeURIComponent(cursor)}`;
    for (const other of ["", "&sort=errors", "&sort=turns&order=ascending"]) {
      expect((await desk.get(`/agents.json?limit=2${other}${next}`)).status).toBe(400);
    }
    expect((await desk.get(`/agents.json?limit=2&sort=turns${next}`)).status).toBe(200);
  });

  test("its heads are links, and its file has the order of the page", async () => {
    const page = await (await desk.get("/agents?sort=turns", { accept: "text/html" })).text();
    expect(page).toMatch(/<th[^>]*aria-sort="descending"[^>]*><a class="sort"[^>]*>Turns/);
    expect(page).toContain('href="/agents?sort=turns&amp;order=ascending"');
    expect(page).toContain('href="/agents?sort=p95_ms"');
    // Narrowing keeps the order, which is no filter.
    expect(page).toContain('<input type="hidden" name="sort" value="turns"/>');
    expect(page).not.toContain("sort:turns");
    const file = await (await desk.get("/agents.csv?sort=turns&order=ascending")).text();
    expect(file.match(/^a-\d/gm)).toEqual(by(1, 2, 3, 4, 5));
  });
});

test("threads go by a column over all of their pages", async () => {
  const found = await walk<ThreadsModel["items"][number]>(
    "/threads.json",
    "&sort=p95_ms&agent_id=a-5&order=ascending",
    ({ thread_id: id }) => id ?? "",
  );
  expect(found).toEqual(["t-5-0", "t-5-1", "t-5-2", "t-5-3", "t-5-4"]);
  const all = await walk<ThreadsModel["items"][number]>(
    "/threads.json",
    "&sort=tokens",
    ({ thread_id: id }) => id ?? "",
  );
  expect(all.map((id) => id.slice(0, 3))).toEqual(
    [1, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 5, 2, 2].map((size) => `t-${size}`),
  );
});

test("costs are sorted before the first of them are taken", async () => {
  const costs = async (query: string): Promise<readonly (string | null)[]> => {
    const { items } = await desk.json<CostModel>(`/cost.json?by=agent&limit=3${query}`);
    return items.map(({ value }) => value);
  };
  expect(await costs("&sort=calls&order=ascending")).toEqual(by(1, 2, 3));
  expect(await costs("&sort=output_tokens")).toEqual(by(5, 4, 3));
  expect(await costs("&sort=output_tokens&order=ascending")).toEqual(by(1, 3, 4));
  expect(await costs("&sort=value&order=ascending")).toEqual(by(1, 2, 3));
  // No model has a price here: an unknown cost sorts nothing.
  expect(await costs("&sort=cost&order=ascending")).toEqual(await costs("&sort=cost"));
  const page = await (await desk.get("/cost?sort=calls", { accept: "text/html" })).text();
  expect(page).toMatch(/<th[^>]*aria-sort="descending"[^>]*><a class="sort"[^>]*>Calls/);
  const file = await (await desk.get("/cost.csv?by=agent&sort=calls&order=ascending")).text();
  expect(file.match(/^a-\d/gm)).toEqual(by(1, 2, 3, 4, 5));
});

test("incidents are sorted over all of them", async () => {
  const read = (query: string): Promise<IncidentsModel> =>
    desk.json<IncidentsModel>(`/traces/incidents.json?${query}`);
  const usual = await read("");
  expect(usual.items.length).toBeGreaterThan(1);
  const values = (column: (one: IncidentsModel["items"][number]) => number) => ({
    falling: usual.items.map(column).toSorted((a, b) => b - a),
    rising: usual.items.map(column).toSorted((a, b) => a - b),
  });
  const turns = values((one) => one.turns);
  expect((await read("sort=turns")).items.map((one) => one.turns)).toEqual(turns.falling);
  expect((await read("sort=turns&order=ascending")).items.map((one) => one.turns)).toEqual(
    turns.rising,
  );
  expect((await read("sort=priority")).items).toEqual(usual.items);
  const last = values((one) => Date.parse(one.last_at));
  expect((await read("sort=last_at")).items.map((one) => Date.parse(one.last_at))).toEqual(
    last.falling,
  );
  const skipped = await read("sort=turns&skip=1");
  expect(skipped.items.map((one) => one.turns)).toEqual(turns.falling.slice(1));
});
