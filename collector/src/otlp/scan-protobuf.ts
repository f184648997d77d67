/**
 * @module Structural scan of a protobuf body: one iterative walk over the wire that checks every
 * known message and counts what would have to be made, before any object exists (design 6.1).
 */
import { CodedError, limits } from "@turnproof/semconv";

import { WireCursor, malformed } from "./wire-cursor.ts";
import { fieldSpan, message, schemas, unknownField, wire } from "./wire-schema.ts";
import type { Signal } from "./wire-schema.ts";

/** What a body holds. */
export interface StructureCount {
  /** Spans, log records or metric points. */
  readonly items: number;
}

/** Deepest stack of open messages: the fixed ones, and three per level of a nested value. */
const openMax = 8 + 3 * (limits.otlpDepthMax + 1);

const isItem: Uint8Array = (() => {
  const table = new Uint8Array(fieldSpan);
  table[message.span] = 1;
  table[message.logRecord] = 1;
  return table;
})();

/**
 * Walks the whole body. Throws `otlp_malformed` (400) for anything that is not the wire format or
 * gives a known field another wire type, `otlp_too_many_spans`, `otlp_too_many_attributes` and
 * `otlp_too_deep` (413) beyond the limits.
 */
export function scanProtobuf(bytes: Buffer, signal: Signal): StructureCount {
  const { wires, children } = schemas[signal];
  const cursor = new WireCursor(bytes);
  const ends = new Int32Array(openMax);
  const types = new Uint8Array(openMax);
  const attributeCounts = new Uint32Array(openMax);
  let open = 0;
  let values = 0;
  let items = 0;
  let groups = 0;
  let type: number = message.request;
  types[0] = type;
  ends[0] = bytes.length;
  for (;;) {
    while (cursor.position === cursor.end) {
      if (type === message.anyValue) values--;
      if (open === 0) return { items };
      open--;
      type = types[open] as number;
      cursor.end = ends[open] as number;
    }
    const tag = cursor.tag();
    const wireType = tag & 7;
    const slot = tag < fieldSpan * 8 ? type * fieldSpan + (tag >>> 3) : 0;
    const expected = wires[slot] as number;
    if (expected !== wireType) {
      if (expected !== unknownField) throw malformed("wire_type");
      cursor.skip(wireType, tag >>> 3);
      continue;
    }
    if (wireType !== wire.bytes) {
      cursor.skip(wireType, 0);
      continue;
    }
    const limit = cursor.limit();
    const child = children[slot] as number;
    if (child === message.leaf) {
      if (type === message.points) items++;
      cursor.position = limit;
      continue;
    }
    if (child === message.keyValue && type !== message.keyValueList) {
      const count = (attributeCounts[open] as number) + 1;
      if (count > limits.otlpAttributesPerSpanMax) throw new CodedError("otlp_too_many_attributes");
      attributeCounts[open] = count;
      if (isPlainPair(bytes, cursor.position, limit)) {
        cursor.position = limit;
        continue;
      }
    } else if (child === message.anyValue) {
      if (++values > limits.otlpDepthMax) throw new CodedError("otlp_too_deep");
    } else if (isItem[child] === 1) {
      if (++items > limits.otlpSpansMax) throw new CodedError("otlp_too_many_spans");
    } else if (child === message.resourceGroup || child === message.scopeGroup) {
      if (++groups > limits.otlpSpansMax) throw new CodedError("otlp_too_many_spans");
    }
    open++;
    types[open] = type = child;
    ends[open] = cursor.end = limit;
    attributeCounts[open] = 0;
  }
}

/**
 * True for what nearly every attribute is: a key, then one text, number or flag, with lengths of
 * one or two bytes that fill the pair exactly. Anything else, right or wrong, is walked.
 */
function isPlainPair(bytes: Buffer, start: number, end: number): boolean {
  if (bytes[start] !== 0x0a) return false;
  const keyBytes = bytes[start + 1] as number;
  let at = start + 2 + keyBytes;
  if (keyBytes > 0x7f || bytes[at] !== 0x12 || at + 4 > end) return false;
  at = lengthEnd(bytes, at + 1, end);
  if (at === 0) return false;
  switch (bytes[at]) {
    case 0x0a:
      return at + 1 < end && lengthEnd(bytes, at + 1, end) !== 0;
    case 0x21:
      return at + 9 === end;
    case 0x10:
    case 0x18: {
      const first = ++at;
      while (at < end && (bytes[at] as number) > 0x7f) at++;
      return at === end - 1 && at - first < 9;
    }
    default:
      return false;
  }
}

/** Where the content after a short length begins, if it ends at `end`; 0 otherwise. */
function lengthEnd(bytes: Buffer, at: number, end: number): number {
  const low = bytes[at] as number;
  if (low < 0x80) return at + 1 + low === end ? at + 1 : 0;
  const high = bytes[at + 1] as number;
  if (high > 0x7f || at + 2 > end) return 0;
  return at + 2 + (low & 0x7f) + high * 128 === end ? at + 2 : 0;
}
