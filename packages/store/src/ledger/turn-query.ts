/**
 * @module TurnQuery: queries on the turns of the ledger, and the form of the answers. One type of
 * query serves lists, counts, facets, figures and calls; all are exact over the whole
 * history and in scope (issue: one query surface).
 */
import type { TurnCall } from "@turnproof/evidence";
import type { Identity } from "@turnproof/semconv";

import type { EvidenceScope } from "../scope.ts";
import type { ListField, NumberField, StoredTime, TextField, TimeField } from "./turn-fields.ts";
import type { OrderField } from "./turn-orders.ts";
import type { TurnRecord } from "./turn-record.ts";

/** Comparison operators. An unknown value matches none of them. */
export type Sign = "<" | "<=" | "=" | ">=" | ">";

/** One condition; `not` negates its result, so that unknown matches a negated one. */
export type TurnCondition = { readonly not?: true } & (
  | { readonly text: TextField; readonly is: string | null }
  /** Null: a list without a value. */
  | { readonly list: ListField; readonly has: string | null }
  /**
   * A text with this part, or one of the names of a turn; ASCII letters match in any case, as every
   * engine folds them.
   */
  | { readonly part: PartField; readonly of: string }
  /** A text that begins with this printable ASCII, in its case. */
  | { readonly prefix: PrefixField; readonly of: string }
  | { readonly number: NumberField; readonly sign: Sign; readonly value: number }
  /** A call with all of these values; null is unknown. */
  | { readonly call: CallValues }
  /** Times of ISO 8601 UTC, compared by the microsecond; inclusive start, exclusive end. */
  | { readonly time: TimeField; readonly from?: string; readonly to?: string }
  /** Any of these. */
  | { readonly any: readonly TurnCondition[] }
);

/** Fields of which a part is searched for. */
export type PartField =
  | Extract<TextField, "agent_id" | "thread_id" | "root_trace_id" | "turn_id" | "tenant">
  | Extract<ListField, "name">;

/** Fields of which the beginning is searched for, by their index where the engine has one. */
export type PrefixField = Extract<TextField, "root_trace_id">;

/** Values of one call. */
export interface CallValues {
  readonly kind: TurnCall["kind"];
  readonly name?: string | null;
  readonly provider?: string | null;
  readonly outcome?: string | null;
  readonly error_type?: string | null;
  /** With the next one, what the kind of a call's price depends on: as in {@link CallUsage}. */
  readonly service_tier?: string | null;
  readonly known?: string | null;
}

/** Scope and conditions of a query: all must match. */
export interface TurnQuery {
  readonly scope: EvidenceScope;
  readonly where: readonly TurnCondition[];
  readonly signal?: AbortSignal;
}

/** Sort order of a list; ties by key. Unknown values come last, in either direction. */
export interface TurnOrder {
  readonly by: OrderField;
  readonly ascending?: true;
}

/** Where a page ended: the value of its last record, and the record's key. */
export interface TurnPosition {
  readonly value: number | string | null;
  readonly key: string;
}

/** A page of records. */
export interface TurnPage {
  readonly records: readonly TurnRecord[];
  readonly next: TurnPosition | null;
}

/** Number of turns, and their time range. */
export interface TurnCounts {
  readonly turns: number;
  readonly errors: number;
  /** Microseconds since the epoch of the first and the last `ended_at`. */
  readonly first_at: number | null;
  readonly last_at: number | null;
}

/** Counts of the turns with one value, in one time interval. */
export interface CountGroup extends TurnCounts {
  /** Turns that match {@link CountOptions.also}; absent without it. */
  readonly also?: number;
  /** Value of the field; null for turns without one; absent when not grouped by a field. */
  readonly value?: string | null;
  /** Start of the interval in epoch milliseconds; absent without intervals. */
  readonly from_ms?: number;
}

