/**
 * Every filter as a condition of the ledger, over random histories: the turns that pass it are
 * those of which the filter is true when it is asked of the turn's own events and row.
 */
import { foldTurns, refersTo, resolveEvents, turnKey } from "@turnproof/evidence";
import type { EventQuery, TurnEvent, TurnRow } from "@turnproof/evidence";
import { issueOperatorGrant } from "@turnproof/store";
import type { TurnCondition } from "@turnproof/store";
import fc from "fast-check";
import { expect, test } from "vitest";

import { compare, millisecondsOf } from "../../../collector/src/display/comparisons.ts";
import { filterKeys, hasValues, readTerms } from "../../../collector/src/display/filter-terms.ts";
import {
  conditionKeys,
  queryConditions,
  termCondition,
  turnQuestion,
} from "../../../collector/src/turn-conditions.ts";
import { memoryTurns } from "../../../packages/store/src/ledger/memory-turns.ts";
import { recordsOf } from "../../../packages/store/src/ledger/turn-records.ts";

const scope = { operator: issueOperatorGrant() };
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const word = fc.constantFrom("a", "b", "anonymous");
const time = fc
  .constantFrom("10:00:00", "10:00:30", "10:01:00", "11:00:00")
  .map((clock) => `2026-11-21T${clock}.000Z`);

const attributes = fc.record(
  {
    tool_name: word,
    tool_outcome: fc.constantFrom("success", "fallback", "error"),
    response_model: word,
    service_version: word,
    cache_decision: fc.constantFrom("hit", "miss"),
    total_tokens: fc.constantFrom(1, 1000),
    input_tokens: fc.constantFrom(1, 1000),
    supplied_count: fc.constantFrom(0, 2),
    memory_degraded: fc.boolean(),
  },
  { requiredKeys: [] },
);

const event: fc.Arbitrary<TurnEvent> = fc
  .record({
    n: fc.nat(),
    said: fc.record(
      { application_id: word, memory_id: word, run_id: word, task_id: word, producer_id: word },
      { requiredKeys: [] },
    ),
    turn: fc.constantFrom("a", "b"),
    agent: maybe(word),
    user: maybe(fc.option(word)),
    kind: fc.constantFrom("turn", "tool_call", "model_call", "memory", "delivery", "span"),
    status: fc.constantFrom("success", "error", "partial", "started", "unknown"),
    phase: fc.constantFrom("start", "result"),
    time,
    ms: fc.constantFrom(0, 1500, 5000),
    ref: maybe(word),
    store: maybe(fc.constantFrom("trace", "tool_log")),
    attributes,
  })
  .map(
    ({
      n,
      said,
      turn,
      agent,
      user,
      kind,
      status,
      phase,
      time: at,
      ms,
      ref,
      store,
      attributes: of,
    }) => {
      const identity = {
        ...said,
        ...(agent === undefined ? {} : { agent_id: agent }),
        ...(user === undefined ? {} : { user_id: user }),
      };
      return {
        schema_version: 3,
        event_id: `e${n}`,
        event_kind: kind,
        phase,
        status,
        timestamp: at,
        started_at: at,
        duration_ms: ms,
        thread_id: turn,
        root_trace_id: turn,
        turn_id: turn,
        received_at: at,
        attributes: of,
        ...identity,
        ...(ref === undefined ? {} : { input_refs: [{ ref, type: "doc" }] }),
        ...(store === undefined ? {} : { source_store: store }),
      } as unknown as TurnEvent;
    },
  );

interface Turn {
  readonly row: TurnRow;
  readonly own: readonly TurnEvent[];
}
type Asks = (turn: Turn, value: string) => boolean;

const some =
  (is: (event: TurnEvent, value: string) => boolean): Asks =>
  ({ own }, value) =>
    own.some((one) => is(one, value));
const lasted = ({ duration_ms: ms, timing_state: state }: TurnRow): number | null =>
  state === "missing_completion" || state === "instantaneous" ? null : ms;
const kinds = ({ row }: Turn): Readonly<Record<string, number>> => row.event_kind_counts;
const undelivered = ["delivery_missing", "delivery_unconfirmed"];
const judged = (row: TurnRow): readonly string[] => [
  ...(row.finding_codes ?? []),
  ...(row.insight_codes ?? []),
];

