/**
 * @module Ingest body: the way of a body from bytes to the payload of a journal frame, synchronous
 * and without I/O, so that it runs on the event loop for a small body and in a worker thread for a
 * large one: inflate, structural scan, allowlisting decoder, dialect map, frame (design 6.1).
 */
import type { TurnEvent } from "@turnproof/evidence";
import type { SpanRecord } from "@turnproof/exporter";

import type { IngestPrincipal } from "../auth/ingest-tokens.ts";
import { decodeJsonEvaluations, decodeProtobufEvaluations } from "./decode-evaluations.ts";
import { decodeJsonSpans } from "./decode-json.ts";
import { decodeProtobufSpans } from "./decode-protobuf.ts";
import { encodeFrame } from "./frame-codec.ts";
import { inflate } from "./inflate.ts";
import type { ContentCoding } from "./inflate.ts";
import type { OtlpEncoding } from "./otlp-answer.ts";
import { scanJson } from "./scan-json.ts";
import { scanProtobuf } from "./scan-protobuf.ts";
import type { SourceTables } from "./source-tables.ts";
import { countRejection } from "./span-draft.ts";
import type { Decoded, RejectionCounts } from "./span-draft.ts";
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
export type SpanMapper = (span: SpanRecord, body: IngestBody) => TurnEvent | undefined;

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
  return frame(decode(bytes, body, tables), body, mapSpan);
}

function decode(bytes: Buffer, body: IngestBody, tables: SourceTables): Decoded {
  if (body.signal === "logs") {
    return body.encoding === "json"
      ? decodeJsonEvaluations(bytes, tables)
      : decodeProtobufEvaluations(bytes, tables);
  }
  return body.encoding === "json"
    ? decodeJsonSpans(bytes, tables)
    : decodeProtobufSpans(bytes, tables);
}

function frame(decoded: Decoded, body: IngestBody, mapSpan: SpanMapper): IngestOutcome {
  const rejected: RejectionCounts = { ...decoded.rejected };
  const dropped: Record<string, number> = {};
  const bound = body.principal.applicationId;
  const events: TurnEvent[] = [];
  for (const span of decoded.spans) {
    const event = mapSpan(span, body);
    if (event === undefined) countRejection(rejected, "span_unmapped");
    else if (bound !== undefined && (event.application_id ?? bound) !== bound) {
      countRejection(rejected, "span_application_foreign");
    } else {
      // What a bound token says nothing of belongs to the application it is bound to.
      const own = bound !== undefined && event.application_id === undefined;
      events.push(own ? { ...event, application_id: bound } : event);
      if (event.dropped !== undefined) addCounts(dropped, event.dropped);
    }
  }
  const payload = events.length === 0 ? nothing : encodeFrame(events);
  return { items: decoded.items, events: events.length, rejected, dropped, payload };
}

function addCounts(into: Record<string, number>, counts: Readonly<Record<string, number>>): void {
  for (const code in counts) into[code] = (into[code] ?? 0) + (counts[code] as number);
}
