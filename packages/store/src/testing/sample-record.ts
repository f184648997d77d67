/**
 * @module SampleRecord: a plain record of the ledger, of which a test states what matters to it.
 */
import type { TurnCall, TurnRow } from "@turnproof/evidence";

import type { TurnRecord } from "../ledger/turn-record.ts";

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