/** What each key means, said a second time. */
const meaning: { readonly [key: string]: Asks } = {
  status: ({ row }, value) => row.status === value || (value === "error" && row.has_error),
  tool: some(({ attributes: of }, value) => of.tool_name === value),
  agent: ({ row }, value) => row.agent_id === value,
  user: ({ row: { user_id: id } }, value) =>
    id === value ||
    (value === "anonymous" && id === null) ||
    (value === "unattributed" && id === undefined),
  thread: ({ row }, value) => row.thread_id === value,
  memory: some((one, value) => one.memory_id === value),
  app: some((one, value) => one.application_id === value),
  root: ({ row }, value) => row.root_trace_id === value,
  run: some((one, value) => one.run_id === value),
  turn: ({ row }, value) => row.turn_id === value,
  task: some((one, value) => one.task_id === value),
  ref: some(refersTo),
  kind: some((one, value) => one.event_kind === value),
  after: ({ row }, value) => Date.parse(row.ended_at) >= Date.parse(value),
  before: ({ row }, value) => Date.parse(row.ended_at) < Date.parse(value),
  verdict: ({ row }, value) => (row.verdict ?? "unjudged") === value,
  finding: ({ row }, value) => judged(row).includes(value),
  cache: ({ row }, value) => (row.cache_decision ?? "none") === value,
  model: ({ row }, value) => row.models.includes(value),
  release: some(({ attributes: of }, value) => of.service_version === value),
  producer: some((one, value) => one.producer_id === value),
  dialect: ({ row }, value) => (row.dialects as readonly string[]).includes(value),
  latency: ({ row }, value) => compare(lasted(row), value, millisecondsOf),
  tokens: ({ row }, value) => compare(row.total_tokens, value, Number),
  has: (turn, value) => has[value]?.(turn) ?? false,
};
const has: { readonly [what: string]: (turn: Turn) => boolean } = {
  finding: ({ row }) => (row.finding_codes?.length ?? 0) > 0,
  error: ({ row }) => row.has_error,
  memory: ({ row }) => (row.memory_supplied ?? 0) > 0 || (row.memory_retrieved ?? 0) > 0,
  cache: ({ row }) => row.cache_decision !== null,
  fallback: ({ row }) => row.tools.fallback > 0,
  gap: ({ row }) => row.missing_completion > 0,
  dropped: ({ row }) => Object.keys(row.dropped).length > 0,
  artifact: (turn) => (kinds(turn)["artifact"] ?? 0) > 0,
  delivery: (turn) => (kinds(turn)["delivery"] ?? 0) > 0,
  degraded: ({ row }) => row.memory_degraded === true,
  undelivered: ({ row }) => undelivered.some((code) => judged(row).includes(code)),
  feedback: (turn) => (kinds(turn)["feedback"] ?? 0) > 0,
  outcome: (turn) => (kinds(turn)["outcome"] ?? 0) > 0,
};

const values: { readonly [key: string]: readonly string[] } = {
  status: ["error", "success", "started", "partial"],
  user: ["a", "b", "anonymous", "unattributed"],
  kind: ["turn", "tool_call", "delivery"],
  after: ["2026-11-21T10:00:30Z", "2026-11-21"],
  before: ["2026-11-21T10:01:00Z"],
  verdict: ["failed", "unjudged"],
  finding: ["delivery_missing", "page_thread_mismatch"],
  cache: ["hit", "none"],
  latency: [">1s", "<=1500ms", "=0", "5s"],
  tokens: [">1", "1000", "<5"],
  has: hasValues,
  dialect: ["openinference"],
};

const term = fc.constantFrom(...filterKeys).chain((key) =>
  fc.record({
    key: fc.constant(key),
    value: fc.constantFrom(...(values[key] ?? ["a", "b"])),
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

test("a term passes the turns of which it is true, and a negated one all others", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { maxLength: 14 }),
      codes,
      fc.array(term, { maxLength: 2 }),
      async (events, found, terms) => {
        const history = await historyOf(events, found);
        const wanted = history.turns.filter((turn) =>
          terms.every(({ key, value, negated }) => meaning[key]?.(turn, value) !== negated),
        );
        const where = terms.map((one) => termCondition(one));
        expect(await history.passing(where)).toEqual(keysOf(wanted));
      },
    ),
    runs,
  );
});

const query: fc.Arbitrary<EventQuery> = fc.record(
  {
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
  },
  { requiredKeys: [] },
) as fc.Arbitrary<EventQuery>;

const queryMeaning: { readonly [field: string]: Asks } = {
  application_id: meaning["app"] as Asks,
  agent_id: meaning["agent"] as Asks,
  memory_id: meaning["memory"] as Asks,
  thread_id: meaning["thread"] as Asks,
  root_trace_id: meaning["root"] as Asks,
  run_id: meaning["run"] as Asks,
  turn_id: meaning["turn"] as Asks,
  task_id: meaning["task"] as Asks,
  tool_name: meaning["tool"] as Asks,
  resource_ref: meaning["ref"] as Asks,
  event_kind: meaning["kind"] as Asks,
  status: meaning["status"] as Asks,
  start_time: meaning["after"] as Asks,
  end_time: meaning["before"] as Asks,
  store: ({ own }, store) =>
    store !== "tool_log" || own.some(({ source_store: of }) => of === "tool_log"),
};

test("each filter of a query asks what its name says, and all of them hold", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 14 }), query, async (events, asked) => {
      const history = await historyOf(events, []);
      const { user_id: user, ...others } = asked;
      const wanted = history.turns.filter(
        (turn) =>
          (user === undefined || turn.row.user_id === user) &&
          Object.entries(others).every(
            ([field, value]) => value === undefined || queryMeaning[field]?.(turn, value) === true,
          ),
      );
      expect(await history.passing(queryConditions(asked))).toEqual(keysOf(wanted));
    }),
    runs,
  );
});

test("verdict, finding and q join the filters of the query", () => {
  const asked = { verdict: "failed", finding: "delivery_missing", q: "-has:error tool:a" };
  const { where } = turnQuestion({ scope, query: { agent_id: "x" } }, asked);
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
  expect(() => turnQuestion(reading, { q: "what" })).toThrow("parameter_invalid");
  expect(turnQuestion(reading, { q: "what" }, { lenient: true }).where).toEqual([]);
  expect(readTerms("what").unclear).toEqual(["what"]);
});

test("an id that somebody typed is asked for as it is stored; a word for a tenant is none", () => {
  const typed = (id: string, field?: string): string => `${field}=${id}`;
  const whereOf = (q: string): readonly TurnCondition[] =>
    turnQuestion({ scope, query: {} }, { q }, { typed }).where;
  expect(whereOf("-agent:x")).toEqual([{ text: "agent_id", is: "agent_id=x", not: true }]);
  expect(whereOf("user:unattributed")).not.toEqual(whereOf("user:x"));
  expect(JSON.stringify(whereOf("user:unattributed"))).not.toContain("user_id=");
  expect(whereOf("tool:x")).toEqual([{ list: "tool_name", has: "x" }]);
});
