/**
 * @module Span record of: converts a span of this process to a record. It copies and counts
 * exactly as the receiver's decoder does on the wire, so that a span gives the same event either
 * way.
 */
import type { Attributes, HrTime } from "@opentelemetry/api";
import {
  attribute,
  limits,
  nameSources,
  namedSpanMarks,
  otlpNames,
  sourceAttributeNames,
  utf8Bytes,
} from "@turnproof/semconv";
import type { AttributeValue } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";

import { keyedSpanName } from "../mapping/span-name.ts";
import type { DropCounts, SourceAttributes, SpanRecord } from "../mapping/span-record.ts";
import { dialectScopeName } from "./scope-name.ts";
import type { ReadableSpanLike, ResourceLike } from "./sdk-shapes.ts";

/**
 * Most bytes of an allowlisted text, as on the wire; the guard would refuse a longer one anyway.
 */
const textBytesMax = 1_024;
const ownMark = attribute.event_kind.span;
const noId = /^0*$/;

type Scalar = string | number | boolean;
type Drop = (code: string) => void;
type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** All spans of a provider share their resource; it is read once its attributes are settled. */
const resources: WeakMap<ResourceLike, SourceAttributes> = new WeakMap();

/** A record without an inherited prototype that stays fast in V8. */
const Bare = function (): void {} as unknown as new () => Record<string, AttributeValue>;
Bare.prototype = Object.freeze(Object.create(null));

/** An SDK time as decimal nanoseconds. */
export function nanosecondsOf([seconds, nanos]: HrTime): string {
  if (!Number.isSafeInteger(seconds) || seconds < 0) return "0";
  const rest = Math.trunc(nanos);
  if (seconds === 0) return String(Math.max(0, rest));
  return `${seconds}${String(rest + 1_000_000_000).slice(1)}`;
}

/** The record of a span of this process. The span is not changed. */
export function spanRecordOf(span: ReadableSpanLike): SpanRecord {
  let dropped: DropCounts | undefined;
  const drop: Drop = (code) => {
    dropped ??= {};
    dropped[code] = (dropped[code] ?? 0) + 1;
  };
  const context = span.spanContext();
  const record: Mutable<SpanRecord> = {
    traceId: context.traceId,
    spanId: context.spanId,
    kind: span.kind >= 0 && span.kind <= 4 ? span.kind + 1 : 0,
    startTimeUnixNano: nanosecondsOf(span.startTime),
    endTimeUnixNano: nanosecondsOf(span.endTime),
    statusCode: span.status.code,
    attributes: sourceAttributes(span.attributes, drop),
    resource: resourceOf(span.resource),
  };
  const parent = span.parentSpanContext?.spanId ?? span.parentSpanId ?? "";
  if (!noId.test(parent)) record.parentSpanId = parent;
  if (span.parentSpanContext?.isRemote === true) record.parentRemote = true;
  const named = [ownMark, ...namedSpanMarks].some((name) => record.attributes[name] !== undefined);
  if (named) addName(record, span.name, drop);
  const scopeName = dialectScopeName(span.instrumentationScope.name);
  if (scopeName !== undefined) record.scopeName = scopeName;
  const exceptionType = exceptionTypeOf(span, drop);
  if (exceptionType !== undefined) record.exceptionType = exceptionType;
  const links = linksOf(span, drop);
  if (links !== undefined) record.links = links;
  if (dropped !== undefined) record.dropped = dropped;
  return record;
}

function addName(record: Mutable<SpanRecord>, name: string, drop: Drop): void {
  const own = record.attributes[ownMark] !== undefined;
  const read = own || !isLong(name) ? scalarOf(name, drop) : keyedSpanName(name);
  if (read !== name && read !== undefined) drop("name_keyed");
  if (typeof read === "string") record.name = read;
}

function resourceOf(resource: ResourceLike): SourceAttributes {
  const held = resources.get(resource);
  if (held !== undefined) return held;
  const read = sourceAttributes(resource.attributes, () => {});
  if (resource.asyncAttributesPending !== true) resources.set(resource, read);
  return read;
}

function sourceAttributes(attributes: Attributes, drop: Drop): SourceAttributes {
  const out = new Bare();
  for (const name of Object.keys(attributes)) {
    if (!sourceAttributeNames.has(name)) {
      drop("attribute_unknown");
      continue;
    }
    const value: unknown = attributes[name];
    if (value === undefined || value === null) continue;
    const read = Array.isArray(value) ? listOf(value, drop) : scalarOf(value, drop, name);
    if (read !== undefined) out[name] = read;
  }
  return out;
}

/** True when the record admits the value of an allowlisted name. */
export function isAdmittedValue(value: unknown): boolean {
  const ignore: Drop = () => {};
  if (value === undefined || value === null) return false;
  return (Array.isArray(value) ? listOf(value, ignore) : scalarOf(value, ignore)) !== undefined;
}

/** True for a text of more bytes than the bound. */
function isLong(text: string): boolean {
  // A character has at most three bytes, so most texts need no measuring.
  return text.length * 3 > textBytesMax && utf8Bytes(text) > textBytesMax;
}

/**
 * A scalar in its wire form, or undefined with the reason counted. A name that is too long becomes
 * its digest.
 */
function scalarOf(value: unknown, drop: Drop, of?: string): Scalar | undefined {
  switch (typeof value) {
    case "boolean":
      return value;
    case "number":
      if (Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))) {
        return value;
      }
      drop("attribute_nonfinite");
      return undefined;
    case "string":
      if (!isLong(value)) return value;
      if (of !== undefined && nameSources.has(of)) {
        drop("name_keyed");
        return nameDigest(value);
      }
      drop("attribute_too_long");
      return undefined;
    default:
      drop(value === null || value instanceof Uint8Array ? "attribute_type" : "attribute_nested");
      return undefined;
  }
}

function listOf(list: readonly unknown[], drop: Drop): AttributeValue | undefined {
  const entries: Scalar[] = [];
  for (const value of list) {
    if (entries.length >= limits.listEntriesMax) {
      drop("attribute_list_too_long");
      return undefined;
    }
    const entry = scalarOf(value, drop);
    if (entry === undefined) return undefined;
    if (entries.length > 0 && typeof entry !== typeof entries[0]) {
      drop("attribute_type");
      return undefined;
    }
    entries.push(entry);
  }
  return entries as unknown as AttributeValue;
}

/** The class of the last exception; its message and stack trace are content. */
function exceptionTypeOf(span: ReadableSpanLike, drop: Drop): string | undefined {
  for (let at = span.events.length - 1; at >= 0; at--) {
    const type: unknown = span.events[at]?.attributes?.[otlpNames.exceptionType];
    if (type === undefined) continue;
    const read = scalarOf(type, drop);
    return typeof read === "string" ? read : undefined;
  }
  return undefined;
}

function linksOf(span: ReadableSpanLike, drop: Drop): SpanRecord["links"] {
  if (span.links.length === 0) return undefined;
  const links: { traceId: string; spanId: string }[] = [];
  for (const { context } of span.links) {
    if (noId.test(context.traceId) || noId.test(context.spanId)) continue;
    if (links.length < limits.listEntriesMax) {
      links.push({ traceId: context.traceId, spanId: context.spanId });
    } else drop("attribute_list_too_long");
  }
  return links.length === 0 ? undefined : links;
}
