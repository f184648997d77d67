/**
 * Every filter as a condition of the ledger, over random histories: the turns that pass it are
 * those for which the filter is true on the turn's own events and row.
 */
import { foldTurns, resolveEvents, turnKey } from "@turnproof/evidence";
import type { EventQuery, TurnEvent, TurnRow } from "@turnproof/evidence";
import { issueOperatorGrant } from "@turnproof/store";
import type { TurnCondition } from "@turnproof/store";
import fc from "fast-check";
import { expect, test } from "vitest";

import { filterKeys, hasValues } from "../../../collector/src/ui/display/filter-keys.ts";
import { readTerms, valuesOf } from "../../../collector/src/ui/display/filter-terms.ts";
import {
  conditionKeys,
  queryConditions,
  termCondition,
  turnQueryOf,
} from "../../../collector/src/turns/turn-conditions.ts";
import { memoryTurns } from "../../../packages/store/src/ledger/memory-turns.ts";
import { recordsOf } from "../../../packages/store/src/ledger/turn-records.ts";
import { event, has, meaning, time, values, word } from "./turn-meaning.ts";
import type { Meets, Turn } from "./turn-meaning.ts";

const scope = { operator: issueOperatorGrant() };

const term = fc.constantFrom(...filterKeys).chain((key) =>
  fc.record({
    key: fc.constant(key),
    value: fc.constantFrom(...(values[key] ?? ["a", "b"])),
    others: fc.subarray([...(values[key] ?? ["a", "b"])]),
    negated: fc.boolean(),
  }),
);
const codes = fc.subarray(["delivery_missing", "page_thread_mismatch"]);

interface History {
  readonly turns: readonly Turn[];
  passing(where: readonly TurnCondition[]): Promise<readonly string[]>;
}

/** Some turns, the first of them judged, in the ledger and beside it. */
async function historyOf(events: readonly TurnEvent[], found: readonly string[]): Promise<History> {
  const resolved = resolveEvents(events);
  const [first] = foldTurns(resolved);
  const judgement = {
    verdict: "failed",
    finding_codes: found.filter((code) => code === "delivery_missing"),
    insight_codes: found.filter((code) => code !== "delivery_missing"),
    verdict_reasons: found.length === 1 ? ["known_loss"] : [],
    judged_at: "",
    as_of: "",
  };
  const isFirst = (row: TurnRow): boolean => first !== undefined && turnKey(row) === turnKey(first);
  const version = { epoch: 0, rows: 1, settled: true };
  const records = recordsOf(resolved, version, (row) => (isFirst(row) ? judgement : undefined));
  const ledger = memoryTurns();
  await ledger.putTurns(records);
  const own = Map.groupBy(resolved, turnKey);
  return {
    turns: records.map(({ row }) => ({ row, own: own.get(turnKey(row)) ?? [] })),
    async passing(where) {
      const page = { order: { by: "ended_at" as const }, limit: 1_000 };
      const read = await ledger.listTurns({ scope, where }, page);
      return read.records.map(({ row }) => turnKey(row)).toSorted();
    },
  };
}

const keysOf = (turns: readonly Turn[]): readonly string[] =>
  turns.map(({ row }) => turnKey(row)).toSorted();
const runs = { numRuns: 400 };

test("the table has a condition for every key of the bar, and no other", () => {
  expect(conditionKeys.toSorted()).toEqual(filterKeys.toSorted());
  expect(Object.keys(meaning).toSorted()).toEqual(filterKeys.toSorted());
  expect(Object.keys(has).toSorted()).toEqual(hasValues.toSorted());
  for (const key of ["constructor", "toString", "", "q"]) {
    expect(() => termCondition({ key, value: "a", negated: false })).toThrow("parameter_invalid");
  }
});

test("a term passes the turns of which one of its values is true, a negated one all others", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 14 }),
      codes,
      fc.array(term, { maxLength: 2 }),
      async (events, found, terms) => {
        const history = await historyOf(events, found);
        const wanted = history.turns.filter((turn) =>
          terms.every(
            (one) => valuesOf(one).some((value) => meaning[one.key]?.(turn, value)) !== one.negated,
          ),
        );
        const where = terms.map((one) => termCondition(one));
        expect(await history.passing(where)).toEqual(keysOf(wanted));
      },
    ),
    runs,
  );
});

