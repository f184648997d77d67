/**
 * @module Trace request: OTLP's `ExportTraceServiceRequest` in protobuf, built span by span from
 * what a gate admits. Spans of one resource and scope are grouped; resource and scope are encoded
 * once and cached.
 */
import type {
  ExportAnswer,
  ResourceLike,
  ScopeLike,
  SpanExporterLike,
} from "../gate/sdk-shapes.ts";
import { ByteWriter, varintBytes } from "./byte-writer.ts";
import { writeKeyValue } from "./key-value.ts";

/** A request, ready to send; `length` is the number of its spans, as exporters count them. */
export interface TraceRequest {
  readonly bytes: Uint8Array;
  readonly length: number;
}

/** An exporter that accepts our requests directly, besides spans. */
export interface RequestExporter<S> extends SpanExporterLike<S> {
  /** True while a failed request waits for its retry. */
  readonly retrying?: boolean;
  exportRequest(request: TraceRequest, done: (answer: ExportAnswer) => void): void;
}

/** True for an exporter that accepts our requests. */
export function takesRequests<S>(exporter: SpanExporterLike<S>): exporter is RequestExporter<S> {
  return typeof (exporter as Partial<RequestExporter<S>>).exportRequest === "function";
}

const tags = { first: 0x0a, second: 0x12 } as const;

/** Bytes of a field's tag, length and message. */
function fieldBytes(length: number): number {
  return 1 + varintBytes(length) + length;
}

/** Encoded resources and scopes; they are frozen once a gate has screened them. */
const encoded: WeakMap<ResourceLike | ScopeLike, Uint8Array> = new WeakMap();

function resourceBytes(resource: ResourceLike): Uint8Array {
  const held = encoded.get(resource);
  if (held !== undefined) return held;
  const writer = new ByteWriter();
  for (const [name, value] of Object.entries(resource.attributes)) {
    writeKeyValue(writer, tags.first, name, value);
  }
  const bytes = Uint8Array.from(writer.bytes());
  encoded.set(resource, bytes);
  return bytes;
}

function scopeBytes(scope: ScopeLike): Uint8Array {
  const held = encoded.get(scope);
  if (held !== undefined) return held;
  const writer = new ByteWriter();
  writer.byte(tags.first);
  writer.text(scope.name);
  if (scope.version !== undefined && scope.version !== "") {
    writer.byte(tags.second);
    writer.text(scope.version);
  }
  const bytes = Uint8Array.from(writer.bytes());
  encoded.set(scope, bytes);
  return bytes;
}

/** Spans of one resource and one scope. */
interface Group {
  readonly resource: ResourceLike;
  readonly scope: ScopeLike;
  readonly writer: ByteWriter;
}

/** Buffers kept for the next request; an application has few scopes. */
const spareMax = 8;

/** Builds one request after another, in the same buffers. */
export class RequestWriter {
  private groups: Group[] = [];
  private readonly spare: ByteWriter[] = [];
  private spans = 0;

  /**
   * Position where the next span of this resource and scope is written, as field 2 of its scope.
   */
  writerFor(resource: ResourceLike, scope: ScopeLike): ByteWriter {
    for (const group of this.groups) {
      if (group.resource === resource && group.scope === scope) return group.writer;
    }
    const writer = this.spare.pop() ?? new ByteWriter();
    this.groups.push({ resource, scope, writer });
    return writer;
  }

  /** Counts a completely written span. */
  wrote(): void {
    this.spans++;
  }

  /** The request of all spans since the last one, in its own bytes. */
  finish(): TraceRequest {
    const { groups } = this;
    const parts = groups
      .filter(({ writer }) => writer.at > 0)
      .map(({ resource, scope, writer }) => sized(resource, scope, writer));
    const out = new ByteWriter(parts.reduce((sum, part) => sum + fieldBytes(part.bytes), 0));
    for (const { resource, scope, spans, scopeSpans, bytes } of parts) {
      begin(out, tags.first, bytes);
      begin(out, tags.first, resource.length);
      out.copy(resource);
      begin(out, tags.second, scopeSpans);
      begin(out, tags.first, scope.length);
      out.copy(scope);
      out.copy(spans);
    }
    const request = { bytes: out.bytes(), length: this.spans };
    for (const { writer } of groups) {
      writer.reset();
      if (this.spare.length < spareMax) this.spare.push(writer);
    }
    this.groups = [];
    this.spans = 0;
    return request;
  }
}

/** The parts of one `ResourceSpans`, and the bytes of each level. */
interface Sized {
  readonly resource: Uint8Array;
  readonly scope: Uint8Array;
  readonly spans: Uint8Array;
  readonly scopeSpans: number;
  readonly bytes: number;
}

function sized(resource: ResourceLike, scope: ScopeLike, writer: ByteWriter): Sized {
  const parts = {
    resource: resourceBytes(resource),
    scope: scopeBytes(scope),
    spans: writer.bytes(),
  };
  const scopeSpans = fieldBytes(parts.scope.length) + parts.spans.length;
  return {
    ...parts,
    scopeSpans,
    bytes: fieldBytes(parts.resource.length) + fieldBytes(scopeSpans),
  };
}

function begin(out: ByteWriter, tag: number, length: number): void {
  out.byte(tag);
  out.varint(length);
}
