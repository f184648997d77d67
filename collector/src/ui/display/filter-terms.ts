/**
 * @module FilterTerms: the language of the filter bar, `status:error tool:search latency:>2s
 * -agent:x timeout`. Terms with a parameter of their own become parameters of the address; the rest
 * is in `q`. Values with a comma between them are a list: either. A word without a key is free
 * text. The store evaluates all of them. Shared by server and browser.
 */
import { findingTexts, insightCodes, verdictReasons } from "@turnproof/evidence";
import { eventKinds, eventStatuses, kindOf, limits, verdictStatuses } from "@turnproof/semconv";

import { readCall } from "./call-term.ts";
import { comparedText, comparisonSign, millisecondsOf } from "./comparisons.ts";
import { filterKeys, hasValues, storeKeys, termKey, textKey, typedKeys } from "./filter-keys.ts";
import { readTime, timeForms } from "./time-range.ts";

/** One term. */
export interface Term {
  readonly key: string;
  readonly value: string;
  /** Further values of a list, `agent:a,b`: either of them. */
  readonly others?: readonly string[];
  readonly negated: boolean;
}

/** The values of a term, of which either is met. */
export const valuesOf = ({ value, others = [] }: Term): readonly string[] => [value, ...others];

/**
 * Result of parsing the bar's text; words that were not understood are kept and shown, never
 * dropped.
 */
export interface ReadTerms {
  readonly terms: readonly Term[];
  readonly unclear: readonly string[];
}

/** Values of keys that have few. */
const closedValues: { readonly [key: string]: readonly string[] } = {
  status: eventStatuses,
  verdict: [...verdictStatuses, "unjudged"],
  finding: Object.keys(findingTexts),
  insight: insightCodes,
  reason: verdictReasons,
};

function isUnderstood({ key, value }: Term): boolean {
  if (value === "" || value.length > limits.stringCharsMax || /\p{Cc}/u.test(value)) return false;
  const closed = Object.hasOwn(closedValues, key) ? closedValues[key] : undefined;
  if (closed !== undefined) return closed.includes(value);
  if (key === "kind") return kindOf(value) !== undefined;
  if (key === "call") return readCall(value) !== undefined;
  if (key === "contract") return contractResult.test(value);
  if (key === "has") return hasValues.includes(value);
  if (key === "after" || key === "before") return readTime(value, 0) !== undefined;
  if (key === "received") return readBound(value, 0) !== undefined;
  if (key === "latency") return !Number.isNaN(millisecondsOf(comparedText(value)));
  if (key === "tokens") return !Number.isNaN(Number(comparedText(value) || "x"));
  return filterKeys.includes(key);
}

/** One end of a range of time, `>=-1h` or `<2026-11-21`: the start is in it and the end is not. */
export function readBound(
  value: string,
  atMs: number,
): { readonly from: string } | { readonly to: string } | undefined {
  const sign = comparisonSign(value);
  const time = readTime(comparedText(value), atMs);
  if (time === undefined || (sign !== ">=" && sign !== "<")) return undefined;
  return sign === "<" ? { to: time } : { from: time };
}

/** `name=result`, or `name@version=result`. */
const contractResult =
  /^[A-Za-z0-9][A-Za-z0-9._/-]{0,119}(@[0-9a-f]{12})?=(holds|violated|not_established)$/;

const termForm =
  /(-?)([a-z]+):(?:((?:"[^"]*"|[^\s",]+)(?:,(?:"[^"]*"|[^\s",]+))+)(?!\S)|"([^"]*)"|(\S*))|(-?)"([^"]*)"|\S+/g;
const listedForm = /"([^"]*)"|[^\s",]+/g;

/** Keys of ends and comparisons, which take one value. */
const takesOne: ReadonlySet<string> = new Set(["after", "before", "received", "latency", "tokens"]);

/** Keys of which a turn has one value: two such terms can only mean either. */
export const oneOfTurn: ReadonlySet<string> = new Set([
  "agent",
  "user",
  "thread",
  "root",
  "turn",
  "verdict",
  "cache",
]);

/** Words that other query languages have between terms. In quotes they are text. */
const operators = /^(OR|AND|NOT|\|\|?|&&?|,)$/;

/**
 * Parses the text of the bar. A value with spaces is in double quotes; so is free text with spaces
 * or with a colon after its first word.
 */
