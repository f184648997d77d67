/**
 * @module GeneratedWindows: windows that verdict success, of every shape that the rules allow, and
 * which of their events the success rests on.
 */
import fc from "fast-check";

import type { Json } from "./verdict-cases.ts";

/** What a generated window is made of. */
export interface Shape {
  readonly turns: number;
  readonly tasks: number;
  readonly types: number;
  readonly contracts: number;
  /** Failed states come first and are superseded. */
  readonly superseded: boolean;
  readonly profile: "none" | "content_derived_artifact" | "interactive_response";
  /** Evidence carries its task; without, there is one intent per turn. */
  readonly labelled: boolean;
  readonly namesContract: boolean;
  readonly anonymous: boolean;
  readonly noise: number;
}

/** An event and whether the success rests on it. */
export interface Part {
  readonly event: Json;
  readonly needed: boolean;
}

/** Any shape; without labels a turn has exactly one task. */
export const shapes: fc.Arbitrary<Shape> = fc
  .record({
    turns: fc.integer({ min: 1, max: 2 }),
    tasks: fc.integer({ min: 1, max: 3 }),
    types: fc.integer({ min: 0, max: 2 }),
    contracts: fc.integer({ min: 0, max: 2 }),
    superseded: fc.boolean(),
    profile: fc.constantFrom(
      "none" as const,
      "content_derived_artifact" as const,
      "interactive_response" as const,
    ),
    labelled: fc.boolean(),
    namesContract: fc.boolean(),
    anonymous: fc.boolean(),
    noise: fc.integer({ min: 0, max: 3 }),
  })
  .map((shape) => ({
    ...shape,
    tasks: shape.labelled ? shape.tasks : 1,
    // Something must be requested, and a profile requires its own stages.
    types:
      shape.profile === "content_derived_artifact" || shape.contracts === 0
        ? Math.max(1, shape.types)
        : shape.types,
    contracts:
      shape.profile === "interactive_response" ? Math.max(1, shape.contracts) : shape.contracts,
  }));

export { whole as complete } from "./text-windows.ts";

const source = {
  resource_type: "document",
  ref: "doc-7",
  version: "3",
  role: "authoritative_current_source",
  provenance_status: "verified",
};

const pad = (value: number): string => String(value).padStart(2, "0");

/** An instant of the test's day, and the same in the clock of receipt. */
export function at(step: number): { readonly timestamp: string; readonly received_at: string } {
  const clock = `${pad(Math.floor(step / 60))}:${pad(step % 60)}`;
  return {
    timestamp: `2026-11-21T10:${clock}.000000001Z`,
    received_at: `2026-11-21T11:${clock}Z`,
  };
}

/** Builds the window of a shape. Steps are a second apart, numbered by one producer. */
export function buildWindow(shape: Shape): Part[] {
  const parts: Part[] = [];
  let step = 0;
  for (let turn = 0; turn < shape.turns; turn += 1) {
    const identity = {
      application_id: "app",
      agent_id: "agent",
      user_id: shape.anonymous ? null : "user",
      thread_id: "thread",
      root_trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
      turn_id: `turn-${turn}`,
    };
    const add = (kind: string, attributes: Json, extra: Json = {}, needed = true): string => {
      step += 1;
      const id = `${turn}-${kind}-${step}`;
      const seq = { producer_id: "producer", producer_seq: step };
      const own = { schema_version: 3, event_id: id, event_kind: kind, phase: "event" };
      const event = { ...own, status: "success", ...at(step), ...seq, ...identity, ...extra };
      parts.push({ event: { ...event, attributes }, needed });
      return id;
    };
    for (let noise = 0; noise < shape.noise; noise += 1) {
      add("cache_decision", { cache_decision: "miss" }, {}, false);
    }
    if (shape.profile === "content_derived_artifact") add("memory_supply", { supplied_count: 3 });
    if (shape.profile === "interactive_response") {
      add("model_call", { model: "m", output_tokens: 9 }, { phase: "result", span_id: `m${turn}` });
    }
    for (let task = 0; task < shape.tasks; task += 1) addTask(shape, { turn, task, add });
  }
  return parts;
}

interface TaskPlace {
  readonly turn: number;
  readonly task: number;
  readonly add: (kind: string, attributes: Json, extra?: Json, needed?: boolean) => string;
}

function addTask(shape: Shape, { turn, task, add }: TaskPlace): void {
  const label: Json = shape.labelled ? { task_id: `task-${task}` } : {};
  const types = Array.from({ length: shape.types }, (_, type) => `type-${type}`);
  const contracts = Array.from(
    { length: shape.contracts },
    (_, contract) => `contract-${contract}`,
  );
  const profile = shape.profile === "none" ? {} : { coverage_profile: shape.profile };
  add(
    "intent",
    { expected_artifact_types: types, required_contracts: contracts, ...profile },
    { ...label, input_refs: [source] },
  );
  const span = `span-${turn}-${task}`;
  if (types.length > 0) add("application_action", {}, { ...label, span_id: span, phase: "result" });
  const artifact = (type: string, version: string, status: string, needed: boolean): void => {
    const state = { artifact_status: status, persistence_verified: status !== "failed" };
    add(
      "artifact",
      { artifact_type: type, producing_span_id: span, ...state },
      { ...label, input_refs: [source], output_refs: [refOf(type, task, version)] },
      needed,
    );
  };
  const contract = (name: string, parser: string, needed: boolean): void => {
    const markers = { opening_marker_found: true, closing_marker_found: true };
    add("contract", { contract_name: name, parser_status: parser, ...markers }, label, needed);
  };
  if (shape.superseded) {
    for (const type of types) artifact(type, "1", "failed", false);
    for (const name of contracts) contract(name, "failed", false);
    add("delivery", { emitted: false }, label, false);
  }
  for (const type of types) artifact(type, "2", "updated", true);
  for (const name of contracts) contract(name, "success", true);
  const done = { emitted: true, acknowledged: true, delivery_target: "browser" };
  const refs = types.map((type) => refOf(type, task, "2"));
  const named = shape.namesContract ? contracts : [];
  for (const contract_name of named.slice(0, -1))
    add("delivery", { ...done, contract_name }, label);
  const last = named.at(-1);
  const carried = last === undefined ? {} : { contract_name: last };
  add("delivery", { ...done, ...carried }, { ...label, input_refs: refs });
}

function refOf(type: string, task: number, version: string): Json {
  return { resource_type: type, ref: `${type}-of-${task}`, version };
}
