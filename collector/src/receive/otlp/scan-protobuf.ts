/**
 * @module Structural scan of protobuf: two iterative walks over the wire format, before any object
 * exists (collector: Receive). The envelope is walked first and counts the items; each item is
 * walked when it is read, so that a malformed one is rejected without its batch.
 */
import { limits } from "@turnproof/semconv";

import { WireCursor, malformed } from "./wire-cursor.ts";
import { fieldSpan, message, schemas, unknownField, wire } from "./wire-schema.ts";
import type { Signal, WireSchema } from "./wire-schema.ts";

/** Result of a scan. */
export interface StructureCount {
  /** Spans, log records or metric points. */
  readonly items: number;
}

/** Deepest stack of open messages: the fixed ones, and three per level of a nested value. */
const openMax = 8 + 3 * (limits.otlpDepthMax + 1);

const tableOf = (types: readonly number[]): Uint8Array => {
  const table = new Uint8Array(fieldSpan);
  for (const type of types) table[type] = 1;
  return table;
};

/** Messages around the items, and which one is an item. */
const envelope: Uint8Array = tableOf([
  message.resourceGroup,
  message.scopeGroup,
  message.metric,
  message.points,
]);
const isItem: Uint8Array = tableOf([message.span, message.logRecord]);

/**
 * Walks the envelope of the complete body: resources, scopes and the number of their items. Throws
 * `otlp_malformed` (400) for an invalid wire format or a field of the envelope with another wire
 * type. Items are not entered.
 */
export function scanProtobuf(bytes: Buffer, signal: Signal): StructureCount {
  const walk = new WireWalk(bytes, schemas[signal]);
  const items = walk.run(message.request, 0, bytes.length, envelope);
  if (walk.fault !== undefined) throw malformed(walk.fault);
  return { items };
}

/** Messages inside an item, a resource or a scope. */
const inside: Uint8Array = tableOf([
  message.event,
  message.link,
  message.status,
  message.keyValue,
  message.anyValue,
  message.arrayValue,
  message.keyValueList,
]);

/** Checks message after message for the decoder. */
export class WellFormed {
  private readonly walk: WireWalk;

  constructor(bytes: Buffer, signal: Signal) {
    this.walk = new WireWalk(bytes, schemas[signal]);
  }

  /**
   * True when the message at `[start, end)` is valid wire format and every known field has its
   * wire type. Values nested deeper than `otlpDepthMax` are skipped: no decoder reads them.
   */
  test(type: number, start: number, end: number): boolean {
    if (start === end) return true;
    const { walk } = this;
    walk.run(type, start, end, inside);
    return walk.fault === undefined;
  }
}

/** Repeated walks over the same body; the stack of open messages is bounded. */
class WireWalk {
  private readonly cursor: WireCursor;
  private readonly schema: WireSchema;
  private readonly ends = new Int32Array(openMax);
  private readonly types = new Uint8Array(openMax);

  constructor(bytes: Buffer, schema: WireSchema) {
    this.cursor = new WireCursor(bytes);
    this.schema = schema;
  }

  /** The fault, or undefined. */
  get fault(): string | undefined {
    return this.cursor.fault;
  }

  /** Walks a message and those in it that `enter` selects; returns the number of items. */
  run(outer: number, start: number, end: number, enter: Uint8Array): number {
    const { cursor, ends, types } = this;
    const { wires, children } = this.schema;
    const { bytes } = cursor;
    let open = 0;
    let items = 0;
    let type = outer;
    types[0] = type;
    ends[0] = end;
    cursor.fault = undefined;
    cursor.position = start;
    cursor.end = end;
    for (;;) {
      while (cursor.position === cursor.end) {
        if (open === 0 || cursor.fault !== undefined) return items;
        open--;
        type = types[open] as number;
        cursor.end = ends[open] as number;
      }
      const tag = cursor.tag();
      const wireType = tag & 7;
      const slot = tag < fieldSpan * 8 ? type * fieldSpan + (tag >>> 3) : 0;
      const expected = wires[slot] as number;
      if (expected !== wireType) {
        if (expected !== unknownField) cursor.fail("wire_type");
        else if (tag !== 0) cursor.skip(wireType, tag >>> 3);
        continue;
      }
      if (wireType !== wire.bytes) {
        cursor.skip(wireType, 0);
        continue;
      }
      const limit = cursor.limit();
      const child = children[slot] as number;
      if (isItem[child] === 1) items++;
      else if (child === message.leaf && type === message.points) items++;
      const plain = child === message.keyValue && isPlainPair(bytes, cursor.position, limit);
      if (enter[child] !== 1 || plain || open + 1 === openMax) {
        cursor.position = limit;
        continue;
      }
      open++;
      types[open] = type = child;
      ends[open] = cursor.end = limit;
    }
  }
}

/**
 * True for the form of nearly every attribute: a key, then one text, number or flag, with lengths
 * of one or two bytes that fill the pair exactly. Anything else, valid or not, is walked.
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
