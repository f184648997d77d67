/**
 * @module Survey: what ClickHouse counts without reading roots whole is what their turns come to, a
 * retry counted once, and nothing for whoever is bound to a tenant.
 */
import { afterAll, beforeAll, expect, test } from "vitest";
import { foldTurns, matches } from "@turnproof/evidence";
import type { EventQuery, TurnEvent, TurnRow } from "@turnproof/evidence";
import { clickhouse } from "@turnproof/store";
import type { EvidenceStore, TurnSurvey } from "@turnproof/store";
import { everybody, sampleEvent } from "@turnproof/store/testing";

import { receiptOf, stream } from "../../bench/store/generate.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const turns = 400;
const budgetRows = 1_000_000;
const startMs = Date.UTC(2026, 4, 4);

const directories = temporaryDirectories();
let dataDir: string;
let store: EvidenceStore;
let events: TurnEvent[];

beforeAll(async () => {
  dataDir = await directories.make();
  store = await clickhouse({ connection: { dataDir } });
  const source = stream(11, turns, 2);
  const requests = Array.from({ length: turns }, () => source.next());
  events = requests.flat();
  for (let from = 0; from < turns; from += 50) {
    const some = requests.slice(from, from + 50);
    const batch = some.flatMap((one) =>
      one.map((event) => ({ ...event, received_at: receiptOf(one) })),
    );
    const receivedAt = receiptOf(some.at(-1) ?? []);
    // Half of them come as spans end: what a turn holds before the turn itself.
    const isTurn = ({ event_kind }: TurnEvent): boolean => event_kind === "turn";
    const parts =
      from % 100 === 0 ? [batch] : [batch.filter((e) => !isTurn(e)), batch.filter(isTurn)];
    for (const [part, held] of parts.entries()) {
      await store.append({ batchId: `survey ${from} ${part}`, receivedAt, events: held });
    }
    // An SDK that heard no answer sends its spans again, in another block.
    if (from === 0) {
      await store.append({ batchId: "survey again", receivedAt, events: batch.slice(0, 40) });
    }
  }
  for (const [n, batch] of odd().entries()) {
    const received_at = receiptOf(batch);
    await store.append({ batchId: `odd ${n}`, receivedAt: received_at, events: batch });
    events.push(...batch);
  }
});

/** Batches whose turns are no plain ones, an hour apart. */
function odd(): TurnEvent[][] {
  const at = (hour: number, fields: Partial<TurnEvent>): TurnEvent => ({
    ...sampleEvent(fields.span_id ?? "s1", { event_kind: "model_call", attributes: {}, ...fields }),
    timestamp: new Date(startMs + hour * 3_600_000 + 1_234).toISOString().replace("Z", "000000Z"),
  });
  const turn = { event_kind: "turn", turn_id: "said" } as const;
  const two = { root_trace_id: "two turns" };
  const [one, other] = ["t1", "t2"].map((span_id) => ({ ...two, span_id, event_kind: "turn" }));
  const marked = { root_trace_id: "marked", event_kind: "turn" } as const;
  return [
    // A model that was called outside of any turn, and again.
    [at(1, { root_trace_id: "bare" })],
    [at(2, { root_trace_id: "bare", span_id: "s2", status: "error" })],
    // A plain span that failed is nobody's turn, and fails none.
    [at(3, { root_trace_id: "plain", event_kind: "span", status: "error" })],
    [at(3, { root_trace_id: "report", event_kind: "data_quality" })],
    [
      at(4, { root_trace_id: "calm", ...turn }),
      at(4, { root_trace_id: "calm", span_id: "s2", event_kind: "span", status: "error" }),
    ],
    // A turn that is known by what it did, before itself and beside another.
    [at(5, { root_trace_id: "early", span_id: "s2", turn_id: "said", status: "error" })],
    [at(6, { root_trace_id: "early", ...turn })],
    [at(7, one as Partial<TurnEvent>), at(8, other as Partial<TurnEvent>)],
    // A marker is a span of its own and speaks of the span that it announces.
    [at(9, { ...marked, span_id: "m", event_id: "s1:start", phase: "start", status: "started" })],
    [at(10, { ...marked, span_id: "s1" })],
    // What a turn began and did not wait for ends after it.
    [at(12, { root_trace_id: "long", ...turn }), at(13, { root_trace_id: "long", span_id: "s2" })],
    // What is said of a turn a day later.
    [at(11, { root_trace_id: "praised", ...turn })],
    [at(35, { root_trace_id: "praised", span_id: "f", event_kind: "feedback", turn_id: "said" })],
  ];
}