export function readTerms(text: string): ReadTerms {
  const terms: Term[] = [];
  const unclear: string[] = [];
  for (const match of text.matchAll(termForm)) {
    const [word, minus, key, listed, quoted, plain, not, phrase] = match;
    const term =
      key === undefined
        ? textTerm(word, phrase, not === "-")
        : keyedTerm(termKey(key), listed, quoted ?? plain ?? "", minus === "-");
    const isBare = key !== undefined && quoted === undefined && listed === undefined;
    const isClear =
      key === undefined
        ? hasText(term) && (phrase !== undefined || !operators.test(word))
        : term.key !== textKey && valuesOf(term).every((value) => isUnderstood({ ...term, value }));
    const starred =
      (isBare && isStarred(term)) ||
      (listed !== undefined && isStarred({ ...term, value: listed }));
    // A value that is not in quotes ends at a comma, and no form writes a quote inside of a value.
    const cut = term.value.includes('"') || (isBare && term.value.includes(","));
    if (isClear && !starred && !cut) addTerm(terms, term);
    else unclear.push(word);
  }
  return { terms, unclear };
}

/** Adds a term; a second one of a key of which a turn has one value makes a list of the first. */
function addTerm(terms: Term[], term: Term): void {
  const at = terms.findIndex(({ key, negated }) => key === term.key && !negated);
  const own = terms[at];
  if (own === undefined || term.negated || !oneOfTurn.has(term.key)) terms.push(term);
  else terms[at] = listTerm(term.key, [...valuesOf(own), ...valuesOf(term)], false);
}

function listTerm(key: string, values: readonly string[], negated: boolean): Term {
  const [value = "", ...others] = new Set(values);
  return { key, value, ...(others.length === 0 ? {} : { others }), negated };
}

function keyedTerm(key: string, listed: string | undefined, value: string, not: boolean): Term {
  // A comma of a key that takes one value is of that value, which is then not understood.
  if (listed === undefined || takesOne.has(key))
    return { key, value: listed ?? value, negated: not };
  const values = [...listed.matchAll(listedForm)].map(([word, quoted]) => quoted ?? word);
  return listTerm(key, values, not);
}

function textTerm(word: string, phrase: string | undefined, not: boolean): Term {
  if (phrase !== undefined) return { key: textKey, value: phrase.trim(), negated: not };
  const negated = word.startsWith("-");
  return { key: textKey, value: negated ? word.slice(1) : word, negated };
}

/** A value in part, which no term takes; in quotes a star is itself. */
function isStarred({ key, value }: Pick<Term, "key" | "value">): boolean {
  return value.includes("*") && key !== "call";
}

/** A lone sign is no text, but for those that ids contain. */
function hasText({ value }: Term): boolean {
  return /[\p{L}\p{N}_%]/u.test(value) && value.length <= limits.stringCharsMax;
}

const operatorHint =
  "is no operator: agent:a,b is either, two terms are both, -agent:a is not; in quotes it is text";

