/** @module Mutations: every single change after which a success must be something else. */
import type { WindowMetadata } from "@turnproof/evidence";

import { at, complete } from "./generated-windows.ts";
import type { Part } from "./generated-windows.ts";
import { silentOn } from "./text-windows.ts";
import type { Json } from "./verdict-cases.ts";

/** A changed window, with the name of the change for the report. */
export interface Mutant {
  readonly name: string;
  readonly events: readonly Json[];
  readonly metadata: WindowMetadata;
}

const identityFields = [
  "application_id",
  "agent_id",
  "user_id",
  "thread_id",
  "root_trace_id",
  "turn_id",
] as const;

type Edit = (event: Json) => Json;

const attributes = (change: Json): Edit => {
  return (event) => ({ ...event, attributes: { ...(event["attributes"] as Json), ...change } });
};

const move = (field: string, value: unknown): Edit => {
  return (event) => ({ ...event, [field]: value });
};

function version(event: Json, list: string): Json {
  const refs = (event[list] as Json[]).map((ref) => ({ ...ref, version: "swapped" }));
  return { ...event, [list]: refs };
}

/** Changes of one event that the success rests on. */
function editsOf(event: Json): [string, Edit][] {
  const edits: [string, Edit][] = identityFields.flatMap((field): [string, Edit][] => [
    [`${field} altered`, move(field, "altered")],
    [`${field} removed`, move(field, undefined)],
  ]);
  edits.push(["moved to another task", move("task_id", "another task")]);
  switch (event["event_kind"]) {
    case "artifact":
      edits.push(
        ["deleted", attributes({ artifact_status: "deleted" })],
        ["update failed", attributes({ artifact_status: "failed" })],
        ["persistence unverified", attributes({ persistence_verified: false })],
        ["persistence unknown", attributes({ persistence_verified: undefined })],
        ["sources emptied", move("input_refs", [])],
        ["version swapped", (one) => version(one, "output_refs")],
        ["source version swapped", (one) => version(one, "input_refs")],
        ["persisted after delivery", (one) => ({ ...one, ...at(3000), producer_seq: 3000 })],
        ["numbered after delivery", move("producer_seq", 3000)],
      );
      break;
    case "contract":
      edits.push(
        ["recovered", attributes({ recovery_used: true })],
        ["parse failed", attributes({ parser_status: "failed" })],
        ["parse missing", attributes({ parser_status: "missing" })],
        ["parse partial", attributes({ parser_status: "partial" })],
        ["parse unknown", attributes({ parser_status: undefined })],
        ["marker missing", attributes({ opening_marker_found: false })],
        ["truncated", attributes({ contract_finish_reason: "max_tokens" })],
        ["parsed after delivery", (one) => ({ ...one, ...at(3000), producer_seq: 3000 })],
        ["numbered after delivery", move("producer_seq", 3000)],
      );
      break;
    case "delivery":
      edits.push(
        ["not emitted", attributes({ emitted: false })],
        ["emission unknown", attributes({ emitted: undefined })],
        ["acknowledgement unset", attributes({ acknowledged: undefined })],
        ["acknowledgement unknown", attributes({ acknowledged: null })],
        ["acknowledgement denied", attributes({ acknowledged: false })],
        ["untrusted", move("ingest_trusted", false)],
        ["identity derived", move("identity_derived", ["turn_id"])],
        ["before everything", (one) => ({ ...one, ...at(0), producer_seq: 0 })],
      );
      if (((event["input_refs"] as Json[] | undefined)?.length ?? 0) > 0) {
        edits.push(["version swapped", (one) => version(one, "input_refs")]);
      }
      break;
    case "application_action":
      edits.push(
        ["failed", move("status", "error")],
        ["never ended", (one) => ({ ...one, phase: "start", status: "started" })],
      );
      break;
    case "intent":
      edits.push(["source version swapped", (one) => version(one, "input_refs")]);
      break;
    case "model_call":
      edits.push(["never ended", (one) => ({ ...one, phase: "start", status: "started" })]);
      break;
    default:
      break;
  }
  return edits;
}

/** All mutants of a window. */
export function mutants(parts: readonly Part[]): Mutant[] {
  const all = parts.map(({ event }) => event);
  const report = (loss: Json): Json => ({
    ...all[0],
    event_id: "report",
    event_kind: "data_quality",
    phase: "event",
    attributes: { loss_created: 9, ...loss },
  });
  const window = (name: string, change: Partial<WindowMetadata>): Mutant => {
    return { name, events: all, metadata: { ...complete, ...change } };
  };
  const loss = (name: string, change: Json): Mutant => {
    return { name, events: [...all, report(change)], metadata: complete };
  };
  const found: Mutant[] = [
    window("window truncated", { truncated: true }),
    window("window incomplete", { window_complete: false }),
    window("window untrusted", { read_completeness: "untrusted" }),
    window("records unreadable", { normalization_errors: 2 }),
    { name: "nothing said but complete", events: all, metadata: { window_complete: true } },
    { name: "truncation unknown", events: all, metadata: silentOn("truncated") },
    { name: "unreadable records unknown", events: all, metadata: silentOn("normalization_errors") },
    { name: "how it was read unknown", events: all, metadata: silentOn("read_completeness") },
    window("known loss", { known_loss: 1 }),
    window("sampled out", { sampled_out: 1 }),
    loss("reported loss", { loss_dropped: 1 }),
    loss("reported sampling", { sampled_out: 1 }),
    loss("reported write failure", { write_failures: 1 }),
    { name: "junk among the events", events: [...all, { event_kind: "?" }], metadata: complete },
  ];
  parts.forEach(({ event, needed }, index) => {
    if (!needed) return;
    const name = String(event["event_id"]);
    const rest = all.filter((_, other) => other !== index);
    found.push({ name: `${name}: dropped`, events: rest, metadata: complete });
    for (const [what, edit] of editsOf(event)) {
      if (skips(event, what, all)) continue;
      const events = all.with(index, withoutUndefined(edit(event)));
      found.push({ name: `${name}: ${what}`, events, metadata: complete });
    }
  });
  return found;
}

/** Changes that leave a window which the rules still call a success, and why. */
function skips(event: Json, what: string, all: readonly Json[]): boolean {
  if (event["event_kind"] !== "intent") return false;
  // An authoritative source binds artifacts: an intent without any rests on none.
  const artifacts = all.some((one) => one["event_kind"] === "artifact");
  if (what === "source version swapped") return !artifacts;
  // A label given to the only intent takes the turn's unlabelled evidence with it (rule 5).
  return what === "moved to another task" && event["task_id"] === undefined;
}

function withoutUndefined(event: Json): Json {
  return JSON.parse(JSON.stringify(event)) as Json;
}
