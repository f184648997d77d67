/**
 * @module Decode JSON: decodes a scanned OTLP/JSON body to the same span records as protobuf. Keys
 * are lower camel case, as OTLP requires; the value of any other key is skipped.
 */
import type { SpanRecord } from "@turnproof/exporter";

import { JsonCursor, char } from "./json-cursor.ts";
import { JsonValues } from "./json-values.ts";
import { KeyTable } from "./key-table.ts";
import {
  SpanBuilder,
  decodedAttributes,
  countRejection,
  keptSpan,
  remoteParent,
} from "./span-builder.ts";
import type {
  DecodedAttributes,
  Decoded,
  RejectionCounts,
  SpanSurroundings,
  TakeSpan,
} from "./span-builder.ts";
import { scopeNameAt, scopeVersionAt } from "./source-tables.ts";
import type { SourceTables } from "./source-tables.ts";

const resourceKeys = new KeyTable(["attributes"]);
const scopeKeys = new KeyTable(["name", "version"]);
const spanKeyNames = [
  "traceId",
  "spanId",
  "parentSpanId",
  "flags",
  "name",
  "kind",
  "startTimeUnixNano",
  "endTimeUnixNano",
  "attributes",
  "events",
  "links",
  "status",
] as const;
const spanKeys = new KeyTable(spanKeyNames);
const linkKeys = new KeyTable(["traceId", "spanId"]);
const statusKeys = new KeyTable(["code"]);
const kinds = new KeyTable([
  "SPAN_KIND_UNSPECIFIED",
  "SPAN_KIND_INTERNAL",
  "SPAN_KIND_SERVER",
  "SPAN_KIND_CLIENT",
  "SPAN_KIND_PRODUCER",
  "SPAN_KIND_CONSUMER",
]);
const statusCodes = new KeyTable(["STATUS_CODE_UNSET", "STATUS_CODE_OK", "STATUS_CODE_ERROR"]);

/** Names of a signal's three levels. */
interface Levels {
  readonly groups: KeyTable;
  readonly group: KeyTable;
  readonly scope: KeyTable;
}

const levels = (root: string, scopes: string, items: string): Levels => ({
  groups: new KeyTable([root]),
  group: new KeyTable(["resource", scopes]),
  scope: new KeyTable(["scope", items]),
});
const spanLevels = levels("resourceSpans", "scopeSpans", "spans");
/** Levels of log records. */
export const logLevels: Levels = levels("resourceLogs", "scopeLogs", "logRecords");

/** Decodes one body that `scanJson` accepted for traces. */
export function decodeJsonSpans(bytes: Buffer, tables: SourceTables, take?: TakeSpan): Decoded {
  return new JsonSpans(bytes, tables, spanLevels).request(take);
}

/** Data that all spans of a resource share. */
interface Resource {
  readonly attributes: DecodedAttributes;
  readonly rejection: SpanBuilder["rejection"];
}

/** Walks resource groups, scope groups and spans in place. */
export class JsonSpans {
  protected readonly cursor: JsonCursor;
  protected readonly tables: SourceTables;
  protected readonly builder: SpanBuilder = new SpanBuilder();
  protected readonly values: JsonValues;
  private readonly levels: Levels;
  private readonly spans: SpanRecord[] = [];
  private readonly rejected: RejectionCounts = {};
  private items = 0;
  private take: TakeSpan = () => {};
  private nameAt = -1;

  constructor(bytes: Buffer, tables: SourceTables, names: Levels) {
    this.cursor = new JsonCursor(bytes);
    this.tables = tables;
    this.levels = names;
    this.values = new JsonValues(this.cursor, tables, this.builder);
  }

  request(take: TakeSpan = (span) => void this.spans.push(keptSpan(span))): Decoded {
    this.take = take;
    const { cursor } = this;
    cursor.object(this.levels.groups, () => cursor.array(() => this.resourceGroup()));
    return { spans: this.spans, items: this.items, rejected: this.rejected };
  }

  /** The resource may come after its scopes; it is read when the first item needs it. */
  private resourceGroup(): void {
    const { cursor, levels: names } = this;
    const start = cursor.position;
    let resource: Resource | undefined;
    const read = (): Resource => (resource ??= this.apart(start, () => this.resource()));
    cursor.object(names.group, (member) => {
      if (member === 1) cursor.array(() => this.scopeGroup(read));
    });
  }

  /** Reads at another position and returns. */
  private apart<T>(start: number, read: () => T): T {
    const resume = this.cursor.position;
    this.cursor.position = start;
    const value = read();
    this.cursor.position = resume;
    return value;
  }

  private resource(): Resource {
    const { cursor, builder, levels: names } = this;
    const attributes = decodedAttributes();
    builder.reset();
    cursor.fault = false;
    cursor.object(names.group, (member) => {
      if (member !== 0) return;
      cursor.object(resourceKeys, () => this.values.attributes(attributes));
    });
    if (cursor.fault) builder.reject("span_malformed");
    return { attributes, rejection: builder.rejection };
  }

