/** @module SampleEvent: events for clauses, as a receiver would pass them on. */
import type { TurnEvent } from "@turnproof/evidence";
import { isoMicros } from "@turnproof/semconv";

import { issueOperatorGrant } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";

/** The scope of an operator without a tenant. */
export const allTenants: EvidenceScope = { operator: issueOperatorGrant() };

/** A tool call's result with this span id; `fields` overrides. */
export function sampleEvent(spanId: string, fields: Partial<TurnEvent> = {}): TurnEvent {
  return {
    schema_version: 3,
    event_id: `${spanId}:${fields.phase ?? "result"}`,
    event_kind: "tool_call",
    operation: "execute_tool",
    phase: "result",
    status: "success",
    timestamp: "2026-03-01T10:00:01.000000001Z",
    span_id: spanId,
    root_trace_id: "root-1",
    ingest_principal: "app",
    dialect: "turnproof",
    attributes: {},
    ...fields,
  };
}

/**
 * A turn of one user: the turn span with the identity, and a model call and a tool call without
 * it.
 */
export function sampleTurn(root: string, who: Partial<TurnEvent>): TurnEvent[] {
  const time = (second: number): string => `2026-03-01T10:00:0${second}.123456789Z`;
  return [
    sampleEvent("aa", {
      ...who,
      root_trace_id: root,
      event_kind: "turn",
      timestamp: time(5),
      started_at: time(1),
      duration_ms: 4000,
    }),
    sampleEvent("bb", {
      root_trace_id: root,
      event_kind: "model_call",
      parent_span_id: "aa",
      timestamp: time(3),
      attributes: { model: "m-1", input_tokens: 12 },
    }),
    sampleEvent("cc", {
      root_trace_id: root,
      parent_span_id: "bb",
      timestamp: time(4),
      attributes: { tool_name: "search", tool_outcome: "empty" },
    }),
  ];
}

/** A received time: this many seconds after a fixed moment. */
export function receivedAt(second: number): string {
  return isoMicros((Date.UTC(2026, 2, 2, 8) + second * 1000) * 1_000);
}

/** An event without the fields that differ between two receipts of it. */
export function withoutReceipt(event: TurnEvent): Partial<TurnEvent> {
  const { received_at: _received, ...rest } = event;
  return rest;
}
