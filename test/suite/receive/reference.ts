/**
 * @module Reference decoder: OTLP by protobufjs and by JSON.parse, and the rules of receipt
 * written a second time over plain objects. The suite compares the pull decoders with it; they
 * share the vocabulary's tables and nothing else.
 */
import {
  attribute,
  limits,
  namedSpanMarks,
  otlpNames,
  sourceAttributeNames,
} from "@turnproof/semconv";

import { decodeProtobuf } from "../../otlp/encode.ts";

type Plain = Record<string, unknown>;

/** What both decoders must return of a span. */
export interface ReferenceSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: number;
  readonly start: string;
  readonly end: string;
  readonly statusCode: number;
  readonly name: string | undefined;
  readonly attributes: Plain;
  readonly resource: Plain;
  readonly exceptionType: string | undefined;
}

/** Spans that stand, and how many there were. */
export interface ReferenceResult {
  readonly spans: readonly ReferenceSpan[];
  readonly items: number;
}

/** Reads protobuf; undefined when the reference refuses it. */
export function referenceProtobuf(bytes: Uint8Array): ReferenceResult | undefined {
  try {
    return project(decodeProtobuf(bytes));
  } catch {
    return undefined;
  }
}

/** Reads JSON; undefined when JSON.parse refuses it or a list is none. */
export function referenceJson(bytes: Uint8Array): ReferenceResult | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString("utf8"), keepDigits);
    return typeof parsed === "object" && parsed !== null ? project(parsed as Plain) : undefined;
  } catch {
    return undefined;
  }
}

const wide = new Set(["startTimeUnixNano", "endTimeUnixNano", "intValue"]);

/** A number of 64 bits keeps its digits. */
function keepDigits(key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== "number") return value;
  if (wide.has(key)) return context?.source;
  // An enum is written in digits alone.
  return key === "kind" || key === "code" ? digitsOnly(value, context?.source) : value;
}

function digitsOnly(value: number, source: string | undefined): number {
  return /^\d+$/.test(source ?? "") ? value : 0;
}

const rejected = Symbol("rejected");

function project(request: Plain): ReferenceResult {
  const spans: ReferenceSpan[] = [];
  let items = 0;
  for (const group of list(request["resourceSpans"])) {
    const resource = orRejected(() => attributesOf(object(group["resource"])["attributes"]));
    for (const scope of list(group["scopeSpans"])) {
      const scopeStated = orRejected(() => object(scope["scope"]));
      for (const span of entries(scope["spans"])) {
        items++;
        // What is malformed costs itself: only the way to it must be sound.
        const projected = orRejected(() => one(object(span), resource));
        if (projected === undefined || projected === rejected || scopeStated === rejected) continue;
        spans.push(projected);
      }
    }
  }
  return { spans, items };
}

function orRejected<T>(read: () => T): T | typeof rejected {
  try {
    return read();
  } catch {
    return rejected;
  }
}

function one(span: Plain, resource: Plain | typeof rejected): ReferenceSpan | undefined {
  const attributes = attributesOf(span["attributes"]);
  list(span["links"]);
  const traceId = id(span["traceId"], 32);
  const spanId = id(span["spanId"], 16);
  const parent = span["parentSpanId"];
  const parentSpanId = id(parent, 16);
  const start = nanos(span["startTimeUnixNano"]);
  const end = nanos(span["endTimeUnixNano"]);
  if (attributes === rejected || resource === rejected) return undefined;
  if (traceId === undefined || spanId === undefined) return undefined;
  if (start === undefined || end === undefined) return undefined;
  if (parentSpanId === undefined && !isAbsent(parent, 16)) return undefined;
  const own = attributes[attribute.event_kind.span] !== undefined;
  const foreign = namedSpanMarks.some((mark) => attributes[mark] !== undefined);
  const name = digitsOf(span["name"]);
  const short = Buffer.byteLength(name) <= 256;
  if (own && short && !name.isWellFormed()) return undefined;
  // A foreign name that is no text is none; U+FFFD stands where bytes were none.
  const readable = own || (foreign && name.isWellFormed() && !name.includes("\uFFFD"));
  return {
    traceId,
    spanId,
    parentSpanId,
    kind: enumeration(span["kind"], kindNames),
    start,
    end,
    statusCode: enumeration(object(span["status"])["code"], statusNames),
    name: readable && short ? name : undefined,
    attributes,
    resource,
    exceptionType: exceptionOf(span["events"]),
  };
}

