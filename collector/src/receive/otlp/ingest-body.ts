/**
 * @module Ingest body: processes a body from bytes to the payload of a journal frame,
 * synchronously and without I/O, so that it runs on the event loop for a small body and in a
 * worker thread for a large one: inflate, structural scan, allowlisting decoder, dialect map,
 * frame (collector: Receive).
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { CurrentSpan } from "@turnproof/exporter";
import type { Code } from "@turnproof/semconv";

import type { IngestPrincipal } from "../../access/ingest-tokens.ts";
import { decodeJsonEvaluations, decodeProtobufEvaluations } from "./decode-log-records.ts";
import { decodeJsonSpans } from "./decode-json.ts";
import { decodeProtobufSpans } from "./decode-protobuf.ts";
import { frameWriter } from "./frame-codec.ts";
import { freeAtOnce } from "./free-at-once.ts";
import { inflate } from "./inflate.ts";
import type { ContentCoding } from "./inflate.ts";
import type { OtlpEncoding } from "./otlp-response.ts";
import { rootHashes } from "./pending-roots.ts";
import { scanJson } from "./scan-json.ts";
import { scanProtobuf } from "./scan-protobuf.ts";
import type { SourceTables } from "./source-tables.ts";
import { countRejection } from "./span-builder.ts";
import type { Decoded, RejectionCounts, TakeSpan } from "./span-builder.ts";
import type { Signal } from "./wire-schema.ts";

/** A body as received, with its context. */
export interface IngestBody {
  readonly signal: Signal;
  readonly encoding: OtlpEncoding;
  readonly coding: ContentCoding;
  readonly bytes: Uint8Array;
  readonly principal: IngestPrincipal;
  /** Time of receipt, ISO 8601 UTC with microseconds. */
  readonly receivedAt: string;
}

/** Result of a part of a body. `items = events + all rejected ones`. */
export interface IngestPart {
  readonly items: number;
  readonly events: number;
  readonly rejected: RejectionCounts;
  /** Refused attributes, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Its events by service; an empty name where none is recorded. */
  readonly services: ReadonlyMap<string, number>;
  /** Of the roots of its events, see `rootHashes`. */
  readonly roots: Uint32Array<ArrayBuffer>;
  /** Guarded events, encoded; empty when there are none. */
  readonly payload: Uint8Array;
}

/**
 * Receives a part of a body before the next one is built, so that memory does not grow with the
 * body.
 */
export type TakePart = (part: IngestPart) => void;

/** Maps a span to an event, or to a rejection. */
export type SpanMapper = (span: CurrentSpan, body: IngestBody) => TurnEvent | undefined;

const nothing = new Uint8Array(0);
const noRoots = new Uint32Array(0);
const noServices: ReadonlyMap<string, number> = new Map();

/** Events, and bytes of them, at which a part is full. */
const partMax = { events: 16_384, bytes: 8_388_608 } as const;

/**
 * Runs a body through every stage and returns its last part; `take` receives each full part
 * before. Throws the CodedError of the first stage that refuses the body.
 */
export function ingestBody(
  body: IngestBody,
  tables: SourceTables,
  mapSpan: SpanMapper,
  take: TakePart,
): IngestPart {
  const { signal, encoding } = body;
  const raw = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength);
  const bytes = inflate(raw, body.coding);
  try {
    const { items } = encoding === "json" ? scanJson(bytes, signal) : scanProtobuf(bytes, signal);
    if (signal === "metrics") {
      const rejected: RejectionCounts = items === 0 ? {} : { metrics_not_accepted: items };
      const none = { events: 0, dropped: {}, services: noServices, roots: noRoots };
      return { items, rejected, ...none, payload: nothing };
    }
    return frames(bytes, body, { tables, mapSpan, take });
  } finally {
    // What was decompressed is ours; the body itself belongs to the caller.
    if (bytes !== raw) freeAtOnce(bytes);
  }
}

function decode(bytes: Buffer, body: IngestBody, tables: SourceTables, take: TakeSpan): Decoded {
  if (body.signal === "logs") {
    return body.encoding === "json"
      ? decodeJsonEvaluations(bytes, tables, take)
      : decodeProtobufEvaluations(bytes, tables, take);
  }
  return body.encoding === "json"
    ? decodeJsonSpans(bytes, tables, take)
    : decodeProtobufSpans(bytes, tables, take);
}

/**
 * Events that are written together. With few, hardly any survives the garbage collection during
 * which it is built; and memory does not grow with the body.
 */
const togetherMax = 64;

/** Tools that turn spans into parts. */
interface Works {
  readonly tables: SourceTables;
  readonly mapSpan: SpanMapper;
  readonly take: TakePart;
}

/** Maps spans to events, and writes these to the frame of a part. */
function frames(bytes: Buffer, body: IngestBody, { tables, mapSpan, take }: Works): IngestPart {
  const bound = body.principal.applicationId;
  let part = new OpenPart();
  const decoded = decode(bytes, body, tables, (span) => {
    const event = mapSpan(span, body);
    if (event === undefined) return part.refuse("span_unmapped");
    if (bound !== undefined && (event.application_id ?? bound) !== bound) {
      return part.refuse("span_application_foreign");
    }
    // Without an application of its own an event belongs to the application that the token is
    // bound to.
    const own = bound !== undefined && event.application_id === undefined;
    part.add(own ? { ...event, application_id: bound } : event);
    if (!part.full) return;
    take(part.close({}));
    part = new OpenPart();
  });
  // Items that the decoder rejected are counted with the last part.
  return part.close(decoded.rejected);
}

/** A part being filled. */
class OpenPart {
  private readonly refused: RejectionCounts = {};
  private readonly dropped: Record<string, number> = {};
  private readonly services = new Map<string, number>();
  private readonly roots = new Set<string>();
  private readonly frame = frameWriter();
  private together: TurnEvent[] = [];

  get full(): boolean {
    return this.frame.events >= partMax.events || this.frame.bytes >= partMax.bytes;
  }

  refuse(code: Code): void {
    countRejection(this.refused, code);
  }

  add(event: TurnEvent): void {
    this.together.push(event);
    if (event.root_trace_id !== undefined) this.roots.add(event.root_trace_id);
    if (event.dropped !== undefined) addCounts(this.dropped, event.dropped);
    const service = event.service_name ?? event.application_id ?? "";
    this.services.set(service, (this.services.get(service) ?? 0) + 1);
    if (this.together.length < togetherMax) return;
    this.frame.add(this.together);
    this.together = [];
  }

  /** The part; `rejected` are items that never reached it. */
  close(rejected: RejectionCounts): IngestPart {
    this.frame.add(this.together);
    const all: RejectionCounts = { ...rejected };
    for (const [code, count] of Object.entries(this.refused)) {
      countRejection(all, code as Code, count);
    }
    const { events } = this.frame;
    return {
      items: events + sumOf(all),
      events,
      rejected: all,
      dropped: this.dropped,
      services: this.services,
      roots: rootHashes(this.roots),
      payload: events === 0 ? nothing : this.frame.payload(),
    };
  }
}

function sumOf(counts: RejectionCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

function addCounts(into: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const code in counts) into[code] = (into[code] ?? 0) + (counts[code] as number);
}
