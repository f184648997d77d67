/**
 * @module Survey: what ClickHouse counts without reading roots whole is what their turns come to, a
 * retry counted once, and nothing for whoever is bound to a tenant.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { foldTurns } from "@turnproof/evidence";
import type { EventQuery, TurnEvent } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore, TurnSurvey } from "@turnproof/store";
import { everybody } from "@turnproof/store/testing";

import { receiptOf, stream } from "../../bench/store/generate.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const turns = 400;
const budgetRows = 1_000_000;

const directories = temporaryDirectories();
let store: EvidenceStore;
let events: TurnEvent[];

beforeAll(async () => {
  store = await clickhouse({ connection: { dataDir: await directories.make() } });
  const source = stream(11, turns, 2);
  const requests = Array.from({ length: turns }, () => source.next());
  events = requests.flat();
  for (let from = 0; from < turns; from += 50) {
    const some = requests.slice(from, from + 50);
    const batch = some.flatMap((one) =>
      one.map((event) => ({ ...event, received_at: receiptOf(one) })),
    );
    const receivedAt = receiptOf(some.at(-1) ?? []);
    await store.append({ batchId: `survey ${from}`, receivedAt, events: batch });
    // An SDK that heard no answer sends its spans again, in another block.
    if (from === 0) {
      await store.append({ batchId: "survey again", receivedAt, events: batch.slice(0, 40) });
    }
  }
});

afterAll(async () => {
  await store?.close();
  await directories.remove();
});

const total = (survey: TurnSurvey | undefined, field: "turns" | "errors"): number | undefined =>
  survey?.slots.reduce((sum, slot) => sum + slot[field], 0);

const ask = (query: EventQuery, rows = budgetRows): Promise<TurnSurvey | undefined> | undefined =>
  store.survey?.(everybody, query, { budgetRows: rows });

test("every turn is counted once, in its slot", async () => {
  const survey = await ask({});
  // What the same turns come to when their roots are read whole.
  const read = await store.turns(everybody, {}, { limit: turns + 1 });
  const rows = foldTurns(read.events);
  expect(rows).toHaveLength(turns);
  expect(total(survey, "turns")).toBe(rows.length);
  expect(total(survey, "errors")).toBe(rows.filter((row) => row.has_error).length);
  expect(survey?.since).toBeNull();
  const own = events.filter((event) => event.event_kind === "turn");
  for (const { at_ms, turns: count } of survey?.slots ?? []) {
    const within = own.filter(({ timestamp }) => {
      const ms = Date.parse(timestamp) - at_ms;
      return ms >= 0 && ms < (survey?.slot_ms ?? 0);
    });
    expect(within).toHaveLength(count);
  }
});

test.each([
  { name: "an agent", query: { agent_id: "agent-0" } },
  { name: "a tool and a status", query: { tool_name: "tool_0", status: "error" } },
  {
    name: "a range",
    query: { start_time: "2026-05-04T06:00:00Z", end_time: "2026-05-04T18:00:00Z" },
  },
] as const)("$name", async ({ query }) => {
  const survey = await ask(query);
  const wanted: EventQuery = query;
  const { agent_id, tool_name, status, start_time, end_time } = wanted;
  const says = (root: string | undefined, test: (event: TurnEvent) => boolean): boolean =>
    events.some((event) => event.root_trace_id === root && test(event));
  const expected = events.filter(
    ({ event_kind, root_trace_id: root, timestamp }) =>
      event_kind === "turn" &&
      (agent_id === undefined || says(root, (event) => event.agent_id === agent_id)) &&
      (tool_name === undefined ||
        says(root, (event) => event.attributes.tool_name === tool_name)) &&
      (status === undefined || says(root, (event) => event.status === status)) &&
      (start_time === undefined || timestamp >= start_time) &&
      (end_time === undefined || timestamp < end_time),
  );
  expect(expected.length).toBeGreaterThan(0);
  expect(total(survey, "turns")).toBe(expected.length);
});

test("values are those that are said, the commonest first", async () => {
  const survey = await ask({});
  const count = (value: string): number =>
    events.filter((event) => event.event_kind === "turn" && event.agent_id === value).length;
  const agents = survey?.values.agent ?? [];
  expect(agents[0]).toBe("agent-0");
  expect(agents.length).toBeGreaterThan(3);
  for (const agent of agents) expect(count(agent)).toBeGreaterThan(0);
  expect(survey?.values.tool).toContain("tool_0");
  expect(survey?.values.model).toContain("claude-sonnet-4@20250514");
});

test("a budget takes the newest and says since when", async () => {
  const survey = await ask({}, 1_000);
  expect(survey?.since).not.toBeNull();
  expect(total(survey, "turns")).toBeLessThan(turns);
  expect(total(survey, "turns")).toBeGreaterThan(0);
});

test("who is bound to a tenant, and what nearly all say, is not for counting", async () => {
  const user = events.find((event) => typeof event.user_id === "string")?.user_id ?? "";
  expect(await store.survey?.({ tenant: user }, {}, { budgetRows })).toBeUndefined();
  expect(await store.survey?.({ tenant: null }, {}, { budgetRows })).toBeUndefined();
  expect(await ask({ event_kind: "model_call" })).toBeUndefined();
});
