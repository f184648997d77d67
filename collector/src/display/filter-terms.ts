/**
 * @module FilterTerms: the language of the filter bar, `status:error tool:search latency:>2s
 * -agent:x`. Terms that the store can answer become parameters of the address; the rest travels as
 * `q`, filters the rows of the loaded page, and the page says so. Server and browser share it.
 */
import type { FindingCode, TurnRow } from "@turnproof/evidence";

import { compare, comparedText, millisecondsOf } from "./comparisons.ts";

/** One term. */
export interface Term {
  readonly key: string;
  readonly value: string;
  readonly negated: boolean;
}

/** What a text of the bar came to; what was not understood is kept and shown, never dropped. */
export interface ReadTerms {
  readonly terms: readonly Term[];
  readonly unclear: readonly string[];
}

/** Keys that the store answers, and the parameter each one is. */
export const storeKeys: { readonly [key: string]: string } = {
  status: "status",
  tool: "tool_name",
  agent: "agent_id",
  user: "user_id",
  thread: "thread_id",
  memory: "memory_id",
  app: "application_id",
  root: "root_trace_id",
  run: "run_id",
  turn: "turn_id",
  task: "task_id",
  ref: "resource_ref",
  kind: "event_kind",
  after: "start_time",
  before: "end_time",
  verdict: "verdict",
  finding: "finding",
};

type Test = (row: TurnRow, value: string) => boolean;

/** Findings by which nobody can say that the result arrived. */
const undelivered: ReadonlySet<string> = new Set<FindingCode>([
  "delivery_missing",
  "delivery_not_emitted",
  "delivery_unconfirmed",
  "delivery_artifact_unnamed",
  "delivery_version_mismatch",
]);

const has: { readonly [what: string]: (row: TurnRow) => boolean } = {
  finding: (row) => (row.finding_codes?.length ?? 0) > 0,
  error: (row) => row.has_error,
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
};

/** True where the judge found it in the turn, or an insight names it. */
export function hasCode(row: TurnRow, code: string): boolean {
  const { finding_codes: found, insight_codes: seen } = row;
  return (found?.includes(code) ?? false) || (seen?.includes(code) ?? false);
}

/** Values of `has:`, for completion. */
export const hasValues: readonly string[] = Object.keys(has);

const rowTests: { readonly [key: string]: Test } = {
  status: (row, value) => row.status === value || (value === "error" && row.has_error),
  tool: (row, value) => row.tool_names.includes(value),
  agent: (row, value) => row.agent_id === value,
  user: (row, value) =>
    value === row.user_id ||
    (value === "anonymous" && row.user_id === null) ||
    (value === "unattributed" && row.user_id === undefined),
  thread: (row, value) => row.thread_id === value,
  memory: (row, value) => row.memory_id === value,
  app: (row, value) => row.application_id === value,
  kind: (row, value) => (row.event_kind_counts as Record<string, number>)[value] !== undefined,
  verdict: (row, value) => (row.verdict ?? "unjudged") === value,
  finding: hasCode,
  cache: (row, value) => (row.cache_decision ?? "none") === value,
  model: (row, value) => row.models.includes(value),
  release: (row, value) => row.releases.includes(value),
  producer: (row, value) => row.producers.includes(value),
  dialect: (row, value) => (row.dialects as readonly string[]).includes(value),
  has: (row, value) => has[value]?.(row) ?? false,
  latency: (row, value) => compare(row.duration_ms, value, millisecondsOf),
  tokens: (row, value) => compare(row.total_tokens, value, Number),
};

/** Every key of the bar, for completion. */
export const filterKeys: readonly string[] = [
  ...new Set([...Object.keys(storeKeys), ...Object.keys(rowTests)]),
];

function isUnderstood({ key, value, negated }: Term): boolean {
  if (value === "") return false;
  if (key === "has") return has[value] !== undefined;
  if (key === "latency") return !Number.isNaN(millisecondsOf(comparedText(value)));
  if (key === "tokens") return !Number.isNaN(Number(comparedText(value) || "x"));
  return rowTests[key] !== undefined || (!negated && storeKeys[key] !== undefined);
}

/** Reads the text of the bar; a value with spaces stands in double quotes. */
export function readTerms(text: string): ReadTerms {
  const terms: Term[] = [];
  const unclear: string[] = [];
  for (const match of text.matchAll(/(-?)([a-z]+):(?:"([^"]*)"|(\S*))|\S+/g)) {
    const [word, minus, key, quoted, plain] = match;
    const term = { key: key ?? "", value: quoted ?? plain ?? "", negated: minus === "-" };
    if (key !== undefined && isUnderstood(term)) terms.push(term);
    else unclear.push(word);
  }
  return { terms, unclear };
}

/** One term as it stands in the bar. */
export function termText({ key, value, negated }: Term): string {
  return `${negated ? "-" : ""}${key}:${/[\s"]/.test(value) ? `"${value}"` : value}`;
}

/** Parameters of the address for these terms: what the store answers, and the rest as `q`. */
export function parametersOf(
  terms: readonly Term[],
  unclear: readonly string[] = [],
): Record<string, string> {
  const parameters: Record<string, string> = {};
  const rest: string[] = [];
  for (const term of terms) {
    const [name, value] = parameterOf(term);
    if (name === undefined || parameters[name] !== undefined) rest.push(termText(term));
    else parameters[name] = value;
  }
  rest.push(...unclear);
  if (rest.length > 0) parameters["q"] = rest.join(" ");
  return parameters;
}

function parameterOf(term: Term): readonly [name: string | undefined, value: string] {
  if (term.negated) return [undefined, ""];
  if (term.key === "user") {
    if (term.value === "anonymous") return ["scope", "anonymous"];
    if (term.value === "unattributed") return [undefined, ""];
  }
  return [Object.hasOwn(storeKeys, term.key) ? storeKeys[term.key] : undefined, term.value];
}

const keyOfParameter: { readonly [parameter: string]: string } = Object.fromEntries(
  Object.entries(storeKeys).map(([key, parameter]) => [parameter, key]),
);

/** The terms that an address stands for. */
export function termsOf(query: URLSearchParams): readonly Term[] {
  const terms: Term[] = [];
  for (const [name, value] of query) {
    const key = keyOfParameter[name];
    if (key !== undefined && value !== "") terms.push({ key, value, negated: false });
  }
  if (query.get("scope") === "anonymous") {
    terms.push({ key: "user", value: "anonymous", negated: false });
  }
  return [...terms, ...readTerms(query.get("q") ?? "").terms];
}

/** Words of `q` that nobody understands; the page shows them. */
export function unclearOf(query: URLSearchParams): readonly string[] {
  return readTerms(query.get("q") ?? "").unclear;
}

/** The query string of terms, with what else of the old one stays; a cursor never does. */
export function queryOf(
  terms: readonly Term[],
  kept: URLSearchParams,
  unclear: readonly string[] = [],
): string {
  const query = new URLSearchParams(parametersOf(terms, unclear));
  for (const name of ["limit", "chart"]) {
    const value = kept.get(name);
    if (value !== null) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** True for a term that a row of the list can answer by itself. */
export function isRowTerm(term: Term): boolean {
  return rowTests[term.key] !== undefined;
}

/** True when the row passes every term. */
export function keepsRow(row: TurnRow, terms: readonly Term[]): boolean {
  return terms.every((term) => {
    const test = rowTests[term.key];
    return test === undefined || test(row, term.value) !== term.negated;
  });
}

/** True when two terms say the same. */
export function sameTerm(a: Term, b: Term): boolean {
  return a.key === b.key && a.value === b.value && a.negated === b.negated;
}
