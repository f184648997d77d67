/** @module Pages without a row: a filter or a range that leaves none is named, with the way out. */
import { afterAll, beforeAll, expect, test } from "vitest";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.put(turnEvents({ root: "root-1" }));
});
afterAll(() => desk.collector.close());

const read = async (path: string): Promise<string> =>
  (await desk.get(path, { accept: "text/html" })).text();

test.each(["/tools", "/cost", "/traces/incidents", "/graph"])("%s", async (path) => {
  const filtered = await read(`${path}?q=agent:nobody&start_time=2020-01-01`);
  expect(filtered).toMatch(/Nothing here passes these filters\..*>Clear all filters</);
  expect(filtered).toMatch(/href="[^"?]*\?start_time=2020-01-01[^"]*">Clear all filters/);
  expect(filtered).toContain(">All time</a>");
  expect(filtered).not.toContain("as soon as");
  const ranged = await read(`${path}?end_time=2020-01-01`);
  expect(ranged).toMatch(/Nothing here in this range of time\..*>All time</);
});

test("the gate without sides ends its sentence", async () => {
  expect(await read("/traces/compare/gate")).toContain("<code>--limit</code>.</p>");
});

test("a collector without any turn has the first steps, whatever the range", async () => {
  const empty = await openDesk({}, { judge: false });
  const open = async (of: Desk, query: string): Promise<boolean> => {
    const page = await (await of.get(`/traces${query}`, { accept: "text/html" })).text();
    return page.includes("data-first-steps");
  };
  for (const query of ["", "?start_time=-15m"]) {
    expect(await open(empty, query), query).toBe(true);
  }
  expect(await open(desk, "?end_time=2020-01-01")).toBe(false);
  await empty.collector.close();
});
