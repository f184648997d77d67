/**
 * @module PatternsData: made-up turns and events in the states that the patterns page shows.
 */
import { buildCausalWaterfall, foldTurns } from "@turnproof/evidence";
import type { CausalWaterfall, TurnEvent, TurnRow } from "@turnproof/evidence";

const day = "2026-11-21T14:0";

function event(id: string, more: Partial<TurnEvent>): TurnEvent {
  return {
    schema_version: 3,
    event_id: id,
    event_kind: "application_action",
    phase: "result",
    status: "success",
    timestamp: `${day}0:01.000Z`,
    started_at: `${day}0:00.000Z`,
    duration_ms: 1_000,
    span_id: id,
    root_trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
    application_id: "newsroom",
    agent_id: "briefing-writer",
    thread_id: "thr_amara_1",
    turn_id: "turn-1",
    user_id: "usr_amara",
    dialect: "turnproof",
    attributes: {},
    ...more,
  };
}

const at = (ms: number): string => `${day}0:0${(ms / 1_000).toFixed(3)}Z`;

function between(id: string, from: number, to: number, more: Partial<TurnEvent>): TurnEvent {
  return event(id, {
    started_at: at(from),
    timestamp: at(to),
    duration_ms: to - from,
    parent_span_id: "turn",
    ...more,
  });
}

const events: readonly TurnEvent[] = [
  event("turn", {
    event_kind: "turn",
    started_at: at(0),
    timestamp: at(4_000),
    duration_ms: 4_000,
    operation: "invoke_agent briefing-writer",
  }),
  between("memory", 40, 90, { event_kind: "memory_operation", operation: "search_memory" }),
  between("model", 100, 1_400, { event_kind: "model_call", attributes: { model: "atlas-2" } }),
  between("tool", 1_450, 1_900, {
    event_kind: "tool_call",
    status: "error",
    attributes: { tool_name: "search_archive", tool_outcome: "provider_error" },
  }),
  between("contract", 2_000, 2_000, {
    event_kind: "contract",
    phase: "event",
    operation: "contract.briefing_json",
  }),
  between("remote", 2_100, 2_600, {
    event_kind: "queue_transition",
    parent_remote: true,
    parent_span_id: "elsewhere",
    operation: "enqueue",
  }),
  between("artifact", 2_650, 2_650, { event_kind: "artifact", phase: "event" }),
  between("orphan", 2_700, 3_100, { parent_span_id: "never-seen", operation: "save_briefing" }),
  between("early", -0, 3_400, {
    started_at: at(3_600),
    operation: "clock_skewed",
    caused_by_event_id: "not-there",
  }),
  between("ring-a", 3_100, 3_300, { parent_span_id: "ring-b", operation: "ring_a" }),
  between("ring-b", 3_100, 3_200, { parent_span_id: "ring-a", operation: "ring_b" }),
  between("open", 3_000, 3_000, {
    event_id: "open:start",
    phase: "start",
    status: "started",
    event_kind: "tool_call",
    attributes: { tool_name: "translate" },
  }),
  between("delivery", 3_800, 3_800, {
    event_kind: "delivery",
    phase: "event",
    attributes: { delivery_target: "reader_view", emitted: true, acknowledged: null },
  }),
];

/** A waterfall with every flag. */
export const patternWaterfall: CausalWaterfall = buildCausalWaterfall(events);

/** An event with references, a ledger and refusals. */
export const patternEvent: TurnEvent = event("event-1", {
  event_kind: "memory_supply",
  operation: "memory.supply",
  task_id: "task_1",
  attributes: { supplied_count: 2, preference_names: ["tone", "length"], memory_degraded: true },
  input_refs: [
    { resource_type: "note", ref: "note_4101", version: "v3", ownership_verified: false },
    { resource_type: "summary", ref: "sha256:9f2c41d0aa", provenance_status: "unverified" },
  ],
  selection_ledger: [
    {
      resource: { resource_type: "note", ref: "note_4101" },
      candidate_rank: 1,
      selected: true,
      selection_reason: "relevance",
    },
  ],
  dropped: { attribute_unknown: 3, attribute_content: 1 },
  identity_derived: ["agent_id"],
});

const [folded] = foldTurns(events);

function row(number: number, more: Partial<TurnRow>): TurnRow[] {
  if (folded === undefined) return [];
  return [
    {
      ...folded,
      root_trace_id: `4bf92f3577b34da6a3ce929d0e0e473${number}`,
      ended_at: `${day}${number}:04.000Z`,
      duration_ms: 900 * number,
      ...more,
    },
  ];
}

/** Turns in the states of the list. */
export const patternTurns: readonly TurnRow[] = [
  ...row(5, {
    releases: ["2.4.0"],
    verdict: "success",
    finding_codes: [],
    cache_decision: "miss",
    has_error: false,
  }),
  ...row(4, {
    releases: ["2.4.0"],
    verdict: "partial",
    finding_codes: ["delivery_unconfirmed"],
    status: "partial",
  }),
  ...row(3, {
    releases: ["2.3.0"],
    verdict: "failed",
    finding_codes: ["artifact_missing", "contract_parse_failed", "delivery_unconfirmed"],
    status: "error",
    memory_retrieved: 14,
    memory_supplied: 4,
    memory_referenced: null,
    memory_degraded: true,
    input_tokens: 5_360,
    output_tokens: 240,
    cached_tokens: 2_048,
    usage_state: "partial",
    cache_decision: "bypassed",
  }),
  ...row(2, {
    releases: ["2.3.0"],
    verdict: "unknown",
    finding_codes: [],
    cache_decision: "hit",
    duration_ms: 12,
  }),
  ...row(1, { verdict: null, finding_codes: null, duration_ms: null, status: "started" }),
];
