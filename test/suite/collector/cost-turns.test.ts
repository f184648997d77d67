/**
 * Costs by turn: a page has the first rows of those with the most tokens and states of how many; a
 * file has every turn.
 */
import { expect, test } from "vitest";

import type { CostModel } from "../../../collector/src/pages/cost/route.ts";
import { openDesk, turnEvents } from "./desk.ts";

const backends = ["ephemeral", "clickhouse", "filesystem"];

test("a page has the first rows and leads to more; its JSON has them at once", async () => {
  const desk = await openDesk({}, { judge: false });
  await desk.put(Array.from({ length: 60 }, (_, n) => turnEvents({ root: `root-${n}` })).flat());
  const rows = async (query: string): Promise<number> => {
    const page = await (await desk.get(`/cost?by=turn${query}`, { accept: "text/html" })).text();
    expect(page.includes("Show more")).toBe(query === "");
    return page.split(/<tr[ >]/).length - 2;
  };
  expect([await rows(""), await rows("&limit=200")]).toEqual([50, 60]);
  const listed = async (query: string): Promise<number> =>
    (await desk.json<CostModel>(`/cost.json?by=turn${query}`)).items.length;
  expect([await listed(""), await listed("&limit=5")]).toEqual([60, 5]);
  expect((await desk.get("/cost.json?limit=201")).status).toBe(400);
  await desk.collector.close();
});

test.each(backends)(
  "turns beyond those of a page are counted, and are in files (%s)",
  async (backend) => {
    const desk = await openDesk({ TURNPROOF_BACKEND: backend }, { judge: false });
    const called = Array.from({ length: 1_010 }, (_, n) => turnEvents({ root: `root-${n}` }));
    const silent = turnEvents({ root: "silent" }).filter(({ event_kind: kind }) => kind === "turn");
    await desk.put([...called.flat(), ...silent]);
    const get = async (path: string): Promise<string> =>
      (await desk.get(path, { accept: "text/html" })).text();
    const page = await get("/cost?by=turn");
    expect(page).toContain(
      "50 of the 1,000 turns with the most tokens; 1,010 turns have model calls.",
    );
    expect(page).not.toContain("The first 50 of 1,000");
    const counted = await desk.json("/cost.json?by=turn");
    expect(counted).toMatchObject({ groups: 1_000, every_group: false, turns_with_calls: 1_010 });
    const lines = (await get("/cost.jsonl?by=turn")).trimEnd().split("\n");
    const roots = lines.map(
      (line) => (JSON.parse(line) as { root_trace_id: string }).root_trace_id,
    );
    expect([roots.length, new Set(roots).size, roots.includes("silent")]).toEqual([
      1_010,
      1_010,
      false,
    ]);
    expect((await get("/cost.csv?by=turn")).trimEnd().split("\r\n")).toHaveLength(1_011);
    await desk.collector.close();
  },
);
