/**
 * @module PackedRecord: a turn's record as a short JSON array, a third of its JSON object. A list
 * reads it from places all over the table, so its length is what such a list costs. The key, by
 * which every list is sorted, is a column beside it. Values that mostly follow from others are left
 * out.
 */
import type { ToolCounts, TurnCall, TurnRow } from "@turnproof/evidence";
import {
  clampedInstant,
  CodedError,
  fractionDigits,
  isExact,
  isoOfInstant,
} from "@turnproof/semconv";

import { turnName } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";

const format = 1;
const nanosPerSecond = 1_000_000_000;
const nanosPerMs = 1_000_000;

/** The names in their order; the type requires each of them. */
function namesOf<Name extends string>(fields: Readonly<Record<Name, true>>): readonly Name[] {
  return Object.keys(fields) as Name[];
}

/** Fields of a row in the order of their places; a new one is added at the end. */
const rowFields = namesOf<keyof TurnRow>({
  application_id: true,
  agent_id: true,
  user_id: true,
  memory_id: true,
  thread_id: true,
  run_id: true,
  turn_id: true,
  root_trace_id: true,
  tenant_state: true,
  started_at: true,
  ended_at: true,
  duration_ms: true,
  timing_state: true,
  status: true,
  has_error: true,
  event_kind_counts: true,
  event_count: true,
  models: true,
  tool_names: true,
  tools: true,
  input_tokens: true,
  output_tokens: true,
  cached_tokens: true,
  total_tokens: true,
  usage_state: true,
  memory_retrieved: true,
  memory_supplied: true,
  memory_referenced: true,
  memory_degraded: true,
  cache_decision: true,
  missing_completion: true,
  coverage_profiles: true,
  dialects: true,
  services: true,
  releases: true,
  producers: true,
  dropped: true,
  received_at: true,
  verdict: true,
  finding_codes: true,
  insight_codes: true,
  orphan_spans: true,
  verdict_reasons: true,
});

const toolFields = namesOf<keyof ToolCounts>({
  results: true,
  clean: true,
  empty: true,
  degraded: true,
  fallback: true,
  provider_error: true,
  error: true,
  unknown: true,
});

const callFields = namesOf<keyof TurnCall>({
  kind: true,
  name: true,
  outcome: true,
  duration_ms: true,
  input_tokens: true,
  output_tokens: true,
  provider: true,
  cached_tokens: true,
  error_type: true,
  cache_write_tokens: true,
  reasoning_tokens: true,
  service_tier: true,
});

/** A field that is absent, and one with the value that mostly follows; no field has such a list. */
const absent = [0] as const;
const follows = [1] as const;

function isMark(value: unknown, mark: typeof absent | typeof follows): boolean {
  return Array.isArray(value) && value.length === 1 && value[0] === mark[0];
}

type Values = Partial<Record<string, unknown>>;

/** What a row may follow from beside its own fields. */
type Source = Pick<TurnRecord, "first_received" | "calls">;

/** What mostly follows of a field from those before it. */
const followsFrom: Readonly<Record<string, (row: Values, source: Source) => unknown>> = {
  agent_id: (row) => row["application_id"],
  turn_id: (row) => row["run_id"],
  duration_ms: (row) => tookMs(row["started_at"], row["ended_at"]),
  event_count: (row) =>
    sumOf(Object.values((row["event_kind_counts"] as object | undefined) ?? {})),
  models: (_row, { calls }) => calledOf(calls, "model"),
  tool_names: (_row, { calls }) => calledOf(calls, "tool"),
  input_tokens: (_row, { calls }) => sumOf(calls.map((call) => call.input_tokens)),
  output_tokens: (_row, { calls }) => sumOf(calls.map((call) => call.output_tokens)),
  total_tokens: ({ input_tokens: input, output_tokens: output }) =>
    typeof input === "number" && typeof output === "number" ? input + output : undefined,
  services: ({ application_id: id }) => (id === undefined ? undefined : [id]),
  received_at: (_row, source) => source.first_received,
};

function sumOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === "number" ? value : 0), 0);
}

/** Names of the calls of a kind, each once, in the order of their texts. */
function calledOf(calls: readonly TurnCall[], kind: TurnCall["kind"]): readonly string[] {
  const names = new Set<string>();
  for (const call of calls)
    if (call.kind === kind && typeof call.name === "string") names.add(call.name);
  return [...names].toSorted();
}

/** True for equal texts, numbers, or lists of texts. */
function isSame(value: unknown, other: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(other)) return value === other;
  return value.length === other.length && value.every((one, at) => one === other[at]);
}

