/**
 * @module TurnFields: the queryable fields of turns. One table defines the type of every field and
 * its value in a record; providers derive their columns and statements from it, and the reference
 * evaluator reads it, so that all agree on the meaning of a field.
 */
import { durationClass, findingTexts, insightCodes, lostReasons } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";
import { clampedInstant } from "@turnproof/semconv";

import { contractNames, contractPrefix, turnName } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";

/** One text, or null where it is absent. */
export type TextField =
  | "application_id"
  | "agent_id"
  | "tenant"
  | "memory_id"
  | "thread_id"
  | "run_id"
  | "turn_id"
  | "root_trace_id"
  | "status"
  | "verdict"
  | "cache_decision"
  | "timing_state"
  | "usage_state"
  | "duration_class";
/** Several texts, each once. */
export type ListField =
  | "code"
  | "tool_name"
  | "model"
  | "release"
  | "service"
  | "producer"
  | "dialect"
  | "event_kind"
  | "coverage_profile"
  | "dropped"
  | "environment"
  | "application"
  | "name"
  | "flag"
  | "contract"
  | "reason";
/** A number, or null where it is unknown: every comparison with null is false. */
export type NumberField =
  | "duration_ms"
  | "input_tokens"
  | "output_tokens"
  | "cached_tokens"
  | "total_tokens"
  | "event_count"
  | "tool_results"
  | "tool_limited"
  | "tool_failed"
  | "memory_supplied"
  | "missing_completion";
/** A time in whole microseconds since the epoch; null where not recorded. */
export type TimeField = StoredTime | "own_time";
/** A time of a record; `own_time` follows from two of them. */
export type StoredTime = "started_at" | "ended_at" | "first_received" | "received_at";

type Of<T> = (record: TurnRecord) => T;

function ofRow<T>(read: (row: TurnRow) => T): Of<T> {
  return ({ row }) => read(row);
}

/** Text form of a turn's tenant; an id can never equal the special values. */
export function tenantText(userId: string | null | undefined): string {
  return userId === undefined ? "unattributed" : userId === null ? "anonymous" : `id:${userId}`;
}

/** The tenant of that text: null for the anonymous, undefined for unattributed turns. */
export function userOfTenant(tenant: string): string | null | undefined {
  if (tenant === "unattributed") return undefined;
  return tenant === "anonymous" ? null : tenant.slice("id:".length);
}

const insightPrefix = "insight:";

/** Value of an insight in the list `code`: with a prefix where a finding has the same code. */
export function insightValue(code: string): string {
  return Object.hasOwn(findingTexts, code) ? `${insightPrefix}${code}` : code;
}

const insightByValue: ReadonlyMap<string, string> = new Map(
  insightCodes.map((code) => [insightValue(code), code]),
);

/** The insight that a value of the list `code` stands for; undefined for a finding. */
export function insightOfValue(value: string): string | undefined {
  return insightByValue.get(value);
}

/** An empty text means unknown. */
export function statedText(text: string | null | undefined): string | null {
  return text === undefined || text === "" ? null : text;
}

/** Texts by field; null where it is absent. */
export const textFields: Readonly<Record<TextField, Of<string | null>>> = {
  application_id: ofRow((row) => statedText(row.application_id)),
  agent_id: ofRow((row) => statedText(row.agent_id)),
  tenant: ofRow((row) => tenantText(row.user_id)),
  memory_id: ofRow((row) => statedText(row.memory_id)),
  thread_id: ofRow((row) => statedText(row.thread_id)),
  run_id: ofRow((row) => statedText(row.run_id)),
  turn_id: ofRow((row) => statedText(row.turn_id)),
  root_trace_id: ofRow((row) => statedText(row.root_trace_id)),
  status: ofRow((row) => row.status),
  verdict: ofRow((row) => row.verdict ?? "unjudged"),
  cache_decision: ofRow((row) => row.cache_decision ?? "none"),
  timing_state: ofRow((row) => row.timing_state),
  usage_state: ofRow((row) => row.usage_state),
  duration_class: ofRow((row) => {
    const ms = lastedMs(row);
    return ms === null ? null : String(durationClass(ms));
  }),
};

const appPrefix = turnName("app", "");

const listsOf: Readonly<Record<ListField, Of<readonly string[]>>> = {
  /** Findings and insights by code, see {@link insightValue}. */
  code: ofRow((row) => [
    ...(row.finding_codes ?? []),
    ...(row.insight_codes ?? []).map(insightValue),
  ]),
  tool_name: ofRow((row) => row.tool_names),
  model: ofRow((row) => row.models),
  release: ofRow((row) => row.releases),
  service: ofRow((row) => row.services),
  producer: ofRow((row) => row.producers),
  dialect: ofRow((row) => row.dialects),
  event_kind: ofRow((row) => Object.keys(row.event_kind_counts)),
  coverage_profile: ofRow((row) => row.coverage_profiles),
  dropped: ofRow((row) => Object.keys(row.dropped)),
  environment: (record) => record.environments,
  /** Of every event: a turn across services has several. */
  application: (record) =>
    record.names.flatMap((name) =>
      name.startsWith(appPrefix) ? [name.slice(appPrefix.length)] : [],
    ),
  name: (record) => record.names,
  flag: (record) => flagsOf(record.row),
  /** Results of contracts (`name=result`), without those that also name a version. */
  contract: ({ names }) =>
    contractNames(names).flatMap((name) =>
      name.includes("@") ? [] : [name.slice(contractPrefix.length)],
    ),
  /** Last: SQLite numbers the lists in their order. */
  reason: ofRow((row) => row.verdict_reasons ?? []),
};