/** What is wrong with a word that was not understood. */
export function unclearReason(word: string): string {
  if (/^[^"]*"[^"]*$/.test(word)) return "has a quote that is not closed";
  if (operators.test(word)) return operatorHint;
  const [, key, value] = /^-?([a-z]+):(.*)$/s.exec(word) ?? [];
  if (key === undefined) return "is no text";
  if (!typedKeys.includes(key)) return `${key}: is no key; in quotes it is searched as text`;
  if (value === "") return `${key}: needs a value`;
  if (isStarred({ key, value: value ?? "" })) {
    return `${key}: takes a whole value, without *; a part of a name or an id is found without a key`;
  }
  if (value?.includes(",") === true) {
    if (takesOne.has(key)) return `${key}: takes one value`;
    if (/^,|,,|,$/.test(value)) return `${key}: needs a value on each side of a comma`;
  }
  const closed = Object.hasOwn(closedValues, key) ? closedValues[key] : undefined;
  if (key === "has") return `${key}: is one of ${hasValues.join(", ")}`;
  const codes: readonly string[] = insightCodes;
  if (key === "finding" && codes.includes(value ?? "")) {
    return `finding: takes findings of the judge; ${value} is an insight, insight:${value}`;
  }
  if (closed !== undefined && closed.length < 12) return `${key}: is one of ${closed.join(", ")}`;
  if (key === "after" || key === "before") {
    return `${key}: takes ${timeForms}`;
  }
  if (key === "contract") return `${key}: takes name=holds, =violated or =not_established`;
  if (key === "received") return `${key}: takes >=-1h, <2026-11-21T09:30:00Z`;
  if (key === "latency") return `${key}: takes >2s, <150ms`;
  if (key === "tokens") return `${key}: takes >1000`;
  return `${key}: has no such value`;
}

/**
 * A term that was not understood: its place, and what may stand there. Never a word of the text.
 */
export interface UnclearTerm {
  /** Place among the terms, from 1. */
  readonly place: number;
  /** Its key, where it is one of ours. */
  readonly key?: string;
  /** Values or forms of values of the key; without one, the keys. */
  readonly allowed: readonly string[];
}

/** Forms of values, by key. */
const valueForms: { readonly [key: string]: readonly string[] } = {
  has: hasValues,
  after: ["2026-11-21", "2026-11-21T09:30:00Z", "-24h"],
  before: ["2026-11-21", "2026-11-21T09:30:00Z", "-24h"],
  contract: ["name=holds", "name=violated", "name=not_established"],
  call: ["tool:search:failed", "tool:*:limited", "model:*:*", "agent:*:*"],
  latency: [">2s", "<150ms"],
  received: [">=-1h", "<2026-11-21T09:30:00Z"],
  tokens: [">1000", "<=200"],
};

/** The first term of a text that is not understood. */
export function firstUnclear(text: string): UnclearTerm | undefined {
  const [word] = readTerms(text).unclear;
  if (word === undefined) return undefined;
  const words = [...text.matchAll(termForm)].map(([own]) => own);
  const place = words.indexOf(word) + 1;
  const key = /^-?([a-z]+):/.exec(word)?.[1];
  if (key === undefined || !typedKeys.includes(key)) return { place, allowed: typedKeys };
  const closed = Object.hasOwn(closedValues, key) ? closedValues[key] : undefined;
  const forms = Object.hasOwn(valueForms, key) ? valueForms[key] : undefined;
  const kinds = key === "kind" ? eventKinds : undefined;
  return { place, key, allowed: closed ?? kinds ?? forms ?? [] };
}

/** One term in the bar's form. */
export function termText(term: Term): string {
  const { key, value, negated } = term;
  const minus = negated ? "-" : "";
  if (key === textKey) {
    const isPlain = /^[^\s":-][^\s":]*$/.test(value) && !operators.test(value);
    return `${minus}${isPlain ? value : `"${value}"`}`;
  }
  const texts = valuesOf(term).map((one) =>
    /[\s",]/.test(one) || isStarred({ key, value: one }) ? `"${one}"` : one,
  );
  return `${minus}${key}:${texts.join(",")}`;
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
    // One tenant has one parameter, in either of its two forms.
    const tenant = (name === "scope" || name === "user_id") && hasTenant(parameters);
    if (name === undefined || parameters[name] !== undefined || tenant) rest.push(termText(term));
    else parameters[name] = value;
  }
  rest.push(...unclear);
  if (rest.length > 0) parameters["q"] = rest.join(" ");
  return parameters;
}

function hasTenant({ scope, user_id: user }: { readonly [name: string]: string }): boolean {
  return scope !== undefined || user !== undefined;
}

function parameterOf(term: Term): readonly [name: string | undefined, value: string] {
  // A parameter has one value, in which a comma is a comma.
  if (term.negated || term.others !== undefined) return [undefined, ""];
  if (term.key === "user") {
    if (term.value === "anonymous") return ["scope", "anonymous"];
    if (term.value === "unattributed") return [undefined, ""];
  }
  return [Object.hasOwn(storeKeys, term.key) ? storeKeys[term.key] : undefined, term.value];
}

/** Key of the bar of each parameter that has one. */
export const keyOfParameter: { readonly [parameter: string]: string } = Object.fromEntries(
  Object.entries(storeKeys).map(([key, parameter]) => [parameter, key]),
);

/** The terms of an address. */
export function termsOf(query: URLSearchParams): readonly Term[] {
  const terms: Term[] = [];
  for (const [name, value] of query) {
    const key = keyOfParameter[name];
    if (key !== undefined && value !== "") terms.push({ key, value, negated: false });
    if (name === "scope" && value === "anonymous")
      terms.push({ key: "user", value, negated: false });
  }
  return [...terms, ...readTerms(query.get("q") ?? "").terms];
}

/** Words of `q` that were not understood; the page shows them. */
export function unclearOf(query: URLSearchParams): readonly string[] {
  return readTerms(query.get("q") ?? "").unclear;
}

/** The same query without these words, which JSON refuses. */
export function understoodOf(query: URLSearchParams): URLSearchParams {
  const understood = new URLSearchParams(query);
  const { terms, unclear } = readTerms(query.get("q") ?? "");
  if (unclear.length === 0) return understood;
  if (terms.length === 0) understood.delete("q");
  else understood.set("q", terms.map(termText).join(" "));
  return understood;
}

/** Parameters of a list that are kept when its terms change; a cursor is not. */
export const keptParameters = [
  "limit",
  "chart",
  "sort",
  "order",
  "by",
  "kind",
  "hide",
  "show",
  "rows",
] as const;

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
  return termText(a) === termText(b);
}
