/**
 * @module A turn that began and never ended: no page calls what was seen of it its duration, and
 * none draws it as one.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TurnEvent } from "@turnproof/evidence";

import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;

beforeAll(async () => {
  desk = await openDesk();
  const began = "2026-11-21T09:00:00.000Z";
  const [turn, model] = turnEvents({ root: "open", at: began });
  if (turn === undefined || model === undefined) throw new Error("no turn");
  const { duration_ms: _none, ...start } = turn;
  const events: TurnEvent[] = [
    { ...start, event_id: "open-turn-span:start", phase: "start", status: "started" },
    { ...model, timestamp: "2026-11-21T09:00:18.000Z" },
  ];
  await desk.put(events);
});
afterAll(() => desk.collector.close());

const words = async (path: string): Promise<string> =>
  (await (await desk.get(path, { accept: "text/html" })).text()).replaceAll(/<[^>]+>/g, " ");

test.each(["/traces", "/traces/open", "/threads/thread-1", "/traces/compare?agent_id=helper"])(
  "%s says at least how long",
  async (path) => {
    expect(await words(path)).toMatch(/at least\s+≥\s+18 s/);
  },
);

test("its bar in the list is that of an unknown duration", async () => {
  const html = await (await desk.get("/traces", { accept: "text/html" })).text();
  const bar = /<td class="c-duration">.*?<\/td>/.exec(html)?.[0] ?? "";
  expect(bar.includes('class="unknown-fill"')).toBe(true);
});
