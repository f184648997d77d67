/**
 * @module BundleNested: validates attributes, and the lists inside an event, key by key. Any other
 * name, type or closed value cannot have been written by us.
 */
import { identityFields, limits, provenanceStatuses, registryRows } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";

import { isRegistered } from "../stored-event.ts";

type Check = (value: unknown) => boolean;
type ValueShape = Readonly<Record<string, Check>>;

const isText: Check = (value) => typeof value === "string" && value.length <= limits.stringCharsMax;
const isFlag: Check = (value) => typeof value === "boolean";
const isNumber: Check = (value) => typeof value === "number";
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;

const ref: ValueShape = {
  resource_type: isText,
  ref: isText,
  version: isText,
  role: isText,
  ownership_verified: isFlag,
  provenance_status: isOneOf(provenanceStatuses),
};

const ledgerLine: ValueShape = {
  resource: (value) => hasShape(value, ref),
  candidate_rank: isNumber,
  relevance_score: isNumber,
  selected: isFlag,
  selection_reason: isText,
};

const link: ValueShape = { trace_id: isText, span_id: isText };

/** Validators of attributes whose values are a subset of their type. */
const bounded: ReadonlyMap<string, Check> = new Map(
  registryRows
    .filter((row) => row.slot === "attributes")
    .flatMap((row): [string, Check][] => {
      const check = boundOf(row);
      return check === undefined ? [] : [[row.event, check]];
    }),
);

function boundOf({ type, values }: AttributeRow): Check | undefined {
  const one =
    values !== undefined ? isOneOf(values) : type.startsWith("string") ? isText : undefined;
  if (!type.endsWith("[]")) return one;
  return (value) =>
    Array.isArray(value) &&
    value.length <= limits.listEntriesMax &&
    value.every((item) => typeof item === typeof value[0] && (one === undefined || one(item)));
}

function isOneOf(values: readonly string[]): Check {
  const known: ReadonlySet<unknown> = new Set(values);
  return (value) => known.has(value);
}

/** True when every attribute is registered, of its type and within its closed values and caps. */
export function areAttributes(held: Readonly<Record<string, unknown>>): boolean {
  for (const name in held) {
    const value = held[name];
    if (!isRegistered(name, value)) return false;
    if (bounded.get(name)?.(value) === false && value !== "") return false;
  }
  return true;
}

const isIdentityField: Check = isOneOf(identityFields);

/** True when every list of the event has the names and types of its lines, and no others. */
export function hasNestedShapes(event: Readonly<Record<string, unknown>>): boolean {
  const { input_refs, output_refs, selection_ledger, links, dropped, identity_derived } = event;
  return (
    (identity_derived === undefined || (identity_derived as unknown[]).every(isIdentityField)) &&
    isListOf(input_refs, ref) &&
    isListOf(output_refs, ref) &&
    isListOf(selection_ledger, ledgerLine) &&
    isListOf(links, link) &&
    isCounts(dropped)
  );
}

function isListOf(value: unknown, shape: ValueShape): boolean {
  if (value === undefined) return true;
  return (
    Array.isArray(value) &&
    value.length <= limits.listEntriesMax &&
    value.every((line) => hasShape(line, shape))
  );
}

function hasShape(value: unknown, shape: ValueShape): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const name in value) {
    const check = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (check === undefined || !check((value as Readonly<Record<string, unknown>>)[name])) {
      return false;
    }
  }
  return true;
}

/** Refusal codes with their counts; a code must have the form of one. */
function isCounts(value: unknown): boolean {
  if (value === undefined) return true;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([code, count]) => isCode(code) && isCount(count));
}

function isCode(text: string): boolean {
  return /^[a-z][a-z0-9_.]{0,63}$/.test(text);
}
