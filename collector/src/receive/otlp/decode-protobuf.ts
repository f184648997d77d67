/**
 * @module Decode protobuf: decodes a scanned body to span records. Only ids, times, codes and
 * allowlisted attributes are read; the span's name only when its attributes mark it as ours.
 */
import { CodedAttributes } from "@turnproof/exporter";
import type { SourceAttributes, SpanRecord } from "@turnproof/exporter";

import { hexText } from "./byte-text.ts";
import { ProtobufValues } from "./protobuf-values.ts";
import { WellFormed } from "./scan-protobuf.ts";
import { SpanBuilder, countRejection, keptSpan, remoteParent } from "./span-builder.ts";
import type { Decoded, RejectionCounts, SpanSurroundings, TakeSpan } from "./span-builder.ts";
import { scopeNameAt, scopeVersionAt } from "./source-tables.ts";
import type { SourceTables } from "./source-tables.ts";
import { unixTime } from "./unix-nano.ts";
import { WireCursor } from "./wire-cursor.ts";
import { message } from "./wire-schema.ts";
import type { Signal } from "./wire-schema.ts";

/** Data that all spans of a resource share. */
interface Resource {
  readonly attributes: SourceAttributes;
  readonly rejection: SpanBuilder["rejection"];
}

/** Decodes one body that `scanProtobuf` accepted for traces. */
export function decodeProtobufSpans(bytes: Buffer, tables: SourceTables, take?: TakeSpan): Decoded {
  return new ProtobufSpans(bytes, tables).request(take);
}

/** Walks resource groups, scope groups and spans in place. */
export class ProtobufSpans {
  protected readonly cursor: WireCursor;
  protected readonly tables: SourceTables;
  protected readonly builder: SpanBuilder = new SpanBuilder();
  protected readonly coded: CodedAttributes = new CodedAttributes();
  protected readonly values: ProtobufValues;
  private readonly spans: SpanRecord[] = [];
  protected readonly rejected: RejectionCounts = {};
  protected items = 0;
  protected readonly itemType: number = message.span;
  private readonly bytes: Buffer;
  private readonly wellFormed: WellFormed;
  private take: TakeSpan = () => {};
  private lastTraceAt = -1;
  private lastTraceId = "";
  private nameStart = 0;
  private nameEnd = 0;
  private exceptionStart = -1;
  private exceptionEnd = 0;

  constructor(bytes: Buffer, tables: SourceTables, signal: Signal = "traces") {
    this.bytes = bytes;
    this.tables = tables;
    this.wellFormed = new WellFormed(bytes, signal);
    this.cursor = new WireCursor(bytes);
    this.values = new ProtobufValues(this.cursor, tables, this.builder);
  }

  request(take: TakeSpan = (span) => void this.spans.push(keptSpan(span))): Decoded {
    this.take = take;
    this.each(this.bytes.length, 10, (end) => this.resourceGroup(end));
    return { spans: this.spans, items: this.items, rejected: this.rejected };
  }

