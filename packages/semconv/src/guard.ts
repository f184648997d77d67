/**
 * @module Guard: decides which values leave a process and enter a store (privacy: How a value is
 * judged; requirements: Metadata validation). One rule, three reactions: the recorder throws on a
 * refusal, the exporter and the receiver drop and count. Order of checks: name, kind, type, length,
 * shape, detectors.
 */
import type { Code } from "./codes.ts";
import { isCardNumber } from "./guard/account-numbers.ts";
import { detect, detectSplit, isHexId } from "./guard/detectors.ts";
import { createMemo, remember, remembers } from "./guard/memo.ts";
import type { Memo } from "./guard/memo.ts";
import { hasShape } from "./guard/shapes.ts";
import { operationPattern } from "./kinds.ts";
import type { EventKind } from "./kinds.ts";
import { isKnownName } from "./known-names.ts";
import { limits } from "./limits.ts";
import { attribute, attributeBySpanName, mayCarry } from "./registry.ts";
import type { AttributeValue } from "./registry/row.ts";
import type { AttributeRow, Shape } from "./registry/row.ts";

/** What `screen` kept, and what it refused, by code. Never a refused key or value. */
export interface Screened {
  /** A null-prototype record under the input's names; lists are copies. */
  readonly kept: Record<string, AttributeValue>;
  /** A null-prototype record: number of refused fields by code. */
  readonly refused: Record<string, number>;
  readonly refusedCount: number;
}

/** Which of a row's two names the input uses, and the kind of the event. */
export interface ScreenOptions {
  readonly names: "span" | "event";
  /** When set, a row that this kind may not carry is refused with `attribute_kind`. */
  readonly kind?: EventKind;
}

/**
 * Replaces a value that the row refuses by its fingerprint, e.g. `createIdentityKey` of a key; the
 * row declares whether it is an identity or a name.
 */
export type IdentityKey = (value: string, row: AttributeRow) => string;

/** The form of a keyed name, or of a name's digest: the name of a key and 26 characters. */
const keyedNamePattern: RegExp = /^[a-z0-9]{1,12}_[a-z2-7]{26}$/;

/** The form in which an identity is kept, as it came or keyed; or why it is refused. */
export type ScreenedIdentity =
  | { readonly value: string; readonly keyed: boolean }
  | { readonly code: Code };

/** Why a value is refused. */
interface Refusal {
  readonly code: Code;
}

/**
 * A version of four numbers. It has the form of an IPv4 address; where a version is allowed it
 * counts as one.
 */
const versionQuad: RegExp = /^v?\d{1,3}(?:\.\d{1,3}){3}(?:[-+~][A-Za-z0-9+~-]*)?$/;

/** Hosts that a model name may begin with: registries that local runtimes pull from. */
const registryPattern: RegExp =
  /^(?:hf\.co|huggingface\.co|modelscope\.cn|ollama\.com|registry\.ollama\.ai|docker\.io|ghcr\.io|nvcr\.io|quay\.io)\//;

/** Texts that passed, by shape, so that a label costs one lookup; refused texts are never kept. */
const passed: { readonly [K in Shape]: Memo } = {
  id: createMemo("id"),
  tenant: createMemo("tenant"),
  tool: createMemo("tool"),
  subject: createMemo("subject"),
  route: createMemo("route"),
  fingerprint: createMemo("fingerprint"),
  name: createMemo("name"),
  model: createMemo("model"),
  label: createMemo("label"),
  version: createMemo("version"),
  host: createMemo("host"),
  closed: createMemo("closed"),
  time: createMemo("time"),
  none: createMemo("none"),
};

function screenText(row: AttributeRow, text: string): Code | undefined {
  const { shape } = row;
  if (shape === "closed") return row.values?.includes(text) ? undefined : "attribute_value";
  if (text.length > row.cap) return "attribute_too_long";
  if (shape === "none") return "attribute_type";
  if (isIdShape(shape) && isHexId(text)) return undefined;
  const memo = passed[shape];
  if (remembers(memo, text)) return undefined;
  const code = hasShape(shape, text) ? detected(shape, text) : "attribute_shape";
  if (code !== undefined && !(row.keyed === "name" && isKnownName(text))) return code;
  remember(memo, text);
  return undefined;
}

/** True for shapes of ids, in which digits alone are an id. */
function isIdShape(shape: Shape): boolean {
  return shape === "id" || shape === "tenant" || shape === "subject";
}

