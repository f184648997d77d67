/**
 * @module RandomTurns: random records of the ledger, over few values, so that several versions of
 * one turn and several tenants occur.
 */
import { insightCodes } from "@turnproof/evidence";
import type { TurnCall, TurnRow } from "@turnproof/evidence";
import fc from "fast-check";
import type { Arbitrary } from "fast-check";

import type { TurnRecord } from "../ledger/turn-record.ts";
import { hostileIds } from "./hostile.ts";
import { count, few, id, maybe, ms, some, time } from "./random-values.ts";

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
 * texts are stored: these are values that queries have.
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
export const randomTurn: Arbitrary<TurnRecord> = fc
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

/** Records of a history. */
export const turnRecords: Arbitrary<TurnRecord[]> = fc.array(randomTurn, {
  maxLength: 80,
  size: "max",
});