  private scopeGroup(resource: () => Resource): void {
    const { cursor, levels: names } = this;
    const start = cursor.position;
    let around: SpanSurroundings | undefined;
    let rejection: SpanBuilder["rejection"];
    cursor.object(names.scope, (member) => {
      if (member !== 1) return;
      cursor.array(() => {
        this.items++;
        if (around === undefined) {
          const { attributes, rejection: refused } = resource();
          around = { resource: attributes, ...this.apart(start, () => this.scope()) };
          rejection = refused ?? this.builder.rejection;
        }
        this.entry(around, rejection);
      });
    });
  }

  /** Name and version of a scope; a malformed one sets a rejection in the builder. */
  private scope(): Omit<SpanSurroundings, "resource"> {
    const { cursor, builder, levels: names, tables } = this;
    let scopeName: string | undefined;
    let scopeVersion: string | undefined;
    builder.reset();
    cursor.fault = false;
    cursor.object(names.scope, (member) => {
      if (member !== 0) return;
      cursor.object(scopeKeys, (key) => {
        if (cursor.peek() !== char.quote) return;
        const start = cursor.position + 1;
        const end = cursor.skipString();
        if (key === 0) scopeName = scopeNameAt(tables, cursor.bytes, start, end);
        else scopeVersion = scopeVersionAt(tables, cursor.bytes, start, end);
      });
    });
    if (cursor.fault) builder.reject("span_malformed");
    return { scopeName, scopeVersion };
  }

  /** One item: a malformed one or one without ids is rejected alone. */
  private entry(around: SpanSurroundings, rejection: SpanBuilder["rejection"]): void {
    const { cursor, builder } = this;
    builder.reset();
    builder.scopeName = around.scopeName;
    if (rejection !== undefined) builder.reject(rejection);
    cursor.fault = false;
    this.item();
    if (cursor.fault) builder.rejection = "span_malformed";
    const record = builder.finish(around);
    if (record === undefined) countRejection(this.rejected, builder.rejection as never);
    else this.take(record);
  }

  /** Reads one span into the builder. */
  protected item(): void {
    const { cursor, builder, values } = this;
    this.nameAt = -1;
    cursor.object(spanKeys, (key) => {
      if (cursor.peek() === 0x6e) return;
      switch (spanKeyNames[key]) {
        case "traceId":
          builder.traceId = values.id(32);
          break;
        case "spanId":
          builder.spanId = values.id(16);
          break;
        case "parentSpanId":
          builder.parentSpanId = values.parentId();
          break;
        case "flags":
          builder.parentRemote = remoteParent(Number(values.digits()));
          break;
        case "name":
          this.nameAt = cursor.position;
          break;
        case "kind":
          builder.kind = values.enumeration(kinds);
          break;
        case "startTimeUnixNano":
          builder.startTimeUnixNano = values.nanos();
          break;
        case "endTimeUnixNano":
          builder.endTimeUnixNano = values.nanos();
          break;
        case "attributes":
          values.attributes(builder.attributes);
          break;
        case "events":
          cursor.array(() => this.event());
          break;
        case "links":
          cursor.array(() => this.link());
          break;
        case "status":
          cursor.object(statusKeys, () => {
            builder.statusCode = values.enumeration(statusCodes);
          });
          break;
        default:
      }
    });
    if (this.nameAt >= 0) this.name();
  }

  /** The name of a span that is marked as ours, or whose name may be an agent's or a tool's. */
  private name(): void {
    const { cursor, builder, tables } = this;
    const hasMark = (mark: string): boolean => builder.attributes[mark] !== undefined;
    const own = hasMark(tables.ownMark);
    if (!own && !tables.nameMarks.some(hasMark)) return;
    const { rejection } = builder;
    const resume = cursor.position;
    cursor.position = this.nameAt;
    builder.name = own ? this.values.text() : this.values.spanName();
    cursor.position = resume;
    // A malformed foreign name is ignored, because nothing depends on it.
    if (!own) builder.rejection = rejection;
  }

  /** Of an event only `exception.type` is read, and of several the last. */
  private event(): void {
    const { cursor, values } = this;
    if (cursor.isEmptyObject()) this.builder.drop("event_empty");
    cursor.object(resourceKeys, () => {
      cursor.array(() => {
        const valueAt = values.pair(this.tables.exceptionType);
        if (values.found < 0) return;
        const type = values.valueAt(valueAt);
        if (typeof type === "string") this.builder.exceptionType = type;
      });
    });
  }

  private link(): void {
    const { cursor, values } = this;
    let traceId = "";
    let spanId = "";
    cursor.object(linkKeys, (key) => {
      if (key === 0) traceId = values.id(32);
      else spanId = values.id(16);
    });
    this.builder.link(traceId, spanId);
  }
}
