/** @module MutationEdits: what may change in a single event: its facts and its identities. */
import type { JudgedWindow } from "./law.ts";
import type { Random } from "./random.ts";
import type { Json } from "./reading.ts";

/** The window with one event replaced. */
export function edit(window: JudgedWindow, event: Json, changed: Json): JudgedWindow {
  return { ...window, events: window.events.map((one) => (one === event ? changed : one)) };
}

/** The event with a field set or, by undefined, without it. */
export function withField(event: Json, field: string, value: unknown): Json {
  const { [field]: _, ...rest } = event;
  return value === undefined ? rest : { ...rest, [field]: value };
}

/** The event with an attribute set or without it. */
export function withAttribute(event: Json, name: string, value: unknown): Json {
  return withField(
    event,
    "attributes",
    withField((event["attributes"] as Json | undefined) ?? {}, name, value),
  );
}

type Flip = readonly [where: string, values: readonly unknown[]];

/** Facts by kind; a dot names an attribute, `in` and `out` the references. */
const facts: { readonly [kind: string]: readonly Flip[] } = {
  intent: [
    ["in.ownership_verified", [false]],
    ["in.provenance_status", ["missing", "unverified"]],
    ["in.role", ["background", "authoritative_other", "somebody's"]],
    [
      ".coverage_profile",
      [
        "chat_response",
        "content_derived_artifact",
        "interactive_response",
        "unheard_of",
        undefined,
      ],
    ],
    [".required_contracts", [["contract-9"], []]],
    [".expected_artifact_types", [["type-9"], []]],
  ],
  artifact: [
    [".artifact_status", ["failed", "deleted", "created"]],
    [".persistence_verified", [false, undefined]],
    ["in.ownership_verified", [false, true]],
    ["in.provenance_status", ["missing", "unverified", "verified"]],
    ["out.ownership_verified", [false, true]],
    ["out.provenance_status", ["missing", "unverified"]],
    [".source_independent", [true]],
    ["identity_derived", [["turn_id"]]],
  ],
  contract: [
    [".parser_status", ["failed", "missing", "partial", "success", undefined]],
    [".opening_marker_found", [false, undefined]],
    [".closing_marker_found", [false, undefined]],
    [".recovery_used", [true]],
    [".contract_finish_reason", ["length", "stop"]],
    [".required", [true]],
  ],
  delivery: [
    [".emitted", [false, undefined]],
    [".acknowledged", [false, null, undefined]],
    ["in.ownership_verified", [false, true]],
    ["in.provenance_status", ["missing"]],
    ["identity_derived", [["turn_id"]]],
    ["ingest_trusted", [false]],
  ],
  outcome: [
    [".outcome", ["failure", "success", "declined", "partial"]],
    [".verified", [true, false]],
    [".source", ["another"]],
  ],
  turn: [
    ["status", ["error", "success"]],
    [".ownership_verified", [false, true]],
  ],
  application_action: [
    ["status", ["error", "success"]],
    [".side_effect", [true, false]],
    [".credit_decision", ["charged"]],
    ["in", [[{ resource_type: "tool", ref: "t-1", version: "1", ownership_verified: false }]]],
  ],
  context_binding: [[".ownership_verified", [false, undefined]]],
  model_call: [
    ["status", ["error", "partial", "unknown"]],
    [".ownership_verified", [false]],
  ],
  tool_call: [["in", [[{ resource_type: "tool", ref: "t-2", provenance_status: "missing" }]]]],
  memory_selection: [["status", ["error"]]],
  memory_supply: [
    [".supplied_count", [0]],
    [".ownership_verified", [false]],
  ],
  data_quality: [
    [".loss_dropped", [1]],
    [".sampled_out", [1]],
    [".context_missing", [true]],
  ],
};

/** One fact of the event changed. */
export function flips(event: Json, random: Random): Json {
  const found = facts[String(event["event_kind"])];
  if (found === undefined) return event;
  const [where, values] = random.pick(found);
  const value = random.pick(values);
  const [first = "", second] = where.split(".");
  if (first === "") return withAttribute(event, second ?? "", value);
  const list = first === "in" ? "input_refs" : first === "out" ? "output_refs" : undefined;
  if (list === undefined) return withField(event, first, value);
  if (second === undefined) return withField(event, list, value);
  const held = (event[list] as readonly Json[] | undefined) ?? [];
  const at = random.below(held.length);
  return withField(
    event,
    list,
    held.map((ref, index) => (index === at ? withField(ref, second, value) : ref)),
  );
}

const tuple = ["application_id", "agent_id", "user_id", "thread_id", "root_trace_id", "turn_id"];

/**
 * The event under another identity: of its scope, its task, its span, its producer, its resources.
 */
export function identities(event: Json, all: readonly Json[], random: Random): Json {
  const other = random.pick(all) ?? event;
  const choice = random.below(9);
  if (choice < 2) {
    const field = random.pick(tuple);
    const value = random.pick(["elsewhere", undefined, other[field]]);
    return withField(event, field, value === null && field !== "user_id" ? undefined : value);
  }
  if (choice === 2)
    return withField(event, "task_id", random.pick(["another", undefined, other["task_id"]]));
  if (choice === 3)
    return withField(event, "event_id", random.pick(["another", other["event_id"]]));
  if (choice === 4) return withField(event, "span_id", random.pick(["another", other["span_id"]]));
  if (choice === 5) {
    const named = { producer_id: "another-1", producer_seq: 1 };
    return event["producer_id"] === undefined ? event : { ...event, ...named };
  }
  const attributes = (event["attributes"] as Json | undefined) ?? {};
  if (choice === 6) {
    const names = ["producing_span_id", "contract_name", "artifact_type"].filter(
      (name) => attributes[name] !== undefined,
    );
    return names.length === 0 ? event : withAttribute(event, random.pick(names), "another");
  }
  const list = random.pick(["input_refs", "output_refs"]);
  const held = (event[list] as readonly Json[] | undefined) ?? [];
  const at = random.below(held.length);
  const field = random.pick(["ref", "version", "resource_type"]);
  return withField(
    event,
    list,
    held.map((ref, index) => (index === at ? { ...ref, [field]: "another" } : ref)),
  );
}
