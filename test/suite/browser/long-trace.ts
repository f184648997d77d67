/** @module A trace whose every word, id and number is as long as the receiver admits it. */
import type { TurnEvent } from "@turnproof/evidence";
import { limits, registryRows } from "@turnproof/semconv";

/** Root of the long trace. */
export const longRoot: string = "cd".repeat(16);

/** An opaque id without a place to break it, of the length that the receiver admits. */
export const longWord: string = "Donaudampfschifffahrtsgesellschaft_"
  .repeat(9)
  .slice(0, limits.stringCharsMax);

const many = 987_654_321_098;

function attributes(): TurnEvent["attributes"] {
  const values: Record<string, unknown> = {};
  for (const { slot, event, type } of registryRows) {
    if (slot !== "attributes") continue;
    if (type === "string") values[event] = longWord;
    else if (type === "string[]") values[event] = [longWord, longWord];
    else if (type.endsWith("[]")) values[event] = [many, many];
    else if (type !== "boolean") values[event] = many;
  }
  return values;
}

const kinds = ["turn", "model_call", "tool_call", "context_binding", "cache_decision"] as const;
const more = ["intent", "artifact", "contract", "delivery", "outcome", "memory_supply"] as const;

/** One turn of it, with an event of most kinds. */
export const longTrace: readonly TurnEvent[] = [...kinds, ...more].map((kind, index) => ({
  schema_version: 3,
  event_id: `${longWord.slice(0, 200)}:${index}`,
  event_kind: kind,
  operation: longWord,
  phase: "result" as const,
  status: index % 2 === 0 ? ("error" as const) : ("success" as const),
  timestamp: `2026-11-21T14:00:${String(index + 10)}.000Z`,
  started_at: "2026-11-21T14:00:00.000Z",
  duration_ms: many,
  span_id: `${longWord.slice(0, 200)}${index}`,
  ...(index === 0 ? {} : { parent_span_id: `${longWord.slice(0, 200)}0` }),
  task_id: longWord,
  application_id: longWord,
  agent_id: longWord,
  user_id: longWord,
  memory_id: longWord,
  thread_id: longWord,
  run_id: longWord,
  turn_id: longWord,
  root_trace_id: longRoot,
  input_refs: [{ resource_type: longWord, ref: longWord, version: longWord, role: longWord }],
  output_refs: [{ resource_type: longWord, ref: longWord }],
  selection_ledger: [
    {
      resource: { resource_type: longWord, ref: longWord },
      selected: true,
      selection_reason: longWord,
    },
  ],
  producer_id: longWord,
  component: longWord,
  attributes: attributes(),
  dropped: { attribute_unknown: many },
}));