/** Figures of some turns. */
export interface TurnFigures extends TurnCounts {
  readonly verdicts: Readonly<Record<string, number>>;
  /** Nearest-rank percentiles of the known durations; null without one. */
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly duration_unknown: number;
  readonly tool_results: number;
  readonly tool_limited: number;
  readonly tool_failed: number;
  /** Sums over the turns with a value, and the number of turns without one. */
  readonly input_tokens: number | null;
  readonly input_unknown: number;
  readonly output_tokens: number | null;
  readonly output_unknown: number;
  /** Turns with neither value. */
  readonly tokens_unknown: number;
  /** Over the turns with both values, and the number of the others. */
  readonly cached_tokens: number | null;
  readonly cached_of_tokens: number | null;
  readonly cached_unknown: number;
}

/** Figures of the turns with one value, in one time interval. */
export interface FigureGroup extends TurnFigures {
  /** Value of the field; null for turns without one; absent when not grouped by a field. */
  readonly value?: string | null;
  /** Start of the interval in epoch milliseconds; absent without intervals. */
  readonly from_ms?: number;
}

/** How figures are grouped. A turn with several values counts under each of them. */
export interface FigureOptions {
  readonly by?: TextField | ListField;
  /** Intervals of this many milliseconds of `time`, counted from the epoch. */
  readonly everyMs?: number;
  /** Time of the intervals, `ended_at` by default; a turn without it is in the one of the epoch. */
  readonly time?: StoredTime;
}

/** How counts are grouped. */
export interface CountOptions extends Pick<FigureOptions, "by" | "everyMs"> {
  /** Counts how many of each group's turns match this as well, in the same read. */
  readonly also?: TurnCondition;
}

/** Fields by which turns are listed as groups. */
export type GroupField = "agent_id" | "thread_id";

/**
 * What groups are listed by: their latest time, their value, or a figure of all of their turns.
 * `tokens` are input and output, `tool_failed` the failed results of tools, `failed_share` the
 * share of failed turns among the judged ones, unknown without one.
 */
export const groupOrderFields = [
  "last",
  "value",
  "turns",
  "failed_share",
  "errors",
  "p95_ms",
  "threads",
  "tool_failed",
  "tokens",
] as const;

/**
 * An order of groups; unknown figures and the turns without a value come last in both directions.
 */
export interface GroupOrder {
  readonly by: (typeof groupOrderFields)[number];
  readonly ascending?: boolean;
}

/** Where a page of groups ended. */
export interface GroupPosition {
  /**
   * Latest own time of the group's turns, in microseconds since the epoch; the latest one before
   * `aheadFrom` where the group has one.
   */
  readonly last: number;
  /** Value of the group; null for the turns without one. */
  readonly value: string | null;
  /** The figure by which groups are listed, null where it is unknown; absent in other orders. */
  readonly rank?: number | null;
}

/** A page of groups. */
export interface GroupsPage {
  readonly groups: readonly GroupedTurns[];
  readonly next: GroupPosition | null;
}

/** Which groups a page has. */
export interface GroupsPaging {
  readonly limit: number;
  /** Default `last`, descending. */
  readonly order?: GroupOrder;
  readonly after?: GroupPosition;
  /**
   * Own times from here on, in microseconds since the epoch, do not date a group that has earlier
   * ones; the groups without any come last. The same on every page of a walk.
   */
  readonly aheadFrom?: number;
}

/** Figures of the turns with one value, and what else a list shows of them. */
export interface GroupedTurns extends TurnFigures, GroupPosition {
  /** Results of tool calls by outcome. */
  readonly tool_outcomes: Readonly<Record<string, number>>;
  /** Model calls without a token count. */
  readonly calls_without_usage: number;
  /** Number of threads. */
  readonly threads: number;
  /** Values in the group's turns, the first 50 by the bytes of UTF-8. */
  readonly names: Readonly<Partial<Record<NamedField, readonly string[]>>>;
}

/** Fields whose values a group names. */
export type NamedField = "model" | "application_id" | "agent_id" | "tenant";

/** A field's values with the number of turns for each, most frequent first. */
export interface TurnFacet {
  readonly field: TextField | ListField;
  readonly values: readonly { readonly value: string | null; readonly turns: number }[];
  /** Number of distinct values. */
  readonly total: number;
}

