/**
 * @module Windows for contracts outside of the collector: pages neither lose nor repeat a turn, and
 * of a root that is too large to be read with others each listed turn is named and judged.
 */
import { evaluateTurns } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, beforeAll, expect, test } from "vitest";

import { collectorWindows } from "../../../collector/src/cli/check-windows.ts";
import type { CheckFilters } from "../../../collector/src/cli/check-windows.ts";
import type { Client } from "../../../collector/src/cli/client.ts";
import type { WindowsModel } from "../../../collector/src/pages/windows/route.ts";
import { openDesk, turnEvents } from "./desk.ts";
import type { Desk } from "./desk.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  // Seven turns in five roots; two roots have two turns, of which one is a root of the next page.
  for (const [at, root] of ["a", "b", "c", "b", "d", "e", "d"].entries()) {
    const user = root === "e" ? "other" : "ada";
    const events = turnEvents({
      root,
      user,
      agent: `agent-${at}`,
      at: `2026-11-21T09:5${at}:00.000Z`,
    });
    await desk.put(events.map((event) => apart(event, at)));
  }
});
afterAll(() => desk.collector.close());

/** Spans of its own, so that turns of one root do not repeat each other. */
function apart(event: TurnEvent, at: number): TurnEvent {
  return { ...event, event_id: `${at}-${event.event_id}`, span_id: `${at}${event.span_id ?? ""}` };
}

const windows = (query: string): Promise<WindowsModel> =>
  desk.json<WindowsModel>(`/traces/windows.json${query}`);

const agentsOf = ({ items }: WindowsModel): readonly string[] =>
  items.flatMap(({ events }) => [...new Set(events.map(({ agent_id: agent }) => agent ?? ""))]);

/** A client as the commands have it, over the desk. */
const client = {
  json: (path: string, parameters: Readonly<Record<string, string | number | undefined>>) => {
    const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
    return desk.json(`${path}?${new URLSearchParams(given as [string, string][]).toString()}`);
  },
} as unknown as Client;

async function judged(filters: CheckFilters, most = 100): Promise<readonly string[]> {
  const agents: string[] = [];
  for await (const { window } of collectorWindows(client, filters, most)) {
    const { events, ...how } = window;
    for (const { turn, whole } of evaluateTurns(events, [], how)) {
      agents.push(`${turn.agent_id ?? ""}${whole ? "" : ", not whole"}`);
    }
  }
  return agents;
}

test("pages have each turn once, newest first, with its own events alone", async () => {
  const pages: (readonly string[])[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const at = cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`;
    const page: WindowsModel = await windows(`?limit=2${at}`);
    expect(page.turns).toBe(agentsOf(page).length);
    pages.push(agentsOf(page));
    cursor = page.next_cursor;
  }
  expect(pages).toEqual([
    ["agent-6", "agent-5"],
    ["agent-4", "agent-3"],
    ["agent-2", "agent-1"],
    ["agent-0"],
  ]);
  const { next_cursor: next } = await windows("?limit=2");
  const turns = `/traces/turns.json?limit=2&cursor=${encodeURIComponent(next ?? "")}`;
  expect((await desk.get(turns)).status).toBe(400);
});

test("a command reads on until its limit, and says where more turns match", async () => {
  expect(await judged({})).toHaveLength(7);
  expect(await judged({ user: "other" })).toEqual(["agent-5"]);
  const more: boolean[] = [];
  for await (const one of collectorWindows(client, {}, 3)) more.push(one.more);
  // Three turns of two roots.
  expect(more).toEqual([true, true]);
});

test("of a large root the listed turns alone are judged, from all of its events", async () => {
  const root = "large";
  const own = turnEvents({ root, user: "ada", agent: "first", at: "2026-11-21T10:10:00.000Z" });
  const [call] = own.filter(({ event_kind: kind }) => kind === "tool_call");
  const calls = Array.from({ length: 10_100 }, (_, at) => apart(call as TurnEvent, at + 10));
  // The second turn has the id of the first one, and another agent.
  const second = turnEvents({ root, user: "ada", agent: "second", at: "2026-11-21T10:11:00.000Z" });
  await desk.put([...own, ...calls, ...second.map((event) => apart(event, 9))]);
  const page = await windows(`?root_trace_id=${root}`);
  expect([page.items, page.turns]).toEqual([[], 2]);
  const turn = { turn_id: "large-turn", thread_id: "thread-1", user_id: "ada" };
  expect(page.alone).toEqual([
    { root_trace_id: root, turns: ["second", "first"].map((agent_id) => ({ ...turn, agent_id })) },
  ]);
  expect((await judged({ root })).toSorted()).toEqual(["first", "second"]);
  expect(await judged({ root, agent: "second" })).toEqual(["second"]);
  expect(await judged({ root, user: "nobody" })).toEqual([]);
});
