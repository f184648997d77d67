/**
 * @module TurnTable: the tables `turns` and `calls`. One row of `turns` is one turn of the ledger,
 * one row of `calls` one call of a model, a tool or another agent in a turn.
 */
import type { TurnCall } from "@turnproof/evidence";

import { listFields, numberFields, textFields, timeFields } from "../ledger/turn-fields.ts";
import type { ListField, NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { applicationOf } from "../scope.ts";
import type { EvidenceScope } from "../scope.ts";
import type { TableColumn } from "./table-column.ts";

/** A call, its turn, and its position among the turn's calls, from 1. */
export interface PlacedCall {
  readonly turn: TurnRecord;
  readonly call: TurnCall;
  readonly position: number;
}

const textBriefs: Readonly<Record<TextField, string>> = {
  application_id: "Application of the turn.",
  agent_id: "Agent.",
  tenant: "`id:` and the tenant's id, `anonymous`, or `unattributed`.",
  memory_id: "Memory.",
  thread_id: "Thread.",
  run_id: "Run.",
  turn_id: "Turn.",
  root_trace_id: "Root trace.",
  status: "Status of the turn.",
  verdict: "Verdict of the background judge; `unjudged` before it.",
  cache_decision: "Decision of the semantic cache; `none` without one.",
  timing_state: "How the duration was found.",
  usage_state: "How the tokens were found; `partial`: they are a lower bound.",
  duration_class: "Class of the duration, a step of its logarithm.",
};

const listBriefs: Readonly<Record<ListField, string>> = {
  code: "Findings and insights by their codes; `insight:` is before one that a finding has as well.",
  tool_name: "Tools that were called.",
  model: "Models that were called.",
  release: "Releases of the services.",
  service: "Services.",
  producer: "Processes that sent events.",
  dialect: "Dialects of the instrumentation.",
  event_kind: "Kinds of events.",
  coverage_profile: "Declared coverage profiles.",
  dropped: "Reasons for which attributes were refused.",
  environment: "Deployment environments.",
  application: "Applications of all events.",
  name: "Names in single events: `ref:`, `task:`, `run:` and others.",
  flag: "Words of the filter `has:`.",
  contract: "Results of contracts: name and result.",
  reason: "Why the verdict is no success, beside findings; empty where it is unknown.",
};

const numberBriefs: Readonly<Record<NumberField, string>> = {
  duration_ms: "Milliseconds; unknown for a turn that never ended.",
  input_tokens: "Tokens that models read.",
  output_tokens: "Tokens that models wrote.",
  cached_tokens: "Tokens of the input that a provider had cached.",
  total_tokens: "Tokens in total, at least input and output.",
  event_count: "Events of the turn.",
  tool_results: "Results of tools.",
  tool_limited: "Results of a fallback, or degraded ones.",
  tool_failed: "Failed calls of tools.",
  memory_supplied: "Memories placed in the context.",
  missing_completion: "Operations that started and never ended.",
};

const timeBriefs: Readonly<Record<TimeField, string>> = {
  started_at: "Start of the turn.",
  ended_at: "Last event of the turn.",
  first_received: "First receipt; never changes.",
  received_at: "Last receipt.",
  own_time: "Last event of the turn, and no later than its last receipt.",
};

const lower = <K extends string>(
  names: readonly K[],
  make: (name: K) => TableColumn<TurnRecord>,
): readonly TableColumn<TurnRecord>[] => names.map(make);

const textColumn = (name: TextField): TableColumn<TurnRecord> => ({
  name,
  type: "text",
  brief: textBriefs[name],
  value: textFields[name],
});

const timeColumn = (name: TimeField): TableColumn<TurnRecord> => ({
  name,
  type: "time",
  brief: timeBriefs[name],
  value: timeFields[name],
});

/** The columns of `turns`, in their order. */
export const turnTable: readonly TableColumn<TurnRecord>[] = [
  { name: "turn_key", type: "text", brief: "Key of the turn.", value: ({ key }) => key },
  ...lower(Object.keys(timeFields) as TimeField[], timeColumn),
  ...lower(Object.keys(textFields) as TextField[], textColumn),
  {
    name: "has_error",
    type: "flag",
    brief: "True where anything in the turn failed.",
    value: ({ row }) => row.has_error,
  },
  ...lower(Object.keys(numberFields) as NumberField[], (name) => ({
    name,
    type: "number",
    brief: numberBriefs[name],
    value: numberFields[name],
  })),
  ...lower(Object.keys(listFields) as ListField[], (name) => ({
    name: `${name}_list`,
    type: "texts",
    brief: listBriefs[name],
    value: listFields[name],
  })),
];

/** Columns of a call's turn that its row repeats. */
const repeated = [
  textColumn("root_trace_id"),
  textColumn("turn_id"),
  textColumn("application_id"),
  textColumn("agent_id"),
  textColumn("tenant"),
  textColumn("thread_id"),
  timeColumn("ended_at"),
  timeColumn("first_received"),
];

const callTexts = {
  kind: "`model`, `tool` or `agent`.",
  name: "Name of the model, tool or agent.",
  provider: "Provider; of an agent its application, where that is not the turn's.",
  outcome: "A tool's outcome, or the status of a model call or an agent's turn.",
  error_type: "Type of the error.",
  service_tier: "Service tier.",
} as const satisfies Partial<Record<keyof TurnCall, string>>;

const callNumbers = {
  duration_ms: "Milliseconds.",
  input_tokens: "Tokens read.",
  output_tokens: "Tokens written.",
  cached_tokens: "Tokens of the input that the provider had cached.",
  cache_write_tokens: "Tokens written into the provider's cache.",
  reasoning_tokens: "Tokens of reasoning.",
} as const satisfies Partial<Record<keyof TurnCall, string>>;

/** The columns of `calls`, in their order. */
export const callTable: readonly TableColumn<PlacedCall>[] = [
  { name: "turn_key", type: "text", brief: "Key of the turn.", value: ({ turn }) => turn.key },
  {
    name: "position",
    type: "integer",
    brief: "Position among the calls of the turn, from 1.",
    value: ({ position }) => position,
  },
  ...repeated.map(({ value, ...column }): TableColumn<PlacedCall> => ({
    ...column,
    value: ({ turn }) => value(turn),
  })),
  ...(Object.keys(callTexts) as (keyof typeof callTexts)[]).map(
    (name): TableColumn<PlacedCall> => ({
      name: `call_${name}`,
      type: "text",
      brief: callTexts[name],
      value: ({ call }) => (call[name] === "" ? null : (call[name] ?? null)),
    }),
  ),
  ...(Object.keys(callNumbers) as (keyof typeof callNumbers)[]).map(
    (name): TableColumn<PlacedCall> => ({
      name: `call_${name}`,
      type: "number",
      brief: callNumbers[name],
      value: ({ call }) => call[name] ?? null,
    }),
  ),
];

/** The calls of a turn as rows; a scope of one application has no agent of another. */
export function callRowsOf(turn: TurnRecord, scope: EvidenceScope): readonly PlacedCall[] {
  const bound = applicationOf(scope) !== undefined;
  return turn.calls
    .map((call, at) => ({ turn, call, position: at + 1 }))
    .filter(({ call: { kind, provider } }) => !(bound && kind === "agent" && provider !== null));
}

/** Fields of a call that have a column, by their names there. */
export const callFields: readonly string[] = [
  ...Object.keys(callTexts),
  ...Object.keys(callNumbers),
].map((name) => `call_${name}`);

/** Columns of a call's turn, by their names. */
export const repeatedFields: readonly string[] = repeated.map(({ name }) => name);
