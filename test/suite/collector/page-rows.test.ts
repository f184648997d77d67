/**
 * @module Rows of a page of HTML: the same for a browser and for a client that takes any type, and
 * the next page begins after them.
 */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk({}, { judge: false });
  const turns = Array.from({ length: 130 }, (_, n) =>
    turnEvents({
      root: `root-${n}`,
      thread: `thread-${n}`,
      agent: `agent-${n}`,
      user: `user-${n}`,
    }),
  );
  await desk.put(turns.flat());
});
afterAll(() => desk.collector.close());

const rowsOf = (page: string): readonly string[] => page.match(/<tr[ >]/g) ?? [];

test.each([
  ["/threads", 20],
  ["/agents", 20],
  ["/cost?by=tenant", 50],
])("%s has %i rows", async (path, rows) => {
  const [person, program] = await Promise.all(
    ["text/html", "*/*"].map(async (accept) => (await desk.get(path, { accept })).text()),
  );
  expect(rowsOf(person ?? "")).toHaveLength(rows + 1);
  expect(rowsOf(program ?? "")).toHaveLength(rows + 1);
});

test("each thread is on one page of a walk, with the rows that the page's JSON has", async () => {
  const threads: string[] = [];
  let path: string | undefined = "/threads";
  while (path !== undefined) {
    const page: string = await (await desk.get(path, { accept: "*/*" })).text();
    const found = [...page.matchAll(/href="\/threads\/([^"?]+)[^"]*" data-row/g)];
    const own = found.map(([, id]) => id ?? "");
    threads.push(...own);
    const twin = /data-twin="([^"]*)"/.exec(page)?.[1]?.replaceAll("&amp;", "&") ?? "";
    const { items } = await desk.json<{ items: readonly { thread_id: string }[] }>(twin);
    expect(items.map(({ thread_id: id }) => id)).toEqual(own);
    path = /href="([^"]*)" data-older/.exec(page)?.[1]?.replaceAll("&amp;", "&");
  }
  expect(threads).toHaveLength(130);
  expect(new Set(threads).size).toBe(130);
});
