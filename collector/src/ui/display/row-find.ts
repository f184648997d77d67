/**
 * @module RowFind: the language of the box over the waterfall, `search -status:success model:gpt`:
 * words and terms that a row must all match. A word is searched anywhere in a row; a term in one
 * field or in one allowlisted attribute. It searches all rows of a turn, drawn or not.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { attribute, attributeBySpanName } from "@turnproof/semconv";

import { compare, comparedText, millisecondsOf } from "./comparisons.ts";
import { kindTexts } from "./kind-texts.ts";
import { nodeFlags, nodeTexts } from "./row-summary.ts";
import type { WaterfallRow } from "./waterfall-rows.ts";

/** A word (its key is empty) or a term. */
export interface RowTerm {
  readonly key: string;
  readonly value: string;
  readonly negated: boolean;
}

/** Result of parsing the box's text. */
export interface RowQuery {
  readonly terms: readonly RowTerm[];
  /**
   * Words with the form of a term and an unknown key; searched as plain words, as an event id may
   * need.
   */
  readonly unclear: readonly string[];
}

/** Events of a row; empty for a row of something unrecorded. */
export type EventsOf = (row: WaterfallRow) => readonly TurnEvent[];

/** Stands for the value of a row without a recorded one. */
const unknownMark = "?";

/** Events are created only for fields that need them: a browser creates them on first use. */
type Texts = (row: WaterfallRow, events: () => readonly TurnEvent[]) => readonly unknown[];

const fields: { readonly [key: string]: Texts } = {
  op: ({ node }) => [node?.operation],
  kind: ({ node }) => (node === undefined ? [] : [node.event_kind, kindTexts(node.event_kind)]),
  tool: ({ node }) => [node?.tool_name],
  model: ({ node }) => [node?.model],
  status: ({ node }) => [node?.status],
  service: (_, events) => events().map((event) => event.service_name ?? event.application_id),
  producer: (_, events) => events().map(({ producer_id: id }) => id),
  release: (_, events) => events().map(({ attributes }) => attributes.service_version),
  component: (_, events) => events().map(({ component }) => component),
  agent: ({ identity }, events) => [identity?.agent_id, ...events().map(({ agent_id: id }) => id)],
  dialect: (_, events) => events().map(({ dialect }) => dialect),
  lane: ({ node }) => [node?.lane],
  span: ({ node, missingId }) => [node?.span_id, missingId],
  parent: ({ node }) => [node?.parent_span_id],
  event: ({ node }) => node?.event_ids ?? [],
  task: ({ node }) => [node?.task_id],
  ref: (_, events) =>
    events().flatMap(({ input_refs: inputs = [], output_refs: outputs = [] }) =>
      [...inputs, ...outputs].flatMap(({ ref, resource_type: type }) => [ref, type]),
    ),
  is: (row) => stateTexts(row),
};

/** Every key that is no attribute, for completion. */
export const rowKeys: readonly string[] = [...Object.keys(fields), "duration"];

/** Values of `is:`. */
export const rowStates = [
  "critical",
  "missing",
  "unfinished",
  "remote",
  "cycle",
  "skewed",
  "point",
] as const;

function stateTexts({ kind, node }: WaterfallRow): readonly (typeof rowStates)[number][] {
  if (node === undefined) return kind === "missing" ? ["missing"] : [];
  return [
    ...(node.critical ? (["critical"] as const) : []),
    ...(node.missing_parent || node.missing_cause ? (["missing"] as const) : []),
    ...(node.timing === "missing_completion" ? (["unfinished"] as const) : []),
    ...(node.remote_parent ? (["remote"] as const) : []),
    ...(node.cycle ? (["cycle"] as const) : []),
    ...(node.clock_skewed ? (["skewed"] as const) : []),
    ...(node.timing === "instantaneous" ? (["point"] as const) : []),
  ];
}

/** The attribute of a key, by its short name or by its name on the span. */
function attributeOf(key: string): string | undefined {
  if (Object.hasOwn(attribute, key)) return key;
  return attributeBySpanName.get(key)?.event;
}

function isUnderstood({ key, value }: RowTerm): boolean {
  if (value === "") return false;
  if (key === "duration")
    return value === unknownMark || !Number.isNaN(millisecondsOf(comparedText(value)));
  return key === "" || Object.hasOwn(fields, key) || attributeOf(key) !== undefined;
}

