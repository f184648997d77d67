/**
 * @module FilterTerms: the language of the filter bar, `status:error tool:search latency:>2s
 * -agent:x`. Terms with a parameter of their own become parameters of the address; the rest is in
 * `q`. The store evaluates all of them. Shared by server and browser.
 */
import { normalizeTime } from "@turnproof/evidence";

import { readCall } from "./call-term.ts";
import { comparedText, millisecondsOf } from "./comparisons.ts";

/** One term. */
export interface Term {
  readonly key: string;
  readonly value: string;
  readonly negated: boolean;
}

/**
 * Result of parsing the bar's text; words that were not understood are kept and shown, never
 * dropped.
 */
export interface ReadTerms {
  readonly terms: readonly Term[];
  readonly unclear: readonly string[];
}

/** Keys with a parameter of their own, and its name. */
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

/** Values of `has:`, for completion. */
export const hasValues: readonly string[] = [
  "finding",
  "error",
  "memory",
  "cache",
  "fallback",
  "gap",
  "dropped",
  "artifact",
  "delivery",
  "degraded",
  "undelivered",
  "feedback",
  "outcome",
];

/** Keys without a parameter of their own, which are in `q`. */
const otherKeys = [
  "call",
  "contract",
  "cache",
  "model",
  "release",
  "producer",
  "dialect",
  "has",
  "latency",
  "tokens",
] as const;

/** Every key of the bar, for completion. */
export const filterKeys: readonly string[] = [...Object.keys(storeKeys), ...otherKeys];

function isUnderstood({ key, value }: Term): boolean {
  if (value === "") return false;
  if (key === "call") return readCall(value) !== undefined;
  if (key === "contract") return contractResult.test(value);
  if (key === "has") return hasValues.includes(value);
  if (key === "after" || key === "before") return isTime(value);
  if (key === "latency") return !Number.isNaN(millisecondsOf(comparedText(value)));
  if (key === "tokens") return !Number.isNaN(Number(comparedText(value) || "x"));
  return filterKeys.includes(key);
}

/** `name=result`, or `name@version=result`. */
const contractResult =
  /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}(@[0-9a-f]{12})?=(holds|violated|not_established)$/;

/** A time of ISO 8601 with its zone, or a date, which is its midnight. */
function isTime(value: string): boolean {
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return !Number.isNaN(Date.parse(value));
  return normalizeTime(value) !== undefined;
}

/** Parses the text of the bar; a value with spaces is in double quotes. */
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

/** One term in the bar's form. */
export function termText({ key, value, negated }: Term): string {
  return `${negated ? "-" : ""}${key}:${/[\s"]/.test(value) ? `"${value}"` : value}`;
}

/** Parameters of the address for these terms; the others as `q`. */
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

/** The terms of an address. */
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

/** Words of `q` that were not understood; the page shows them. */
export function unclearOf(query: URLSearchParams): readonly string[] {
  return readTerms(query.get("q") ?? "").unclear;
}

/** Parameters of a list that are kept when its terms change; a cursor is not. */
export const keptParameters = ["limit", "chart", "sort", "order", "by", "kind"] as const;

/** The query string of terms, with the kept parameters of the old one. */
export function queryOf(
  terms: readonly Term[],
  kept: URLSearchParams,
  unclear: readonly string[] = [],
): string {
  const query = new URLSearchParams(parametersOf(terms, unclear));
  for (const name of keptParameters) {
    const value = kept.get(name);
    if (value !== null) query.set(name, value);
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

/** True when two terms are equal. */
export function sameTerm(a: Term, b: Term): boolean {
  return a.key === b.key && a.value === b.value && a.negated === b.negated;
}
