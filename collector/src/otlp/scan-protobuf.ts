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
  const ends = new Float64Array(openMax);
  const types = new Uint8Array(openMax);
  const attributeCounts = new Uint32Array(openMax);
  let open = 0;
  let values = 0;
  let items = 0;
  let groups = 0;
  types[0] = message.request;
  ends[0] = bytes.length;
  for (;;) {
    while (cursor.position === ends[open]) {
      if (types[open] === message.anyValue) values--;
      if (open === 0) return { items };
      open--;
      cursor.end = ends[open] as number;
    }
    const tag = cursor.tag();
    const field = Math.floor(tag / 8);
    const wireType = tag & 7;
    const type = types[open] as number;
    const slot = type * fieldSpan + field;
    const expected = field < fieldSpan ? (wires[slot] as number) : unknownField;
    if (expected === unknownField) {
      cursor.skip(wireType, field);
      continue;
    }
    if (expected !== wireType) throw malformed("wire_type");
    if (wireType !== wire.bytes) {
      cursor.skip(wireType, field);
      continue;
    }
    const limit = cursor.limit();
    const child = children[slot] as number;
    if (child === message.leaf) {
      if (type === message.points) items++;
      cursor.position = limit;
      continue;
    }
    items += isItem[child] as number;
    if (child === message.resourceGroup || child === message.scopeGroup) groups++;
    if (items > limits.otlpSpansMax || groups > limits.otlpSpansMax) {
      throw new CodedError("otlp_too_many_spans");
    }
    if (child === message.keyValue && type !== message.keyValueList) {
      const count = (attributeCounts[open] as number) + 1;
      if (count > limits.otlpAttributesPerSpanMax) throw new CodedError("otlp_too_many_attributes");
      attributeCounts[open] = count;
    } else if (child === message.anyValue && ++values > limits.otlpDepthMax) {
      throw new CodedError("otlp_too_deep");
    }
    open++;
    types[open] = child;
    ends[open] = limit;
    attributeCounts[open] = 0;
    cursor.end = limit;
  }
}