/** Parses the box's text. A value with spaces is in double quotes, `\"` is a quote. */
export function readRowQuery(text: string): RowQuery {
  const terms: RowTerm[] = [];
  const unclear: string[] = [];
  const pattern = /(-?)(?:([a-z][\w.]*):)?(?:"((?:[^"\\]|\\.)*)"?|(\S+))|\S+/g;
  for (const [word, minus, key = "", quoted, plain] of text.matchAll(pattern)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? plain ?? "";
    const term = { key, value, negated: minus === "-" };
    if (isUnderstood(term)) terms.push(term);
    // An incomplete term, such as `tool:`.
    else if (!/^-?([\w.]+:)?"?$/.test(word)) {
      unclear.push(word);
      terms.push({ key: "", value: word.slice(term.negated ? 1 : 0), negated: term.negated });
    }
  }
  return { terms, unclear };
}

/** A term that matches this value of a field only; undefined means a missing value. */
export function exactTerm(key: string, value: string | undefined): string {
  if (value === undefined) return `${key}:${unknownMark}`;
  return /^[^\s"\\]+$/.test(value)
    ? `${key}:=${value}`
    : `${key}:"=${value.replace(/["\\]/g, String.raw`\$&`)}"`;
}

/** Indexes of the rows that match every term; empty without terms. */
export function findRows(
  rows: readonly WaterfallRow[],
  eventsOf: EventsOf,
  { terms }: RowQuery,
): readonly number[] {
  if (terms.length === 0) return [];
  const found: number[] = [];
  rows.forEach((row, index) => {
    if (terms.every((term) => passes(row, eventsOf, term))) found.push(index);
  });
  return found;
}

function passes(row: WaterfallRow, eventsOf: EventsOf, term: RowTerm): boolean {
  const { key, value, negated } = term;
  if (key === "") return wordsOf(row, eventsOf).includes(value.toLowerCase()) !== negated;
  const texts = key === "duration" ? [] : valuesOf(row, eventsOf, key);
  // A row of something unrecorded matches neither a term nor its negation.
  if (row.node === undefined && texts.length === 0) return false;
  if (key === "duration") return hasDuration(row, value) !== negated;
  const has = value === unknownMark ? texts.length === 0 : texts.some((one) => isOrHas(one, value));
  return has !== negated;
}

function hasDuration({ node }: WaterfallRow, requested: string): boolean {
  if (node === undefined || node.timing === "instantaneous") return false;
  return requested === unknownMark
    ? node.duration_ms === null
    : compare(node.duration_ms, requested, millisecondsOf);
}

/** Every value of a row for a key, flat. */
export function valuesOf(row: WaterfallRow, eventsOf: EventsOf, key: string): readonly unknown[] {
  const own = Object.hasOwn(fields, key) ? fields[key] : undefined;
  const name = attributeOf(key) ?? "";
  const values =
    own?.(row, () => eventsOf(row)) ?? eventsOf(row).map((event) => attributesOf(event)[name]);
  return values.flat().filter((value) => value !== undefined && value !== null);
}

function attributesOf({ attributes }: TurnEvent): Readonly<Record<string, unknown>> {
  return attributes;
}

function isOrHas(text: unknown, requested: string): boolean {
  if (typeof text === "number" && /^[<>=]/.test(requested)) return compare(text, requested, Number);
  if (requested.startsWith("=")) return String(text) === requested.slice(1);
  return contains(text, requested);
}

function contains(text: unknown, requested: string): boolean {
  return String(text).toLowerCase().includes(requested.toLowerCase());
}

/** All text of a row in lower case, cached because each key press searches again. */
const rowTexts = new WeakMap<WaterfallRow, string>();

function wordsOf(row: WaterfallRow, eventsOf: EventsOf): string {
  const known = rowTexts.get(row);
  if (known !== undefined) return known;
  // An untypeable character separates values, so that no match spans two.
  const words = wordsIn(row, eventsOf(row)).join("\u0000").toLowerCase();
  rowTexts.set(row, words);
  return words;
}

function wordsIn(row: WaterfallRow, events: readonly TurnEvent[]): readonly unknown[] {
  const { node, kind } = row;
  const own = node === undefined ? undefined : nodeTexts(node);
  return [
    own?.name,
    own?.kind,
    ...(node === undefined ? [] : nodeFlags(node).map(([, word]) => word)),
    kind === "missing" ? "missing parent" : undefined,
    row.identity?.turn_id,
    ...Object.values(fields).flatMap((textsOf) => textsOf(row, () => events)),
    ...events.flatMap((event) => Object.values(attributesOf(event)).flat()),
  ].filter((text) => text !== undefined && text !== null);
}