/** The text of a packed record. */
export function packRecord(record: TurnRecord): string {
  const { version, first_received, row, calls, environments, names, judged_at, as_of } = record;
  const base = clampedInstant(row.started_at).seconds;
  const values: Values = { ...row };
  const own = ownNames(row);
  const cells = rowFields.map((name) => {
    const value = values[name];
    if (value === undefined) return absent;
    const mostly = followsFrom[name]?.(values, record);
    if (mostly !== undefined && isSame(value, mostly)) return follows;
    if (times.has(name) && typeof value === "string") return packTime(value, base);
    return name === "tools" ? packTools(value as ToolCounts) : value;
  });
  return JSON.stringify([
    format,
    base,
    cells,
    calls.map(packCall),
    names.map((name) => own.get(name) ?? name),
    judged_at === null ? null : packTime(judged_at, base),
    as_of === judged_at ? follows : as_of === null ? null : packTime(as_of, base),
    environments,
    packTime(first_received, base),
    [version.epoch, version.rows, Number(version.settled)],
  ]);
}

/** The record of a text of {@link packRecord}. @throws CodedError `bundle_invalid` for another */
export function unpackRecord(text: string, key: string): TurnRecord {
  const packed = JSON.parse(text) as unknown[];
  const [was, base, cells, calls, names, judged, asOf, environments, first, version] = packed;
  if (was !== format) throw new CodedError("bundle_invalid");
  const time = (value: unknown): unknown => unpackTime(value, base as number);
  const first_received = time(first) as string;
  const [epoch, rows, settled] = version as [number, number, number];
  const source = { first_received, calls: (calls as readonly unknown[][]).map(unpackCall) };
  const row: Values = {};
  for (const [at, name] of rowFields.entries()) {
    const cell = (cells as readonly unknown[])[at];
    if (cell === undefined || isMark(cell, absent)) continue;
    if (isMark(cell, follows)) {
      row[name] = followsFrom[name]?.(row, source);
    } else if (times.has(name)) row[name] = time(cell);
    else row[name] = name === "tools" ? unpackTools(cell) : cell;
  }
  const own = new Map([...ownNames(row as unknown as TurnRow)].map(([name, mark]) => [mark, name]));
  const judged_at = time(judged) as string | null;
  return {
    key,
    version: { epoch, rows, settled: settled === 1 },
    first_received,
    row: row as unknown as TurnRow,
    calls: source.calls,
    environments: environments as readonly string[],
    names: (names as readonly string[]).map((name) => own.get(name) ?? name),
    judged_at,
    as_of: isMark(asOf, follows) ? judged_at : (time(asOf) as string | null),
  };
}

const times: ReadonlySet<string> = new Set(["started_at", "ended_at", "received_at"]);

/** Nanoseconds after the base as a number, microseconds as `u…`, or the text of another form. */
function packTime(time: string, base: number): number | string {
  const digits = fractionDigits(time);
  if ((digits !== 9 && digits !== 6) || !isExact(time)) return time;
  const { seconds, nanos } = clampedInstant(time);
  const after = (seconds - base) * nanosPerSecond + nanos;
  if (!Number.isSafeInteger(after)) return time;
  return digits === 9 ? after : `u${after / 1_000}`;
}

function unpackTime(packed: unknown, base: number): unknown {
  if (typeof packed === "number") return timeAfter(base, packed, 9);
  if (typeof packed !== "string" || !packed.startsWith("u")) return packed;
  return timeAfter(base, Number(packed.slice(1)) * 1_000, 6);
}

function timeAfter(base: number, nanos: number, digits: number): string {
  const whole = Math.floor(nanos / nanosPerSecond);
  return isoOfInstant({ seconds: base + whole, nanos: nanos - whole * nanosPerSecond }, digits);
}

/** Milliseconds between two exact times; undefined for others. */
function tookMs(from: unknown, to: unknown): number | undefined {
  if (typeof from !== "string" || typeof to !== "string") return undefined;
  if (!isExact(from) || !isExact(to)) return undefined;
  const [start, end] = [clampedInstant(from), clampedInstant(to)];
  return ((end.seconds - start.seconds) * nanosPerSecond + end.nanos - start.nanos) / nanosPerMs;
}

function packTools(tools: ToolCounts): unknown {
  const known = Object.keys(tools).length === toolFields.length;
  return known && toolFields.every((name) => typeof tools[name] === "number")
    ? toolFields.map((name) => tools[name])
    : tools;
}

function unpackTools(cell: unknown): unknown {
  if (!Array.isArray(cell)) return cell;
  return Object.fromEntries(toolFields.map((name, at) => [name, cell[at]]));
}

/** Values of a call; unknown ones at the end are left out. A record of old may lack fields. */
function packCall(call: TurnCall): readonly unknown[] {
  const values = callFields.map((name) => (call[name] === undefined ? absent : call[name]));
  const last = values.findLastIndex((value) => value !== null);
  return values.slice(0, last + 1);
}

function unpackCall(values: readonly unknown[]): TurnCall {
  const cells = callFields.map((name, at) => [name, values[at] ?? null] as const);
  return Object.fromEntries(
    cells.filter(([, cell]) => !isMark(cell, absent)),
  ) as unknown as TurnCall;
}

/**
 * Names that repeat a field of the row, and the mark of each; a name has a colon, a mark has none.
 */
function ownNames({ application_id: app, run_id: run }: TurnRow): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  if (app !== undefined) names.set(turnName("app", app), "a");
  if (run !== undefined) names.set(turnName("run", run), "r");
  return names;
}
