/**
 * @module ScreenValue: whether a row admits a value: its type, length, shape, and what the
 * detectors find in it, in this order.
 */
import type { Code } from "../codes.ts";
import { isCardNumber } from "./account-numbers.ts";
import { detect, detectSplit, isHexId } from "./detectors.ts";
import { createMemo, remember, remembers } from "./memo.ts";
import type { Memo } from "./memo.ts";
import { hasShape } from "./shapes.ts";
import { isKnownName } from "../known-names.ts";
import { limits } from "../limits.ts";
import type { AttributeValue, AttributeRow, Shape } from "../registry/row.ts";

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

/** Screens a text; undefined when it passes. */
export function screenText(row: AttributeRow, text: string): Code | undefined {
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

/** A value as it is kept, lists as copies; or why it is refused. */
export function admit(row: AttributeRow, value: unknown): AttributeValue | Refusal {
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

/** The code of a refusal; undefined for a value. */
export function codeOf(admitted: AttributeValue | Refusal): Code | undefined {
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