function detected(shape: Exclude<Shape, "closed" | "none">, text: string): Code | undefined {
  switch (shape) {
    case "time":
      return undefined;
    case "version":
      return detect(text, { version: versionQuad.test(text) });
    case "model":
      return detect(text.replace(registryPattern, ""), {});
    case "tenant":
      return detect(text, { ids: true, endpoints: true });
    default:
      return detect(text, isIdShape(shape) ? { ids: true } : {});
  }
}

/** The least number with as many digits as a payment card has. */
const accountNumberMin = 1e12;

function screenNumber(row: AttributeRow, value: number, whole: boolean): Code | undefined {
  if (!Number.isFinite(value)) return "attribute_nonfinite";
  if (value >= accountNumberMin && Number.isSafeInteger(value) && isCardNumber(String(value))) {
    return "attribute_card";
  }
  if (!whole) return undefined;
  if (!Number.isInteger(value)) return "attribute_type";
  if (!Number.isSafeInteger(value)) return "attribute_nonfinite";
  return row.holds === "count" && value < 0 ? "attribute_nonfinite" : undefined;
}

function screenScalar(row: AttributeRow, type: string, value: unknown): Code | undefined {
  if (typeof value === "string")
    return type === "string" ? screenText(row, value) : "attribute_type";
  if (typeof value === "number") {
    if (type === "int") return screenNumber(row, value, true);
    return type === "double" ? screenNumber(row, value, false) : "attribute_type";
  }
  if (typeof value === "boolean") return type === "boolean" ? undefined : "attribute_type";
  return typeof value === "object" && value !== null ? "attribute_nested" : "attribute_type";
}

/** Types of list entries, by the type of the list. */
const entryTypes: { readonly [type: string]: string | undefined } = {
  "string[]": "string",
  "boolean[]": "boolean",
  "int[]": "int",
  "double[]": "double",
};

/** Types are our own literals, so this compares pointers instead of texts. */
function isListType(type: AttributeRow["type"]): boolean {
  return type !== "string" && type !== "int" && type !== "boolean" && type !== "double";
}

/** Parallel lists keep their positions: an empty text in them means unknown. */
function mayBeEmpty(row: AttributeRow): boolean {
  return row.slot === "refs" || row.slot === "ledger";
}

/** A list is copied before it is screened, so that the screened value is the one that is kept. */
function admitList(
  row: AttributeRow,
  type: string,
  list: readonly unknown[],
): AttributeValue | Refusal {
  const { length } = list;
  if (length > limits.listEntriesMax) return { code: "attribute_list_too_long" };
  const copy: unknown[] = [];
  for (let at = 0; at < length; at++) {
    const entry = list[at];
    if (!(entry === "" && mayBeEmpty(row))) {
      const code = screenScalar(row, type, entry);
      if (code !== undefined) return { code };
    }
    copy.push(entry);
  }
  if (length > 1 && type === "string") {
    const code = detectSplit(copy as string[]);
    if (code !== undefined) return { code };
  }
  return copy as unknown as AttributeValue;
}

function admit(row: AttributeRow, value: unknown): AttributeValue | Refusal {
  if (!isListType(row.type)) {
    const code = screenScalar(row, row.type, value);
    return code === undefined ? (value as AttributeValue) : { code };
  }
  const entryType = entryTypes[row.type] as string;
  try {
    if (Array.isArray(value)) return admitList(row, entryType, value);
  } catch {
    return { code: "attribute_type" };
  }
  return {
    code: typeof value === "object" && value !== null ? "attribute_nested" : "attribute_type",
  };
}

function codeOf(admitted: AttributeValue | Refusal): Code | undefined {
  return typeof admitted === "object" && "code" in admitted ? admitted.code : undefined;
}

/**
 * Screens one value of one row: undefined when it passes, else the refusal code. Never throws.
 * Worst case well under a millisecond; a long text is refused by its length alone.
 */
export function screenValue(row: AttributeRow, value: unknown): Code | undefined {
  // Only reading a list can throw, and most values are scalars.
  if (!isListType(row.type)) return screenScalar(row, row.type, value);
  try {
    return codeOf(admit(row, value));
  } catch {
    return "attribute_type";
  }
}

/**
 * Screens one entry of a list row, as {@link screenValue} does for a list with that entry alone.
 */
