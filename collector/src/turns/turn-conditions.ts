/**
 * @module TurnConditions: the condition of each filter on turns. One table serves the terms of the
 * filter bar and the filters of the query string, so that both mean the same and a negated term is
 * the exact complement. The store evaluates the conditions over the whole history.
 */
import type { EventQuery } from "@turnproof/evidence";
import { CodedError, kindOf } from "@turnproof/semconv";
import { applicationOf, insightValue, tenantText, turnName } from "@turnproof/store";
import type { ListField, NumberField, TextField, TurnCondition, TurnQuery } from "@turnproof/store";

import type { Reading } from "../access/grants.ts";
import { ParameterError } from "../http/parameter-error.ts";
import type { TypedIdentity } from "../access/typed-identity.ts";
import { textCondition } from "./free-text.ts";
import type { KnownName } from "./free-text.ts";
import { outcomeGroups, readCall } from "../ui/display/call-term.ts";
import { comparedText, comparisonSign, millisecondsOf } from "../ui/display/comparisons.ts";
import { recordedKeys, storeKeys, textKey } from "../ui/display/filter-keys.ts";
import { firstUnclear, readBound, readTerms, valuesOf } from "../ui/display/filter-terms.ts";
import type { Term } from "../ui/display/filter-terms.ts";
import { readTime } from "../ui/display/time-range.ts";

/** Condition on a turn for a key's value. */
type ConditionOf = (value: string) => TurnCondition;
/** The same where the value may be a time relative to `atMs`. */
type ConditionAt = (value: string, atMs: number) => TurnCondition;

const text =
  (field: TextField): ConditionOf =>
  (is) => ({ text: field, is });
const list =
  (field: ListField): ConditionOf =>
  (has) => ({ list: field, has });
/** Compares every event of the turn: its row has the value only where all events agree. */
const named =
  (kind: Parameters<typeof turnName>[0]): ConditionOf =>
  (id) => ({ list: "name", has: turnName(kind, id) });
const compared =
  (field: NumberField, read: (value: string) => number): ConditionOf =>
  (requested) => ({
    number: field,
    sign: comparisonSign(requested),
    value: read(comparedText(requested)),
  });

/**
 * By key of the bar. A turn is at the time of its last event, as in the charts above the list:
 * each turn is in exactly one interval.
 */
const conditions: { readonly [key: string]: ConditionAt | undefined } = {
  /** Of the turn itself; `has:error` is every turn in which anything failed. */
  status: text("status"),
  tool: list("tool_name"),
  agent: text("agent_id"),
  user: (value) =>
    value === "anonymous" || value === "unattributed"
      ? { any: [text("tenant")(value), text("tenant")(tenantText(value))] }
      : text("tenant")(tenantText(value)),
  thread: text("thread_id"),
  memory: named("memory"),
  app: list("application"),
  root: text("root_trace_id"),
  run: named("run"),
  turn: text("turn_id"),
  task: named("task"),
  ref: named("ref"),
  kind: (value) => list("event_kind")(kindOf(value) ?? value),
  after: (value, atMs) => ({ time: "ended_at", from: timeOf(value, atMs) }),
  before: (value, atMs) => ({ time: "ended_at", to: timeOf(value, atMs) }),
  verdict: text("verdict"),
  finding: list("code"),
  insight: (code) => list("code")(insightValue(code)),
  cache: text("cache_decision"),
  model: list("model"),
  release: list("release"),
  env: list("environment"),
  producer: list("producer"),
  dialect: list("dialect"),
  call: callCondition,
  error: (type) => ({
    any: (["tool", "model", "agent"] as const).map((kind) => ({
      call: { kind, error_type: type },
    })),
  }),
  contract: named("contract"),
  reason: list("reason"),
  has: hasCondition,
  latency: compared("duration_ms", millisecondsOf),
  tokens: compared("total_tokens", Number),
  received: receivedCondition,
};

/** Turns of which the value of a key is not recorded. */
const noValue: { readonly [K in (typeof recordedKeys)[number]]: TurnCondition } = {
  agent: { text: "agent_id", is: null },
  app: { list: "application", has: null },
  model: { list: "model", has: null },
  release: { list: "release", has: null },
  tool: { list: "tool_name", has: null },
};

/** Keys of terms. */
export const conditionKeys: readonly string[] = Object.keys(conditions);

/** Condition of a `has:` term: a flag of the turn, or any value for a filter key. */
function hasCondition(word: string): TurnCondition {
  const key = recordedKeys.find((one) => one === word);
  return key === undefined ? list("flag")(word) : { any: [{ ...noValue[key], not: true }] };
}

/** By the last receipt of the turn, as the windows of alerts are. */
function receivedCondition(value: string, atMs: number): TurnCondition {
  const bound = readBound(value, atMs);
  if (bound === undefined) throw new CodedError("parameter_invalid", { field: "q" });
  return { time: "received_at", ...bound };
}

function callCondition(value: string): TurnCondition {
  const requested = readCall(value);
  if (requested === undefined) throw new CodedError("parameter_invalid", { field: "q" });
  const { outcome: word, ...call } = requested;
  if (word === undefined) return { call };
  const outcomes = Object.hasOwn(outcomeGroups, word) ? outcomeGroups[word] : [word];
  return { any: (outcomes ?? []).map((outcome) => ({ call: { ...call, outcome } })) };
}