/** Figures of the calls of one group. */
export interface CallFigures {
  readonly group: Readonly<Partial<Record<CallField, string | null>>>;
  readonly calls: number;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly p50_ms: number | null;
  readonly p95_ms: number | null;
  readonly p99_ms: number | null;
  readonly duration_unknown: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cached_tokens: number | null;
  readonly tokens_unknown: number;
  /** Start of the interval in epoch milliseconds; absent without intervals. */
  readonly from_ms?: number;
  /** What the prices of these calls depend on; absent without steps of the input. */
  readonly usage?: CallUsage;
}

/** Usage that the calls of one group have in common, and further sums of it. */
export interface CallUsage {
  readonly service_tier: string | null;
  /** How many of the steps the input tokens of each call exceed. */
  readonly input_step: number;
  /**
   * Which counts each call has, one letter each: `i` input, `o` output, `c` read from a cache, `w`
   * written to it, `r` reasoning; `x` where a part is larger than its whole. Null: no count.
   */
  readonly known: string | null;
  readonly cache_write_tokens: number | null;
  readonly reasoning_tokens: number | null;
}

/** How calls are divided besides their fields. */
export interface CallOptions {
  /** Intervals of this many milliseconds of the turn's `ended_at`, counted from the epoch. */
  readonly everyMs?: number;
  /**
   * Counts of input tokens, ascending: divides by service tier, by these steps, by known counts.
   */
  readonly inputSteps?: readonly number[];
}

/** Grouping of calls: a field of the call, or of its turn. */
export type CallField =
  | "name"
  | "provider"
  | "outcome"
  | "error_type"
  | "agent_id"
  | "release"
  | "tenant"
  | "thread_id";

/** Reads of the ledger. Every one takes the scope and returns nothing outside of it. */
export interface TurnReader {
  listTurns(
    query: TurnQuery,
    page: { readonly order: TurnOrder; readonly limit: number; readonly after?: TurnPosition },
  ): Promise<TurnPage>;
  countTurns(query: TurnQuery): Promise<number>;
  turnFacets(
    query: TurnQuery,
    fields: readonly (TextField | ListField)[],
    valuesMax: number,
  ): Promise<readonly TurnFacet[]>;
  /** Counts only, which cost a fraction of figures; in the order of values and of time. */
  turnCounts(query: TurnQuery, options: CountOptions): Promise<readonly CountGroup[]>;
  turnFigures(query: TurnQuery, options: FigureOptions): Promise<readonly FigureGroup[]>;
  /** All turns of each value, in an order; a page of groups. */
  turnGroups(query: TurnQuery, by: GroupField, paging: GroupsPaging): Promise<GroupsPage>;
  callFigures(
    query: TurnQuery,
    kind: TurnCall["kind"],
    by: readonly CallField[],
    options?: CallOptions,
  ): Promise<readonly CallFigures[]>;
}

/**
 * Writes of the ledger: the newer version of a key wins, whatever the order of the writes; of two
 * equal ones the later write.
 */
export interface TurnWriter {
  /** All versions of a key have one `first_received`: providers sort and partition by it. */
  putTurns(records: readonly TurnRecord[]): Promise<void>;
  /** Deletes turns whose identity changed. Versions older than the given one do not come back. */
  dropTurns(gone: readonly HeldTurn[]): Promise<void>;
}

/** A turn in the ledger: its key, version and root. */
export type HeldTurn = Pick<TurnRecord, "key" | "version" | "first_received"> &
  Pick<Identity, "root_trace_id">;

/** The ledger of a store. Every answer is exact, over the whole history and in scope. */
export interface TurnLedger extends TurnReader, TurnWriter {
  /** Where queries are computed: in the store's engine, or over records in this process. */
  readonly answeredIn: "store" | "process";
  /** The turns of these roots, of every tenant; for writers. */
  turnsOf(roots: readonly string[]): Promise<readonly HeldTurn[]>;
}
