/**
 * @module Span builder: one span while it is decoded, in either encoding, and the rule by which it
 * becomes a record or is rejected. Both decoders fill the same builder, so they agree on what a
 * valid span is.
 */
import type {
  CodedAttributes,
  DropCounts,
  SourceAttributes,
  CurrentSpan,
  SpanRecord,
} from "@turnproof/exporter";
import { keyedSpanName } from "@turnproof/exporter";
import { limits } from "@turnproof/semconv";
import type { AttributeValue, Code } from "@turnproof/semconv";
import { nameDigest } from "@turnproof/semconv/name-key";

import { nanoText } from "./unix-nano.ts";

/** Attributes being filled. */
export type DecodedAttributes = Record<string, AttributeValue>;

/** A record without an inherited prototype; unlike `Object.create(null)` it stays fast in V8. */
const Bare = function (): void {} as unknown as new () => DecodedAttributes;
Bare.prototype = Object.freeze(Object.create(null));

/** A new, empty attribute record. */
export function decodedAttributes(): DecodedAttributes {
  return new Bare();
}

/** Most bytes of an allowlisted text; a longer one cannot pass the guard's 240 characters. */
export const textBytesMax = 1_024;

/** Reasons of rejected spans with their counts; the codes are content-free. */
export type RejectionCounts = Partial<Record<Code, number>>;

/**
 * Receives each decoded span and must not keep it: a body has thousands, and the next one is
 * decoded into the same record.
 */
export type TakeSpan = (span: CurrentSpan) => void;

/** Result of decoding a body. */
export interface Decoded {
  /** Accepted spans (or evaluation events); empty when they were passed one by one. */
  readonly spans: readonly SpanRecord[];
  /** Items on the wire: accepted and rejected ones. */
  readonly items: number;
  readonly rejected: RejectionCounts;
}

/** Data that all spans of a scope share. */
export interface SpanSurroundings {
  readonly resource: SourceAttributes;
  readonly scopeName: string | undefined;
  readonly scopeVersion: string | undefined;
}

/** Placeholder for the attributes by name of a span that has them by number. */
const none: DecodedAttributes = Object.freeze(decodedAttributes());

/** The present span: the record that is passed on, filled again for each; call `reset` before. */
export class SpanBuilder implements CurrentSpan {
  traceId = "";
  spanId = "";
  parentSpanId: string | undefined;
  parentRemote: boolean | undefined;
  kind = 0;
  name: string | undefined;
  startTimeUnixNano: CurrentSpan["startTimeUnixNano"] = "0";
  endTimeUnixNano: CurrentSpan["startTimeUnixNano"] = "0";
  statusCode = 0;
  attributes: DecodedAttributes = none;
  coded: CodedAttributes | undefined;
  scopeName: string | undefined;
  scopeVersion: string | undefined;
  resource: SourceAttributes = none;
  exceptionType: string | undefined;
  links: { traceId: string; spanId: string }[] | undefined;
  dropped: DropCounts | undefined;
  /** First reason to reject the span. */
  rejection: Code | undefined;

  /** Attributes come by name, or by number into `coded`. */
  reset(coded?: CodedAttributes): void {
    coded?.clear();
    this.coded = coded;
    this.attributes = coded === undefined ? decodedAttributes() : none;
    this.traceId = "";
    this.spanId = "";
    this.parentSpanId = undefined;
    this.parentRemote = undefined;
    this.kind = 0;
    this.name = undefined;
    this.startTimeUnixNano = "0";
    this.endTimeUnixNano = "0";
    this.statusCode = 0;
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

  /** A name that is too long to be kept, as its digest; escapes may have made it look longer. */
  nameOf(text: string): string {
    if (Buffer.byteLength(text, "utf8") <= textBytesMax) return text;
    this.drop("name_keyed");
    return nameDigest(text);
  }

  /** The same for the name of a foreign span, of which a part may be the name. */
  spanNameOf(text: string): string | undefined {
    if (Buffer.byteLength(text, "utf8") <= textBytesMax) return text;
    const keyed = keyedSpanName(text);
    if (keyed !== undefined) this.drop("name_keyed");
    return keyed;
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

  /** The record, or undefined when the span is rejected (see `rejection`). */
  finish(around: SpanSurroundings): CurrentSpan | undefined {
    if (this.traceId === "" || this.spanId === "") this.reject("span_id_invalid");
    if (this.rejection !== undefined) return undefined;
    if (this.parentSpanId === "") this.parentSpanId = undefined;
    // An empty text means absent in proto3, but one encoding writes it.
    if (this.name === "") this.name = undefined;
    this.resource = around.resource;
    this.scopeName = around.scopeName;
    this.scopeVersion = around.scopeVersion;
    return this;
  }
}

/** A copy that outlives the decoding: attributes by name, times as digits. */
export function keptSpan({ coded, attributes, ...stated }: CurrentSpan): SpanRecord {
  const { startTimeUnixNano: start, endTimeUnixNano: end = "0" } = stated;
  return {
    ...stated,
    attributes: coded?.record() ?? attributes,
    startTimeUnixNano: typeof start === "string" ? start : nanoText(start),
    endTimeUnixNano: typeof end === "string" ? end : nanoText(end),
  };
}

/** Adds one rejection. */
export function countRejection(counts: RejectionCounts, code: Code, by: number = 1): void {
  counts[code] = (counts[code] ?? 0) + by;
}

/** OTLP flags: bit 8 means that bit 9 is valid, bit 9 that the parent is remote. */
export function remoteParent(flags: number): boolean | undefined {
  return (flags & 0x100) === 0 ? undefined : (flags & 0x200) !== 0;
}
