/** @module Window: realistic windows of any size, built once per size and shared by all benches. */
import type { TurnEvent } from "@turnproof/evidence";

/** Events of one turn: what a turn with a recorder, memory and tools leaves. */
const turnEvents = 25;

const pad = (value: number, width: number): string => String(value).padStart(width, "0");

function instant(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const day = 1 + (Math.floor(seconds / 86_400) % 28);
  const clock = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
  return `2026-11-${pad(day, 2)}T${clock.map((part) => pad(part, 2)).join(":")}.${pad(ms % 1000, 3)}000000Z`;
}

type Extra = Partial<TurnEvent>;

/** One turn that verdicts success, with 18 runtime events around its recorder evidence. */
function turn(number: number): TurnEvent[] {
  const hex = number.toString(16).padStart(16, "0");
  const identity = {
    application_id: "support-desk",
    agent_id: `agent-${number % 5}`,
    user_id: `user-${number % 997}`,
    thread_id: `thread-${Math.floor(number / 4)}`,
    run_id: `run-${number}`,
    root_trace_id: `4bf92f3577b34da6${hex}`,
    turn_id: `turn-${number}`,
  };
  const span = (index: number): string => `${hex.slice(4)}${pad(index, 4)}`;
  const events: TurnEvent[] = [];
  const add = (event_kind: TurnEvent["event_kind"], extra: Extra, parent = 0): void => {
    const index = events.length;
    const ms = number * 30_000 + index * 40;
    events.push({
      schema_version: 3,
      event_id: `${span(index)}:result`,
      event_kind,
      operation: event_kind,
      phase: "result",
      status: "success",
      timestamp: instant(ms + 39),
      started_at: instant(ms),
      received_at: instant(ms + 5000),
      duration_ms: 39,
      producer_id: "desk",
      producer_seq: number * turnEvents + index + 1,
      span_id: span(index),
      ...(index === 0 ? {} : { parent_span_id: span(parent) }),
      revision: 1,
      source_store: "trace",
      ...identity,
      ...extra,
      attributes: { ...extra.attributes },
    });
  };
  const source = { resource_type: "document", ref: `doc-${number}`, version: "3" };
  const authoritative = { ...source, role: "authoritative_current_source" };
  const reply = { resource_type: "reply", ref: `reply-${number}`, version: "1" };
  const requested = { expected_artifact_types: ["reply"], required_contracts: ["feed"] };
  const profile = { coverage_profile: "interactive_response" };
  add("turn", {});
  add("intent", { attributes: { ...requested, ...profile }, input_refs: [authoritative] });
  add("context_binding", { attributes: { thread_binding_status: "matched" } });
  add("memory_retrieval", { attributes: { retrieved_count: 12 } });
  add("memory_supply", { attributes: { supplied_count: 6, referenced_count: 1 } });
  add("cache_decision", { attributes: { cache_decision: "miss" } });
  for (let call = 0; call < 5; call += 1) {
    const usage = { input_tokens: 1200, output_tokens: 90 + call };
    add("model_call", { attributes: { model: "model-a", provider: "provider-a", ...usage } });
    add(
      "tool_call",
      { attributes: { tool_name: `tool_${call}`, result_count: 3 } },
      events.length - 1,
    );
  }
  add("span", {}, events.length - 1);
  add("application_action", { attributes: { side_effect: true } });
  const producing_span_id = span(events.length - 1);
  const persisted = { artifact_type: "reply", persistence_verified: true, producing_span_id };
  add("artifact", { attributes: persisted, input_refs: [authoritative], output_refs: [reply] });
  add("contract", {
    attributes: {
      contract_name: "feed",
      parser_status: "success",
      opening_marker_found: true,
      closing_marker_found: true,
    },
  });
  const delivered = { emitted: true, acknowledged: true, contract_name: "feed" };
  add("delivery", { attributes: delivered, input_refs: [reply] });
  while (events.length < turnEvents) add("memory_operation", { attributes: { record_count: 1 } });
  return events;
}

/** A window of about so many events; turns are whole. */
export function buildWindow(size: number): TurnEvent[] {
  const events: TurnEvent[] = [];
  for (let number = 0; events.length < size; number += 1) events.push(...turn(number));
  return events;
}