  /** Calls back for every message under `wanted` (a tag) up to `end`, and skips the rest. */
  private each(end: number, wanted: number, visit: (end: number) => void): void {
    const { cursor } = this;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag === wanted) {
        const length = cursor.varint();
        const limit = cursor.position + length;
        visit(limit);
        cursor.position = limit;
      } else cursor.skip(tag & 7, tag >>> 3);
    }
  }

  /** The resource may come after its scopes; it is read when the first item needs it. */
  private resourceGroup(end: number): void {
    const start = this.cursor.position;
    let resource: Resource | undefined;
    const read = (): Resource => (resource ??= this.apart(start, () => this.resource(end)));
    this.each(end, 18, (limit) => this.scopeGroup(limit, read));
  }

  /** Reads at another position and returns. */
  private apart<T>(start: number, read: () => T): T {
    const resume = this.cursor.position;
    this.cursor.position = start;
    const value = read();
    this.cursor.position = resume;
    return value;
  }

  private resource(end: number): Resource {
    const { coded, cursor } = this;
    this.builder.reset(coded);
    this.each(end, 10, (limit) => {
      if (!this.wellFormed.test(message.resource, cursor.position, limit)) {
        this.builder.reject("span_malformed");
        return;
      }
      this.each(limit, 10, (attributeEnd) => this.values.attribute(attributeEnd, coded));
    });
    return { attributes: coded.record(), rejection: this.builder.rejection };
  }

  private scopeGroup(end: number, resource: () => Resource): void {
    const start = this.cursor.position;
    let around: SpanSurroundings | undefined;
    let rejection: SpanBuilder["rejection"];
    this.each(end, 18, (limit) => {
      this.items++;
      if (around === undefined) {
        const { attributes, rejection: refused } = resource();
        around = { resource: attributes, ...this.apart(start, () => this.scope(end)) };
        rejection = refused ?? this.builder.rejection;
      }
      this.entry(limit, around, rejection);
    });
  }

  /** Name and version of a scope; a malformed one sets a rejection in the builder. */
  private scope(end: number): Omit<SpanSurroundings, "resource"> {
    const { bytes, cursor, tables } = this;
    let scopeName: string | undefined;
    let scopeVersion: string | undefined;
    this.builder.reset(this.coded);
    this.each(end, 10, (limit) => {
      if (!this.wellFormed.test(message.scope, cursor.position, limit)) {
        this.builder.reject("span_malformed");
        return;
      }
      while (cursor.position < limit) {
        const tag = cursor.varint();
        if (tag !== 10 && tag !== 18) {
          cursor.skip(tag & 7, tag >>> 3);
          continue;
        }
        const length = cursor.varint();
        const stop = cursor.position + length;
        if (tag === 10) scopeName = scopeNameAt(tables, bytes, cursor.position, stop);
        else scopeVersion = scopeVersionAt(tables, bytes, cursor.position, stop);
        cursor.position = stop;
      }
    });
    return { scopeName, scopeVersion };
  }

  /** One item: a malformed one or one without ids is rejected alone. */
  private entry(end: number, around: SpanSurroundings, rejection: SpanBuilder["rejection"]): void {
    const { builder } = this;
    builder.reset(this.coded);
    builder.scopeName = around.scopeName;
    if (rejection !== undefined) builder.reject(rejection);
    if (this.wellFormed.test(this.itemType, this.cursor.position, end)) this.item(end);
    else builder.reject("span_malformed");
    const record = builder.finish(around);
    if (record === undefined) countRejection(this.rejected, builder.rejection as never);
    else this.take(record);
  }

  /** Reads one span into the builder. */
  protected item(end: number): void {
    const { cursor, builder } = this;
    this.nameEnd = -1;
    this.exceptionStart = -1;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if ((tag & 7) !== 2) {
        this.number(tag);
        continue;
      }
      const length = cursor.varint();
      const limit = cursor.position + length;
      switch (tag) {
        case 10:
          builder.traceId = this.traceId(cursor.position, length);
          break;
        case 18:
          builder.spanId = this.spanId(cursor.position, length);
          break;
        case 34:
          builder.parentSpanId = this.spanId(cursor.position, length);
          if (length !== 0 && length !== 8) builder.reject("span_id_invalid");
          break;
        case 42:
          this.nameStart = cursor.position;
          this.nameEnd = limit;
          break;
        case 74:
          this.values.attribute(limit, this.coded);
          break;
        case 90:
          this.event(limit);
          break;
        case 106:
          this.link(limit);
          break;
        case 122:
          this.status(limit);
          break;
        default:
      }
      cursor.position = limit;
    }
    this.settle();
  }

  /** Fixed and varint fields of a span. */
  private number(tag: number): void {
    const { bytes, cursor, builder } = this;
    const at = cursor.position;
    if (tag === 57) {
      builder.startTimeUnixNano = unixTime(bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at));
    } else if (tag === 65) {
      builder.endTimeUnixNano = unixTime(bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at));
    } else if (tag === 133) builder.parentRemote = remoteParent(bytes.readUInt32LE(at));
    else if (tag === 48) {
      const kind = cursor.uint32();
      builder.kind = kind <= 5 ? kind : 0;
      return;
    }
    cursor.skip(tag & 7, tag >>> 3);
  }

  /** The name of a span that is marked as ours, or whose name may be an agent's or a tool's. */
  private name(): void {
    const { coded, builder, tables } = this;
    const hasCode = (code: number): boolean => coded.get(code) !== undefined;
    const own = hasCode(tables.ownCode);
    if (!own && !tables.nameCodes.some(hasCode)) return;
    const { rejection } = builder;
    const { nameStart, nameEnd, values } = this;
    builder.name = own ? values.text(nameStart, nameEnd) : values.spanName(nameStart, nameEnd);
    // A malformed foreign name is ignored, because nothing depends on it.
    if (!own) builder.rejection = rejection;
  }

  /** Fields that need all attributes first: the name of our own span, the exception. */
  private settle(): void {
    const { builder } = this;
    if (this.nameEnd >= 0) this.name();
    if (this.exceptionStart >= 0) {
      this.cursor.position = this.exceptionStart;
      const type = this.values.value(this.exceptionEnd);
      if (typeof type === "string") builder.exceptionType = type;
    }
  }

  /** Of an event only `exception.type` is read, and of several the last. */
  private event(end: number): void {
    const { cursor } = this;
    if (end === cursor.position) return this.builder.drop("event_empty");
    this.each(end, 26, (limit) => {
      let found = false;
      let start = -1;
      let stop = 0;
      while (cursor.position < limit) {
        const tag = cursor.varint();
        if (tag !== 10 && tag !== 18) {
          cursor.skip(tag & 7, tag >>> 3);
          continue;
        }
        const length = cursor.varint();
        const from = cursor.position;
        cursor.position = from + length;
        if (tag === 10) {
          found = this.tables.exceptionType.find(this.bytes, from, cursor.position) >= 0;
        } else {
          start = from;
          stop = cursor.position;
        }
      }
      if (!found || start < 0) return;
      this.exceptionStart = start;
      this.exceptionEnd = stop;
    });
  }

  private link(end: number): void {
    const { cursor } = this;
    let traceId = "";
    let spanId = "";
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag === 10 || tag === 18) {
        const length = cursor.varint();
        if (tag === 10) traceId = this.traceId(cursor.position, length);
        else spanId = this.spanId(cursor.position, length);
        cursor.position += length;
      } else cursor.skip(tag & 7, tag >>> 3);
    }
    this.builder.link(traceId, spanId);
  }

  private status(end: number): void {
    const { cursor } = this;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag === 24) {
        const code = cursor.uint32();
        this.builder.statusCode = code <= 2 ? code : 0;
      } else cursor.skip(tag & 7, tag >>> 3);
    }
  }

  /** 32 hex digits, or "" when the bytes are no trace id. Adjacent spans usually share it. */
  protected traceId(start: number, length: number): string {
    if (length !== 16) return "";
    const { bytes, lastTraceAt } = this;
    if (lastTraceAt >= 0) {
      let at = 0;
      while (at < 16 && bytes[start + at] === bytes[lastTraceAt + at]) at++;
      if (at === 16) return this.lastTraceId;
    }
    this.lastTraceAt = start;
    this.lastTraceId = isZero(bytes, start, 16) ? "" : hexText(bytes, start, start + 16);
    return this.lastTraceId;
  }

  /** 16 hex digits, or "" when the bytes are no span id. */
  protected spanId(start: number, length: number): string {
    if (length !== 8 || isZero(this.bytes, start, 8)) return "";
    return hexText(this.bytes, start, start + 8);
  }
}

function isZero(bytes: Buffer, start: number, length: number): boolean {
  for (let at = start; at < start + length; at++) if (bytes[at] !== 0) return false;
  return true;
}