export function screenEntry(row: AttributeRow, entry: unknown): Code | undefined {
  if (entry === "" && mayBeEmpty(row)) return undefined;
  return screenScalar(row, entryTypes[row.type] ?? "", entry);
}

const rowByEventName: ReadonlyMap<string, AttributeRow> = new Map(Object.entries(attribute));

/** Rows by name that a kind may carry, built once per kind and naming. */
const carried: {
  readonly [K in ScreenOptions["names"]]: Map<EventKind, Map<string, AttributeRow>>;
} = { span: new Map(), event: new Map() };

function rowsFor(options: ScreenOptions): ReadonlyMap<string, AttributeRow> {
  const all = options.names === "span" ? attributeBySpanName : rowByEventName;
  const { kind } = options;
  if (kind === undefined) return all;
  let rows = carried[options.names].get(kind);
  if (rows === undefined) {
    rows = new Map([...all].filter(([, row]) => mayCarry(row, kind)));
    carried[options.names].set(kind, rows);
  }
  return rows;
}

function codeOfUnlisted(name: string, options: ScreenOptions): Code {
  const all = options.names === "span" ? attributeBySpanName : rowByEventName;
  return all.has(name) ? "attribute_kind" : "attribute_unknown";
}

/**
 * Screens a record of attributes: own enumerable keys only, at most 64 kept, everything else
 * counted by code. An absent value (undefined or null) is neither kept nor counted. Never throws.
 */
export function screen(input: object, options: ScreenOptions): Screened {
  const rows = rowsFor(options);
  const kept: Record<string, AttributeValue> = Object.create(null);
  const refused: Record<string, number> = Object.create(null);
  let keptCount = 0;
  let refusedCount = 0;
  const refuse = (code: Code): void => {
    refused[code] = (refused[code] ?? 0) + 1;
    refusedCount++;
  };
  for (const key of keysOf(input)) {
    const row = rows.get(key);
    if (row === undefined) {
      refuse(codeOfUnlisted(key, options));
      continue;
    }
    const value = read(input, key);
    if (value === undefined || value === null) continue;
    const admitted = admit(row, value);
    const code = codeOf(admitted);
    if (code !== undefined) refuse(code);
    else if (keptCount >= limits.attributesMax) refuse("attribute_limit");
    else {
      kept[key] = admitted as AttributeValue;
      keptCount++;
    }
  }
  return { kept, refused, refusedCount };
}

function keysOf(input: object): readonly string[] {
  try {
    return Object.keys(input);
  } catch {
    return [];
  }
}

/** A getter or trap that throws yields a symbol, which no row's type admits. */
function read(input: object, key: string): unknown {
  try {
    return (input as Record<string, unknown>)[key];
  } catch {
    return Symbol.for("turnproof.unreadable");
  }
}

/**
 * Screens an identity or a name. Without `key` (our own API) a value that its row refuses is
 * refused with `identity_not_opaque`; with `key` (a receiver) it is replaced by its fingerprint,
 * never dropped. A name that another process keyed is passed to `key` too, because its list of
 * names may resolve it. A whole number counts as its digits. Errors: `identity_empty`,
 * `attribute_type`.
 */
export function screenIdentity(
  row: AttributeRow,
  value: unknown,
  options: { readonly key?: IdentityKey } = {},
): ScreenedIdentity {
  const text =
    typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value))
      ? String(value)
      : value;
  if (typeof text !== "string") return { code: "attribute_type" };
  if (text === "") return { code: "identity_empty" };
  const { key } = options;
  if (key !== undefined && row.keyed === "name" && isKeyedName(text)) {
    return { value: key(text, row), keyed: false };
  }
  if (screenText(row, text) === undefined) return { value: text, keyed: false };
  return key === undefined
    ? { code: "identity_not_opaque" }
    : { value: key(text, row), keyed: true };
}

/**
 * True for the form of a keyed name; length is checked first, because this runs for every name.
 */
export function isKeyedName(text: string): boolean {
  const { length } = text;
  return (
    length > 27 && length < 40 && text.charCodeAt(length - 27) === 95 && keyedNamePattern.test(text)
  );
}

/** Validates the name of a host's own operation; undefined when it passes. */
export function screenOperation(name: string): Code | undefined {
  if (typeof name !== "string" || !operationPattern.test(name)) return "operation_name_invalid";
  return detect(name, {});
}