/** Most lists have one value or none. */
function distinct(values: readonly string[]): readonly string[] {
  const [first] = values;
  if (values.length <= 1) return first === "" ? [] : values;
  return [...new Set(values)].filter((value) => value !== "");
}

/** Each value once; an empty one means unknown. */
export const listFields: Readonly<Record<ListField, Of<readonly string[]>>> = Object.fromEntries(
  Object.entries(listsOf).map(([field, read]) => [
    field,
    (record: TurnRecord) => distinct(read(record)),
  ]),
) as unknown as Readonly<Record<ListField, Of<readonly string[]>>>;

/** True for a field of several values. */
export function isListField(field: TextField | ListField): field is ListField {
  return Object.hasOwn(listFields, field);
}

/**
 * Lists with values of their own in a store. The results of contracts are among the names of a
 * record, so that a store works them out of those.
 */
export const ownLists: readonly Exclude<ListField, "contract">[] = (
  Object.keys(listFields) as ListField[]
).filter((field) => field !== "contract");

/** Numbers by field; null is unknown. */
export const numberFields: Readonly<Record<NumberField, Of<number | null>>> = {
  duration_ms: ofRow(lastedMs),
  input_tokens: ofRow((row) => row.input_tokens),
  output_tokens: ofRow((row) => row.output_tokens),
  cached_tokens: ofRow((row) => row.cached_tokens),
  total_tokens: ofRow((row) => row.total_tokens),
  event_count: ofRow((row) => row.event_count),
  tool_results: ofRow((row) => row.tools.results),
  tool_limited: ofRow((row) => row.tools.fallback + row.tools.degraded),
  tool_failed: ofRow((row) => row.tools.error + row.tools.provider_error),
  memory_supplied: ofRow((row) => row.memory_supplied),
  missing_completion: ofRow((row) => row.missing_completion),
};

const storedTimes: Readonly<Record<StoredTime, Of<number | null>>> = {
  started_at: ofRow((row) => microsOf(row.started_at)),
  ended_at: ofRow((row) => microsOf(row.ended_at)),
  first_received: (record) => microsOf(record.first_received),
  received_at: ofRow((row) => (row.received_at === null ? null : microsOf(row.received_at))),
};

/** The times that a provider stores. */
export const storedTimeNames = Object.keys(storedTimes) as readonly StoredTime[];

/** Microseconds since the epoch by field. */
export const timeFields: Readonly<Record<TimeField, Of<number | null>>> = {
  ...storedTimes,
  /**
   * The end, by which a turn is shown and filtered, and no later than its last receipt: a clock
   * that is ahead does not put its turns before those of the others. A first receipt is no bound,
   * because a long turn ends after it.
   */
  own_time: ofRow((row) => {
    const end = microsOf(row.ended_at);
    return row.received_at === null ? end : Math.min(end, microsOf(row.received_at));
  }),
};

/**
 * Microseconds of a time, within the range that every provider sorts exactly; finer digits are
 * cut.
 */
export function microsOf(time: string): number {
  const { seconds, nanos } = clampedInstant(time);
  return Math.min(seconds * 1_000_000 + Math.floor(nanos / 1_000), Number.MAX_SAFE_INTEGER);
}

/** Duration of a turn; null where it never ended or has no extent. */
function lastedMs({ duration_ms: ms, timing_state: state }: TurnRow): number | null {
  return state === "missing_completion" || state === "instantaneous" ? null : ms;
}

/** Flags of a turn; each is a word of the filter bar's `has:`. */
const turnFlags: Readonly<Record<string, (row: TurnRow) => boolean>> = {
  error: (row) => row.has_error,
  finding: (row) => (row.finding_codes?.length ?? 0) > 0,
  memory: (row) => (row.memory_supplied ?? 0) > 0 || (row.memory_retrieved ?? 0) > 0,
  cache: (row) => row.cache_decision !== null,
  fallback: (row) => row.tools.fallback > 0,
  gap: (row) => row.missing_completion > 0,
  dropped: (row) => Object.keys(row.dropped).length > 0,
  artifact: (row) => (row.event_kind_counts.artifact ?? 0) > 0,
  delivery: (row) => (row.event_kind_counts.delivery ?? 0) > 0,
  degraded: (row) => row.memory_degraded === true,
  undelivered: (row) => row.finding_codes?.some((code) => undelivered.has(code)) ?? false,
  feedback: (row) => (row.event_kind_counts.feedback ?? 0) > 0,
  outcome: (row) => (row.event_kind_counts.outcome ?? 0) > 0,
  orphan: (row) => (row.orphan_spans ?? 0) > 0,
  /** Neither of the two where it is unknown. */
  parents: (row) => row.orphan_spans === 0,
  /** The reasons of the verdict are known; a success has none. */
  reasons: (row) => row.verdict_reasons !== undefined,
  lost: (row) => lostReasons.some((reason) => row.verdict_reasons?.includes(reason) === true),
};

/** Findings after which it is unknown whether the result arrived. */
const undelivered: ReadonlySet<string> = new Set([
  "delivery_missing",
  "delivery_not_emitted",
  "delivery_unconfirmed",
  "delivery_artifact_unnamed",
  "delivery_version_mismatch",
]);

function flagsOf(row: TurnRow): readonly string[] {
  return Object.keys(turnFlags).filter((name) => turnFlags[name]?.(row) === true);
}
