/**
 * @module Ingest body: the way of a body from bytes to the payload of a journal frame, synchronous
 * and without I/O, so that it runs on the event loop for a small body and in a worker thread for a
 * large one: inflate, structural scan, allowlisting decoder, dialect map, frame (design 6.1).
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { SpanAtHand } from "@turnproof/exporter";
import type { Code } from "@turnproof/semconv";

import type { IngestPrincipal } from "../auth/ingest-tokens.ts";
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

/** What became of a body. `items = events + every rejected one`. */
export interface IngestOutcome {
  readonly items: number;
  readonly events: number;
  readonly rejected: RejectionCounts;
  /** Attributes that were left out, by reason. */
  readonly dropped: Readonly<Record<string, number>>;
  /** Guarded events, encoded; empty when there are none. */
  readonly payload: Uint8Array;
}

/** Turns a span into an event, or says that it cannot. */
export type SpanMapper = (span: SpanAtHand, body: IngestBody) => TurnEvent | undefined;

const nothing = new Uint8Array(0);

/** Runs a body through every stage; throws the CodedError of the first one that refuses it. */
export function ingestBody(
  body: IngestBody,
  tables: SourceTables,
  mapSpan: SpanMapper,
): IngestOutcome {
  const { signal, encoding } = body;
  const raw = Buffer.from(body.bytes.buffer, body.bytes.byteOffset, body.bytes.byteLength);
  const bytes = inflate(raw, body.coding);
  const { items } = encoding === "json" ? scanJson(bytes, signal) : scanProtobuf(bytes, signal);
  if (signal === "metrics") {
    const rejected: RejectionCounts = items === 0 ? {} : { metrics_not_accepted: items };
    return { items, events: 0, rejected, dropped: {}, payload: nothing };
  }
  return frame(bytes, body, tables, mapSpan);
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

/** Spans become events, and these the frame. */
function frame(
  bytes: Buffer,
  body: IngestBody,
  tables: SourceTables,
  mapSpan: SpanMapper,
): IngestOutcome {
  const refused: RejectionCounts = {};
  const dropped: Record<string, number> = {};
  const bound = body.principal.applicationId;
  const written = frameWriter();
  let together: TurnEvent[] = [];
  const decoded = decode(bytes, body, tables, (span) => {
    const event = mapSpan(span, body);
    if (event === undefined) {
      countRejection(refused, "span_unmapped");
      return;
    }
    if (bound !== undefined && (event.application_id ?? bound) !== bound) {
      countRejection(refused, "span_application_foreign");
      return;
    }
    // What a bound token says nothing of belongs to the application it is bound to.
    const own = bound !== undefined && event.application_id === undefined;
    together.push(own ? { ...event, application_id: bound } : event);
    if (event.dropped !== undefined) addCounts(dropped, event.dropped);
    if (together.length < togetherMax) return;
    written.add(together);
    together = [];
  });
  written.add(together);
  const rejected: RejectionCounts = { ...decoded.rejected };
  for (const [code, count] of Object.entries(refused))
    countRejection(rejected, code as Code, count);
  const { events } = written;
  const payload = events === 0 ? nothing : written.payload();
  return { items: decoded.items, events, rejected, dropped, payload };
}

function addCounts(into: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const code in counts) into[code] = (into[code] ?? 0) + (counts[code] as number);
}