/** One or two filters: under many of them nothing passes, whatever they select. */
const query: fc.Arbitrary<EventQuery> = fc
  .record({
    application_id: word,
    agent_id: word,
    user_id: fc.option(word),
    memory_id: word,
    thread_id: word,
    root_trace_id: word,
    run_id: word,
    turn_id: word,
    task_id: word,
    tool_name: word,
    resource_ref: word,
    event_kind: fc.constantFrom("turn", "tool_call"),
    status: fc.constantFrom("error", "success"),
    start_time: time,
    end_time: time,
    store: fc.constantFrom("trace", "tool_log", "all"),
  })
  .chain((all) =>
    fc
      .subarray(Object.entries(all), { minLength: 1, maxLength: 2 })
      .map((some) => Object.fromEntries(some) as EventQuery),
  );

const queryMeaning: { readonly [field: string]: Meets } = {
  application_id: meaning["app"] as Meets,
  agent_id: meaning["agent"] as Meets,
  memory_id: meaning["memory"] as Meets,
  thread_id: meaning["thread"] as Meets,
  root_trace_id: meaning["root"] as Meets,
  run_id: meaning["run"] as Meets,
  turn_id: meaning["turn"] as Meets,
  task_id: meaning["task"] as Meets,
  tool_name: meaning["tool"] as Meets,
  resource_ref: meaning["ref"] as Meets,
  event_kind: meaning["kind"] as Meets,
  status: meaning["status"] as Meets,
  start_time: meaning["after"] as Meets,
  end_time: meaning["before"] as Meets,
  store: ({ own }, store) =>
    store !== "tool_log" || own.some(({ source_store: of }) => of === "tool_log"),
};

test("each filter of a query asks what its name says, and all of them hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 14 }), query, async (events, requested) => {
      const history = await historyOf(events, []);
      const { user_id: user, ...others } = requested;
      const wanted = history.turns.filter(
        (turn) =>
          (user === undefined || turn.row.user_id === user) &&
          Object.entries(others).every(
            ([field, value]) => value === undefined || queryMeaning[field]?.(turn, value) === true,
          ),
      );
      expect(await history.passing(queryConditions(requested))).toEqual(keysOf(wanted));
    }),
    runs,
  );
});

test("verdict, finding and q join the filters of the query", () => {
  const requested = { verdict: "failed", finding: "delivery_missing", q: "-has:error tool:a" };
  const { where } = turnQueryOf({ scope, query: { agent_id: "x" } }, requested);
  expect(where).toEqual([
    { text: "agent_id", is: "x" },
    { text: "verdict", is: "failed" },
    { list: "code", has: "delivery_missing" },
    { list: "flag", has: "error", not: true },
    { list: "tool_name", has: "a" },
  ]);
});

test("a word that is no term is refused, or passed by where a page says so", () => {
  const reading = { scope, query: {} };
  expect(() => turnQueryOf(reading, { q: "latency:soon" })).toThrow("parameter_invalid");
  expect(turnQueryOf(reading, { q: "latency:soon" }, { lenient: true }).where).toEqual([]);
  expect(readTerms("latency:soon").unclear).toEqual(["latency:soon"]);
});

test("an id that somebody typed is asked for as it is stored; a word for a tenant is none", () => {
  const typed = (id: string, field?: string): string => `${field}=${id}`;
  const whereOf = (q: string): readonly TurnCondition[] =>
    turnQueryOf({ scope, query: {} }, { q }, { typed }).where;
  expect(whereOf("-agent:x")).toEqual([{ text: "agent_id", is: "agent_id=x", not: true }]);
  expect(whereOf("user:unattributed")).not.toEqual(whereOf("user:x"));
  expect(JSON.stringify(whereOf("user:unattributed"))).not.toContain("user_id=");
  expect(whereOf("tool:x")).toEqual([{ list: "tool_name", has: "x" }]);
});
