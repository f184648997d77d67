/**
 * @module RandomTurns: random records and questions of the ledger, over few values, so that
 * groups, ties, unknown values and tenants occur.
 */
import { insightCodes } from "@turnproof/evidence";
import type { TurnCall, TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import {
  listFields,
  microsOf,
  numberFields,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { ListField, NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";
import type {
  CallField,
  CallOptions,
  CallValues,
  TurnCondition,
  TurnOrder,
} from "../ledger/turn-question.ts";
import { groupOrderFields } from "../ledger/turn-question.ts";
import { turnOrderFields } from "../ledger/turn-orders.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { EvidenceScope } from "../scope.ts";
import { hostileIds } from "./hostile.ts";
import { allTenants } from "./sample-event.ts";
import type { TurnHistory } from "./turn-answers.ts";

const few: Arbitrary<string> = fc.constantFrom(
  "one",
  "two",
  "o'ne",
  "t\u0000wo",
  "Ünïcode",
  "𝒶",
  "",
);
const id: Arbitrary<string> = fc.oneof(few, fc.constantFrom(...hostileIds));
const some = (values: Arbitrary<string>): Arbitrary<string[]> =>
  fc.uniqueArray(values, { maxLength: 3 });
const count: Arbitrary<number> = fc.constantFrom(0, 1, 2, 3, 40);
const maybe = <T>(values: Arbitrary<T>): Arbitrary<T | null> => fc.option(values, { freq: 3 });
const ms: Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 0.5, 12, 1e6),
  fc.integer({ min: 1, max: 60 }),
);
const time: Arbitrary<string> = fc.constantFrom(
  "2026-03-01T10:00:00Z",
  "2026-03-01T10:00:00.5Z",
  "2026-03-01T10:00:00.500001Z",
  "2026-03-01T10:01:00Z",
  "1969-12-31T23:59:59.75Z",
  "2026-03-02T00:00:00.000000001Z",
);
const verdict = fc.constantFrom("success", "failed", "partial", "unknown", "open");
/** Findings of each priority, an insight, and a code of another version. */
const code = fc.constantFrom(
  "delivery_missing",
  "artifact_missing",
  "clock_conflict",
  ...insightCodes.slice(0, 1),
  "code_of_another_version",
);

const everyCallHas: Exclude<
  keyof TurnCall,
  `cache_${string}` | `reasoning_${string}` | `service_${string}`
>[] = [
  "kind",
  "name",
  "provider",
  "outcome",
  "error_type",
  "duration_ms",
  "input_tokens",
  "output_tokens",
  "cached_tokens",
];

/** Records of an earlier version lack some counts. */
const call: Arbitrary<TurnCall> = fc.record(
  {
    kind: fc.constantFrom("model" as const, "tool" as const, "agent" as const),
    name: maybe(few),
    provider: maybe(few),
    outcome: maybe(fc.constantFrom("success", "error", "fallback")),
    error_type: maybe(few),
    duration_ms: maybe(ms),
    input_tokens: maybe(count),
    output_tokens: maybe(count),
    cached_tokens: maybe(count),
    cache_write_tokens: maybe(count),
    reasoning_tokens: maybe(count),
    service_tier: maybe(few),
  },
  { requiredKeys: everyCallHas },
);

const identity = fc.record(
  {
    application_id: few,
    agent_id: few,
    user_id: fc.option(id),
    thread_id: id,
    memory_id: few,
    run_id: few,
    turn_id: id,
  },
  { requiredKeys: [] },
);

/**
 * Reasons of a verdict by the number of models and tools; a turn with none or many lacks them. Any
 * texts are stored: these are values that questions have.
 */
const reasonSets: readonly (readonly string[] | undefined)[] = [
  undefined,
  ["error"],
  ["delivery", "error"],
  [],
];

const row: Arbitrary<TurnRow> = fc
  .record({
    recorded: identity,
    started_at: time,
    ended_at: time,
    duration_ms: maybe(ms),
    timing_state: fc.constantFrom("measured", "missing_completion", "instantaneous", "unknown"),
    status: fc.constantFrom("success", "error", "started"),
    has_error: fc.boolean(),
    event_count: count,
    kinds: some(fc.constantFrom("turn", "artifact", "delivery", "feedback", "model_call")),
    models: some(few),
    tool_names: some(few),
    tools: fc.record({
      results: count,
      clean: count,
      empty: count,
      degraded: count,
      fallback: count,
      provider_error: count,
      error: count,
      unknown: count,
    }),
    input_tokens: maybe(count),
    output_tokens: maybe(count),
    cached_tokens: maybe(count),
    total_tokens: maybe(count),
    memory_supplied: maybe(count),
    missing_completion: count,
    cache_decision: maybe(fc.constantFrom("hit", "miss")),
    releases: some(few),
    producers: some(few),
    received_at: maybe(time),
    verdict: maybe(verdict),
    orphan_spans: fc.option(fc.nat({ max: 2 }), { nil: undefined }),
    finding_codes: maybe(some(code)),
    coverage_profiles: some(
      fc.constantFrom("chat_response", "content_derived_artifact", "interactive_response", "own"),
    ),
  })
  .map(({ recorded, kinds, orphan_spans, ...figures }) => {
    const event_kind_counts = Object.fromEntries(kinds.map((kind) => [kind, 1]));
    const rest = {
      tenant_state: "unattributed",
      usage_state: "known",
      memory_retrieved: null,
      memory_referenced: null,
      memory_degraded: null,
      dialects: ["gen_ai"],
      services: [],
      dropped: {},
    };
    // A record of an earlier version lacks them.
    const orphans = orphan_spans === undefined ? {} : { orphan_spans };
    const verdict_reasons = reasonSets[figures.models.length + figures.tool_names.length];
    const reasons = verdict_reasons === undefined ? {} : { verdict_reasons };
    return {
      ...rest,
      ...recorded,
      ...figures,
      ...orphans,
      ...reasons,
      event_kind_counts,
    } as unknown as TurnRow;
  });

const rootIds = ["one", "two", "o'ne", ...hostileIds];

/** A record; keys are few, so that several versions of one turn occur. */
const randomTurn: Arbitrary<TurnRecord> = fc
  .record({
    turn: fc.nat({ max: 59 }),
    version: fc.record({
      epoch: fc.constantFrom(0, 1),
      rows: fc.constantFrom(1, 2, 3),
      settled: fc.boolean(),
    }),
    row,
    calls: fc.array(call, { maxLength: 4 }),
    environments: some(few),
    names: some(
      fc.oneof(
        id,
        fc.constantFrom("app:one", "app:two", "run:one", "app:"),
        fc.constantFrom("contract:a=holds", "contract:a=violated", "contract:a@0f=holds"),
      ),
    ),
    judged_at: maybe(time),
    as_of: maybe(time),
  })
  .map(({ turn, row: recorded, ...rest }) => ({
    ...rest,
    // The root is part of a key, so versions of one turn share it.
    row: { ...recorded, root_trace_id: rootIds[turn % rootIds.length] ?? "" },
    key: `key-${turn}`,
    first_received: `2026-03-0${1 + (turn % 9)}T10:00:${10 + (turn % 7)}.00012${turn % 10}Z`,
  }));

/** A plain turn under this key with one tool call, named after its first model. */
export function sampleRecord(
  key: string,
  recorded: Partial<TurnRow>,
  version: TurnRecord["version"] = { epoch: 0, rows: 1, settled: true },
): TurnRecord {
  const at = "2026-03-01T10:00:00Z";
  const none = { results: 1, clean: 1, empty: 0, degraded: 0, fallback: 0 };
  const row = {
    tenant_state: "unattributed",
    root_trace_id: key,
    started_at: at,
    ended_at: at,
    duration_ms: 5,
    timing_state: "measured",
    usage_state: "known",
    status: "success",
    has_error: false,
    event_count: 1,
    event_kind_counts: { turn: 1 },
    models: [],
    tool_names: [],
    tools: { ...none, provider_error: 0, error: 0, unknown: 0 },
    input_tokens: 1,
    output_tokens: 1,
    cached_tokens: null,
    total_tokens: 2,
    memory_supplied: null,
    memory_retrieved: null,
    memory_referenced: null,
    memory_degraded: null,
    missing_completion: 0,
    cache_decision: null,
    coverage_profiles: [],
    dialects: [],
    services: [],
    releases: [],
    producers: [],
    dropped: {},
    received_at: at,
    ...recorded,
  } as unknown as TurnRow;
  const tool: TurnCall = {
    kind: "tool",
    name: row.models[0] ?? null,
    provider: null,
    outcome: "success",
    error_type: null,
    duration_ms: 1,
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
  };
  const times = { first_received: at, judged_at: null, as_of: null };
  return { key, version, row, calls: [tool], environments: [], names: [], ...times };
}

const namesOf = <T extends string>(table: Readonly<Record<T, unknown>>): Arbitrary<T> =>
  fc.constantFrom(...(Object.keys(table) as T[]));

/** Fields that turns are counted by. */
const countedField: Arbitrary<TextField | ListField> = fc.oneof(
  namesOf<TextField>(textFields),
  namesOf<ListField>(listFields),
);

const value: Arbitrary<string> = fc.oneof(
  id,
  fc.constantFrom("success", "failed", "unjudged", "error", "hit", "none", "delivery", "id:one"),
  fc.constantFrom("contract:a=holds", "a=holds", "a=violated", "a@0f=holds", "app:one"),
  fc.constantFrom("\ud800", "\ufffd"),
);

/** Parts of ids: in another case, of control characters, with a meaning in patterns. */
const part: Arbitrary<string> = fc.oneof(
  value,
  fc.constantFrom(
    "o",
    "ON",
    "0",
    "1",
    "\u0000W",
    "t\u0000",
    "\u0001",
    "N\u00ef",
    "ü",
    "Ü",
    ".",
    "'",
    "_",
  ),
);

/** Numbers that are no valid measurement. */
const odd: Arbitrary<number> = fc.constantFrom(NaN, Infinity, -Infinity, -0, 0.1 + 0.2);

/** Values of a call, some of them. */
const calledKeys = {
  kind: fc.constantFrom("model" as const, "tool" as const, "agent" as const),
  name: maybe(few),
  provider: maybe(few),
  outcome: maybe(fc.constantFrom("success", "error", "fallback")),
  error_type: maybe(few),
};
const knownUsage = fc.constantFrom("i", "o", "io", "ioc", "iox", "iocx", "iocwr", "iocwrx", "cwr");
// Few calls equal values of every key, so most conditions have those of the columns alone.
const calledValues: Arbitrary<CallValues> = fc.oneof(
  { weight: 3, arbitrary: fc.record(calledKeys, { requiredKeys: ["kind"] }) },
  fc.record(
    { ...calledKeys, service_tier: maybe(few), known: maybe(knownUsage) },
    { requiredKeys: ["kind"] },
  ),
);

/** A condition. */
const randomCondition: Arbitrary<TurnCondition> = fc.letrec<{ one: TurnCondition }>((tie) => {
  const plain = fc.oneof(
    fc.record({ text: namesOf<TextField>(textFields), is: maybe(value) }),
    fc.record({
      part: fc.constantFrom(
        ...(["agent_id", "thread_id", "root_trace_id", "turn_id", "tenant", "name"] as const),
      ),
      of: part,
    }),
    fc.record({ prefix: fc.constant("root_trace_id" as const), of: part }),
    fc.record({ list: namesOf<ListField>(listFields), has: fc.option(value, { freq: 4 }) }),
    fc.record({
      number: namesOf<NumberField>(numberFields),
      sign: fc.constantFrom("<" as const, "<=" as const, "=" as const, ">=" as const, ">" as const),
      value: fc.oneof({ weight: 9, arbitrary: ms }, { weight: 1, arbitrary: odd }),
    }),
    fc.record({ time: namesOf<TimeField>(timeFields), from: time }),
    fc.record({ time: namesOf<TimeField>(timeFields), to: time }),
  );
  const any = fc.record({ any: fc.array(tie("one"), { maxLength: 3 }) });
  const chosen = fc.oneof({ depthSize: "small" }, plain, any);
  return {
    one: fc
      .tuple(chosen, fc.boolean())
      .map(([recorded, not]) => (not ? { ...recorded, not: true as const } : recorded)),
  };
}).one;

/** An order of a list. */
const randomOrder: Arbitrary<TurnOrder> = fc
  .tuple(fc.constantFrom(...turnOrderFields), fc.boolean())
  .map(([by, up]) => (up ? { by, ascending: true as const } : { by }));

const scope: Arbitrary<EvidenceScope> = fc.oneof(
  fc.constant(allTenants),
  fc.constantFrom("one", "o'ne", "two").map((tenant) => ({ tenant })),
  fc.constant({ tenant: null }),
  fc.constant({ tenant: "one", applicationId: "two" }),
);

const callFields: Arbitrary<CallField[]> = fc.uniqueArray(
  fc.constantFrom<CallField[]>(
    "name",
    "provider",
    "outcome",
    "error_type",
    "agent_id",
    "release",
    "tenant",
    "thread_id",
  ),
  { maxLength: 3 },
);

const callOptions: Arbitrary<CallOptions> = fc.record(
  { everyMs: fc.constantFrom(1, 60_000), inputSteps: fc.constantFrom([], [0], [1, 2], [2, 39]) },
  { requiredKeys: [] },
);

/** Records of a history. */
export const turnRecords: Arbitrary<TurnRecord[]> = fc.array(randomTurn, {
  maxLength: 80,
  size: "max",
});

/** A history and a question about it. */
export const turnHistories: Arbitrary<TurnHistory> = fc.record({
  records: turnRecords,
  gone: fc.array(randomTurn, { maxLength: 4 }),
  question: fc.record({ scope, where: fc.array(randomCondition, { maxLength: 2 }) }),
  order: randomOrder,
  field: countedField,
  by: callFields,
  divided: callOptions,
  called: calledValues,
  everyMs: fc.constantFrom(undefined, 1, 60_000, 86_400_000),
  time: fc.constantFrom(undefined, "started_at", "ended_at", "first_received", "received_at"),
  aheadFrom: fc.option(time.map(microsOf), { nil: undefined }),
  groupOrder: fc.option(
    fc.record({ by: fc.constantFrom(...groupOrderFields), ascending: fc.boolean() }),
    { nil: undefined },
  ),
});