/** A principal of one application learns nothing about agents of another by their calls. */
function withinApplication(condition: TurnCondition): TurnCondition {
  if ("any" in condition) return { ...condition, any: condition.any.map(withinApplication) };
  if (!("call" in condition) || condition.call.kind !== "agent") return condition;
  return { ...condition, call: { ...condition.call, provider: null } };
}

function timeOf(value: string, atMs: number): string {
  const time = readTime(value, atMs);
  if (time === undefined) throw new CodedError("parameter_invalid", { field: "q" });
  return time;
}

/** The field of a key whose values a producer may have keyed; undefined for another key. */
function identityField(key: string): string | undefined {
  const field = Object.hasOwn(storeKeys, key) ? storeKeys[key] : undefined;
  return field?.endsWith("_id") === true ? field : undefined;
}

const tenantTexts: ReadonlySet<string> = new Set(["anonymous", "unattributed"]);

/** How a term is read. */
export interface TermPlace {
  /** Converts typed ids to their stored form. */
  readonly typed?: TypedIdentity | undefined;
  /** Relative times count back from here, epoch milliseconds; default now. */
  readonly atMs?: number | undefined;
  /** Names that free text may be a part of; default none. */
  readonly names?: readonly KnownName[] | undefined;
}

/**
 * The condition of a term.
 *
 * @throws CodedError `parameter_invalid` for an unknown key, or an invalid value
 */
export function termCondition(
  term: Term,
  { typed = (id) => id, atMs = Date.now(), names = [] }: TermPlace = {},
): TurnCondition {
  const { key, value, negated } = term;
  if (key === textKey) {
    const found = textCondition(value, names, typed);
    return negated ? { ...found, not: true } : found;
  }
  const requests = Object.hasOwn(conditions, key) ? conditions[key] : undefined;
  if (requests === undefined) throw new CodedError("parameter_invalid", { field: "q" });
  const field = (one: string): string | undefined =>
    key === "user" && tenantTexts.has(one) ? undefined : identityField(key);
  const of = (one: string): TurnCondition =>
    requests(field(one) === undefined ? one : typed(one, field(one) ?? ""), atMs);
  const requested =
    term.others === undefined ? of(value) : { any: valuesOf(term).map((one) => of(one)) };
  return negated ? { ...requested, not: true } : requested;
}

/** The conditions of a query's filters. */
export function queryConditions(
  query: EventQuery,
  atMs: number = Date.now(),
): readonly TurnCondition[] {
  const { user_id: tenant, store = "trace", ...filters } = query;
  const values: { readonly [field: string]: unknown } = filters;
  const requested = Object.entries(storeKeys).flatMap(([key, field]) => {
    const value = values[field];
    const requests = conditions[key];
    return typeof value !== "string" || requests === undefined ? [] : [requests(value, atMs)];
  });
  if (tenant !== undefined) requested.push(text("tenant")(tenantText(tenant)));
  // Every turn has trace evidence: rows of the other stores form none.
  if (store !== "trace" && store !== "all") requested.push(named("store")(store));
  return requested;
}

/**
 * The conditions on turns that have an event of this query. A row of a turn records whether any of
 * its events failed; another status is that of the turn itself.
 */
export function eventConditions(
  { status, ...query }: EventQuery,
  atMs: number = Date.now(),
): readonly TurnCondition[] {
  const own = status === undefined || status === "error" ? {} : { status };
  const failed = status === "error" ? [list("flag")("error")] : [];
  return [...queryConditions({ ...query, ...own }, atMs), ...failed];
}

/** Filters of a list of turns that do not apply to events. */
export interface TurnFilters {
  readonly verdict?: string | undefined;
  readonly finding?: string | undefined;
  readonly q?: string | undefined;
}

/** How the terms of `q` are parsed. */
export interface TermReading extends Pick<TermPlace, "typed" | "names"> {
  /** A page lists the words that it did not understand; a program's request is refused. */
  readonly lenient?: boolean;
  /** Name of the parameter with the terms; default `q`. */
  readonly parameter?: string;
}

/** A refusal that names the first unclear term by its place, with what may stand there. */
function unclearError(q: string, parameter: string): ParameterError {
  const { allowed = [], ...term } = firstUnclear(q) ?? { place: 1 };
  return new ParameterError("parameter_invalid", allowed, parameter, term);
}

/**
 * The query of a reading with further filters.
 *
 * @throws CodedError `parameter_invalid` for an invalid word of `q`, unless it is lenient
 */
export function turnQueryOf(
  { scope, query, atMs = Date.now() }: Reading,
  { verdict, finding, q = "" }: TurnFilters = {},
  { typed, names, lenient = false, parameter = "q" }: TermReading = {},
): TurnQuery {
  const { terms, unclear } = readTerms(q);
  if (!lenient && unclear.length > 0) throw unclearError(q, parameter);
  const where = [
    ...queryConditions(query, atMs),
    ...(verdict === undefined ? [] : [text("verdict")(verdict)]),
    ...(finding === undefined ? [] : [list("code")(finding)]),
    ...terms.map((term) => termCondition(term, { typed, atMs, names })),
  ];
  return {
    scope,
    where: applicationOf(scope) === undefined ? where : where.map(withinApplication),
  };
}
