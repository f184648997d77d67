/**
 * @module Span draft: one span while it is read, in either encoding, and the rule by which it
 * becomes a record or is rejected. Both decoders fill the same draft, so they cannot disagree on
 * what a valid span is.
 */
import { CodedSpan } from "@turnproof/exporter";
import type {
  CodedAttributes,
  DropCounts,
  SourceAttributes,
  SpanRecord,
} from "@turnproof/exporter";
import { limits } from "@turnproof/semconv";
import type { AttributeValue, Code } from "@turnproof/semconv";

/** Attributes while they are filled. */
export type AttributeDraft = Record<string, AttributeValue>;

/**
 * A record without a prototype of ours: nothing can be inherited through it, and unlike
 * `Object.create(null)` it stays a fast object.
 */
const Bare = function (): void {} as unknown as new () => AttributeDraft;
Bare.prototype = Object.freeze(Object.create(null));

/** A new, empty attribute record. */
export function attributeDraft(): AttributeDraft {
  return new Bare();
}

/** Bytes of an allowlisted text; whatever is longer cannot pass the guard's 240 characters. */
export const textBytesMax = 1_024;

/** Why a span was rejected, with how many; the codes are content-free. */
export type RejectionCounts = Partial<Record<Code, number>>;

/**
 * Takes each span as soon as it was read. A body holds thousands; nobody keeps them, so that they
 * die young and the collector of garbage finds nothing to carry.
 */
export type TakeSpan = (span: SpanRecord) => void;

/** What a decoder made of a body. */
export interface Decoded {
  /** Spans (or evaluation events) that stand; empty when they were taken one by one. */
  readonly spans: readonly SpanRecord[];
  /** Items on the wire: those that stand and every rejected one. */
  readonly items: number;
  readonly rejected: RejectionCounts;
}

/** What all spans of a scope share. */
export interface SpanSurroundings {
  readonly resource: SourceAttributes;
  readonly scopeName: string | undefined;
  readonly scopeVersion: string | undefined;
}

type Said = Omit<SpanRecord, "attributes" | "coded">;

/** What is filled in after a record was made; its attributes come with it. */
type Filled = { -readonly [K in keyof Said]: Said[K] } & { readonly attributes: SourceAttributes };

const blank = { traceId: "", spanId: "", kind: 0, startTimeUnixNano: "0", statusCode: 0 } as const;

/** Mutable fields of the span at hand; `reset` before each. */
export class SpanDraft {
  traceId = "";
  spanId = "";
  parentSpanId = "";
  parentRemote: boolean | undefined;
  kind = 0;
  name: string | undefined;
  startTime = "0";
  endTime = "0";
  statusCode = 0;
  attributes: AttributeDraft = attributeDraft();
  exceptionType: string | undefined;
  links: { traceId: string; spanId: string }[] | undefined;
  dropped: DropCounts | undefined;
  /** First reason to reject the span. */
  rejection: Code | undefined;

  reset(): void {
    this.traceId = "";
    this.spanId = "";
    this.parentSpanId = "";
    this.parentRemote = undefined;
    this.kind = 0;
    this.name = undefined;
    this.startTime = "0";
    this.endTime = "0";
    this.statusCode = 0;
    this.attributes = attributeDraft();
    this.exceptionType = undefined;
    this.links = undefined;
    this.dropped = undefined;
    this.rejection = undefined;
  }

  /** Counts a refused attribute; its key and value are not kept. */
  drop(code: Code): void {
    this.dropped ??= {};
    this.dropped[code] = (this.dropped[code] ?? 0) + 1;
  }

  reject(code: Code): void {
    this.rejection ??= code;
  }

  /** Keeps a link; those beyond the list cap are counted. */
  link(traceId: string, spanId: string): void {
    if (traceId === "" || spanId === "") return;
    this.links ??= [];
    if (this.links.length < limits.listEntriesMax) this.links.push({ traceId, spanId });
    else this.drop("attribute_list_too_long");
  }

  /**
   * The record, or undefined when the span is rejected (see `rejection`). Its attributes are the
   * draft's own, or those that a decoder took by number.
   */
  finish(around: SpanSurroundings, coded?: CodedAttributes): SpanRecord | undefined {
    if (this.traceId === "" || this.spanId === "") this.reject("span_id_invalid");
    if (this.rejection !== undefined) return undefined;
    const record: Filled =
      coded === undefined
        ? { ...blank, attributes: this.attributes, resource: around.resource }
        : new CodedSpan(coded, around.resource);
    record.traceId = this.traceId;
    record.spanId = this.spanId;
    record.kind = this.kind;
    record.startTimeUnixNano = this.startTime;
    record.endTimeUnixNano = this.endTime;
    record.statusCode = this.statusCode;
    if (this.parentSpanId !== "") record.parentSpanId = this.parentSpanId;
    if (this.parentRemote !== undefined) record.parentRemote = this.parentRemote;
    // An empty text and none are the same to proto3, and one encoding writes it.
    if (this.name !== undefined && this.name !== "") record.name = this.name;
    if (around.scopeName !== undefined) record.scopeName = around.scopeName;
    if (around.scopeVersion !== undefined) record.scopeVersion = around.scopeVersion;
    if (this.exceptionType !== undefined) record.exceptionType = this.exceptionType;
    if (this.links !== undefined) record.links = this.links;
    if (this.dropped !== undefined) record.dropped = this.dropped;
    return record;
  }
}

/** Adds one rejection. */
export function countRejection(counts: RejectionCounts, code: Code, by: number = 1): void {
  counts[code] = (counts[code] ?? 0) + by;
}

/** OTLP flags: bit 8 says that bit 9 is meant, bit 9 that the parent is remote. */
export function remoteParent(flags: number): boolean | undefined {
  return (flags & 0x100) === 0 ? undefined : (flags & 0x200) !== 0;
}