function entries(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new TypeError("not a list");
  return value;
}

function list(value: unknown): readonly Plain[] {
  return entries(value).map(object);
}

function object(value: unknown): Plain {
  if (value === undefined || value === null) return {};
  if (typeof value !== "object" || Array.isArray(value)) throw new TypeError("not an object");
  return value as Plain;
}

function digitsOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

function hexOf(value: unknown): string {
  return Buffer.isBuffer(value) ? value.toString("hex") : typeof value === "string" ? value : "";
}

function id(value: unknown, digits: number): string | undefined {
  const text = hexOf(value).toLowerCase();
  const pattern = new RegExp(`^[0-9a-f]{${digits}}$`);
  return pattern.test(text) && !/^0+$/.test(text) ? text : undefined;
}

function isAbsent(value: unknown, digits: number): boolean {
  if (value === undefined || value === null) return true;
  if (!Buffer.isBuffer(value) && typeof value !== "string") return false;
  const text = hexOf(value);
  return text === "" || (text.length === digits && /^0+$/.test(text));
}

function nanos(value: unknown): string | undefined {
  if (value === undefined || value === null) return "0";
  const text = digitsOf(value);
  return /^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n ? String(BigInt(text)) : undefined;
}

const kinds = ["UNSPECIFIED", "INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"];
const kindNames = kinds.map((name) => `SPAN_KIND_${name}`);
const statusNames = ["UNSET", "OK", "ERROR"].map((name) => `STATUS_CODE_${name}`);

function enumeration(value: unknown, names: readonly string[]): number {
  if (typeof value === "string") return Math.max(0, names.indexOf(value));
  return typeof value === "number" && Object.hasOwn(names, value) ? value : 0;
}

function exceptionOf(events: unknown): string | undefined {
  let found: string | undefined;
  for (const event of list(events)) {
    for (const pair of list(event["attributes"])) {
      if (pair["key"] !== otlpNames.exceptionType) continue;
      const text = object(pair["value"])["stringValue"];
      if (typeof text === "string" && Buffer.byteLength(text) <= 1_024) found = text;
    }
  }
  return found;
}

/** Allowlisted attributes; the last of several with one key. */
function attributesOf(pairs: unknown): Plain | typeof rejected {
  const out: Plain = {};
  let bad = false;
  for (const pair of list(pairs)) {
    const key = pair["key"];
    if (typeof key !== "string" || !sourceAttributeNames.has(key)) continue;
    const value = scalarOrList(object(pair["value"]));
    if (value === rejected) bad = true;
    else if (value !== undefined) out[key] = value;
  }
  return bad ? rejected : out;
}

function scalarOrList(value: Plain): unknown {
  const values = object(value["arrayValue"])["values"];
  if (value["arrayValue"] === undefined) return scalar(value);
  const entries = list(values);
  if (entries.length > limits.listEntriesMax) return undefined;
  const out = entries.map((entry) => ("arrayValue" in entry ? undefined : scalar(entry)));
  if (out.includes(rejected)) return rejected;
  if (out.some((entry) => entry === undefined || typeof entry !== typeof out[0])) return undefined;
  return out;
}

function scalar(value: Plain): unknown {
  if (typeof value["stringValue"] === "string") {
    const text = value["stringValue"];
    if (Buffer.byteLength(text) > 1_024) return undefined;
    // JSON.parse reads text in which bad UTF-8 has become replacement characters.
    return text.isWellFormed() && !text.includes("\ufffd") ? text : rejected;
  }
  if (typeof value["boolValue"] === "boolean") return value["boolValue"];
  if (value["intValue"] !== undefined) {
    const digits = digitsOf(value["intValue"]);
    const number = /^-?\d{1,24}$/.test(digits) ? Number(digits) : Number.NaN;
    return Number.isSafeInteger(number) ? number : undefined;
  }
  const double = value["doubleValue"];
  return typeof double === "number" && Number.isFinite(double) ? double : undefined;
}
