/**
 * @module Ingest body: the way of a body from bytes to the payload of a journal frame, synchronous
 * and without I/O, so that it runs on the event loop for a small body and in a worker thread for a
 * large one: inflate, structural scan, allowlisting decoder, dialect map, frame (design 6.1).
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { SpanAtHand } from "@turnproof/exporter";
import type { Code } from "@turnproof/semconv";

import type { IngestPrincipal } from "../../access/ingest-tokens.ts";
import { decodeJsonEvaluations, decodeProtobufEvaluations } from "./decode-evaluations.ts";
import { decodeJsonSpans } from "./decode-json.ts";
import { decodeProtobufSpans } from "./decode-protobuf.ts";
import { frameWriter } from "./frame-codec.ts";
import { inflate } from "./inflate.ts";
import type { ContentCoding } from "./inflate.ts";
import type { OtlpEncoding } from "./otlp-answer.ts";
import { scanJson } from "./scan-json.ts";
import { scanProtobuf } from "./scan-protobuf.ts";
import type { SourceTables } from "./source-tables.ts";
import { countRejection } from "./span-draft.ts";
import type { Decoded, RejectionCounts, TakeSpan } from "./span-draft.ts";
import type { Signal } from "./wire-schema.ts";

/** A body as it arrived, and what is known around it. */
export interface IngestBody {
  readonly signal: Signal;
  readonly encoding: OtlpEncoding;
  readonly coding: ContentCoding;
  readonly bytes: Uint8Array;
  readonly principal: IngestPrincipal;
  /** Collector time, ISO 8601 UTC with microseconds. */
  readonly receivedAt: string;
}

/** What became of a part of a body. `items = events + every rejected one`. */
export interface IngestPart {
  readonly items: number;
  readonly events: number;
  readonly rejected: RejectionCounts;
  /** Attributes that were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Guarded events, encoded; empty when there are none. */
  readonly payload: Uint8Array;
}

/** Takes a part of a body before the next one is made, so that memory does not grow with the body. */
export type TakePart = (part: IngestPart) => void;

/** Turns a span into an event, or says that it cannot. */
export type SpanMapper = (span: SpanAtHand, body: IngestBody) => TurnEvent | undefined;

const nothing = new Uint8Array(0);

/** Events, and bytes of them, from which on a part is full. */
const partMax = { events: 16_384, bytes: 8_388_608 } as const;

/**
 * Runs a body through every stage and answers its last part; `take` gets each one that was full
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
  const { items } = encoding === "json" ? scanJson(bytes, signal) : scanProtobuf(bytes, signal);
  if (signal === "metrics") {
    const rejected: RejectionCounts = items === 0 ? {} : { metrics_not_accepted: items };
    return { items, events: 0, rejected, dropped: {}, payload: nothing };
  }
  return frames(bytes, body, { tables, mapSpan, take });
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
 * Events that are written together. Of few, hardly any outlives the collection of garbage that it
 * happens to fall into; and memory does not grow with the body.
 */
const togetherMax = 64;

/** What turns spans into parts. */
interface Works {
  readonly tables: SourceTables;
  readonly mapSpan: SpanMapper;
  readonly take: TakePart;
}

/** Spans become events, and these the frame of a part. */
function frames(bytes: Buffer, body: IngestBody, { tables, mapSpan, take }: Works): IngestPart {
  const bound = body.principal.applicationId;
  let part = new OpenPart();
  const decoded = decode(bytes, body, tables, (span) => {
    const event = mapSpan(span, body);
    if (event === undefined) return part.refuse("span_unmapped");
    if (bound !== undefined && (event.application_id ?? bound) !== bound) {
      return part.refuse("span_application_foreign");
    }
    // What a bound token says nothing of belongs to the application it is bound to.
    const own = bound !== undefined && event.application_id === undefined;
    part.add(own ? { ...event, application_id: bound } : event);
    if (!part.full) return;
    take(part.close({}));
    part = new OpenPart();
  });
  // What the decoder rejected is counted with the last part.
  return part.close(decoded.rejected);
}

/** A part while it is filled. */
class OpenPart {
  private readonly refused: RejectionCounts = {};
  private readonly dropped: Record<string, number> = {};
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
    if (event.dropped !== undefined) addCounts(this.dropped, event.dropped);
    if (this.together.length < togetherMax) return;
    this.frame.add(this.together);
    this.together = [];
  }

  /** The part; `rejected` are items that never came to it. */
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