afterAll(async () => {
  await store?.close();
  await directories.remove();
});

const total = (survey: TurnSurvey | undefined, field: "turns" | "errors"): number | undefined =>
  survey?.slots.reduce((sum, slot) => sum + slot[field], 0);

const ask = (query: EventQuery, rows = budgetRows): Promise<TurnSurvey | undefined> | undefined =>
  store.survey?.(everybody, query, { budgetRows: rows });

/** The turns that the list shows, from roots that are read whole. */
async function listed(query: EventQuery): Promise<TurnRow[]> {
  const read = await store.turns(everybody, query, { limit: turns * 2 });
  expect(read.next).toBeNull();
  const key = (turn: TurnEvent | TurnRow): string => `${turn.root_trace_id} ${turn.turn_id}`;
  const matching = new Set(read.events.filter((event) => matches(event, query)).map(key));
  return foldTurns(read.events).filter((row) => matching.has(key(row)));
}

test("every turn that is listed is counted once, when it last spoke", async () => {
  const survey = await ask({});
  const rows = await listed({});
  expect(rows.length).toBe(turns + 8);
  expect(total(survey, "turns")).toBe(rows.length);
  expect(total(survey, "errors")).toBe(rows.filter((row) => row.has_error).length);
  expect(survey?.since).toBeNull();
  // Of each alone: those of one batch, and the odd ones.
  const first = new Set(events.slice(0, 300).map(({ root_trace_id }) => root_trace_id));
  const some = rows.filter(({ root_trace_id: root = "" }) => first.has(root) || root.length < 20);
  expect(some.length).toBeGreaterThan(20);
  for (const { root_trace_id: root = "" } of some) {
    const one = await ask({ root_trace_id: root });
    const slotMs = one?.slot_ms ?? 0;
    const own = rows.filter((row) => row.root_trace_id === root);
    const wanted = own.map((row) => Math.floor(Date.parse(row.ended_at) / slotMs) * slotMs);
    expect(one?.slots.flatMap((slot) => Array<number>(slot.turns).fill(slot.at_ms))).toEqual(
      wanted.toSorted((a, b) => a - b),
    );
  }
});

test.each([
  { name: "an agent", query: { agent_id: "agent-0" } },
  { name: "an application", query: { application_id: "app-0" } },
  { name: "what failed", query: { status: "error" } },
  { name: "what failed of an agent", query: { status: "error", agent_id: "agent-1" } },
  { name: "a tool", query: { tool_name: "tool_0" } },
  { name: "one root", query: { root_trace_id: "two turns" } },
] as const)("$name: as many as are listed", async ({ query }) => {
  const survey = await ask(query);
  const rows = await listed(query);
  expect(rows.length).toBeGreaterThan(0);
  expect(total(survey, "turns")).toBe(rows.length);
  expect(total(survey, "errors")).toBe(rows.filter((row) => row.has_error).length);
});

test("a range holds the turns that spoke in it last, and what came after it does not matter", async () => {
  const range = { start_time: "2026-05-04T06:00:00Z", end_time: "2026-05-04T18:00:00Z" };
  const survey = await ask(range);
  const within = (await listed({})).filter(
    ({ ended_at: at }) => at >= range.start_time && at < range.end_time,
  );
  expect(within.length).toBeGreaterThan(50);
  // One of them was praised a day later.
  expect(total(survey, "turns")).toBe(within.length + 1);
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
  const survey = await ask({}, 100);
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
