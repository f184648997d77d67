/**
 * @module Decode log records: GenAI evaluation results, details of model calls, and events of
 * coding agents are evidence among log records. Such a record fills the same builder as a span of
 * ours, with its numbers and ids only; every other record is rejected and its body never read
 * (vocabulary: Event kinds; collector: Receive).
 */
import { createHash } from "node:crypto";

import { attribute, ownSpanNames } from "@turnproof/semconv";

import { settleCodingRecord } from "./coding-record.ts";
import { JsonSpans, logLevels } from "./decode-json.ts";
import { ProtobufSpans } from "./decode-protobuf.ts";
import { KeyTable } from "./key-table.ts";
import { char } from "./json-cursor.ts";
import type { Decoded, SpanBuilder, TakeSpan } from "./span-builder.ts";
import { codingEventAt, logEvent } from "./source-tables.ts";
import type { SourceTables } from "./source-tables.ts";
import { nanoText, unixTime } from "./unix-nano.ts";
import { message } from "./wire-schema.ts";

/** Decodes one body that `scanProtobuf` accepted for logs. */
export function decodeProtobufEvaluations(
  bytes: Buffer,
  tables: SourceTables,
  take?: TakeSpan,
): Decoded {
  return new ProtobufEvaluations(bytes, tables, "logs").request(take);
}

/** Decodes one body that `scanJson` accepted for logs. */
export function decodeJsonEvaluations(
  bytes: Buffer,
  tables: SourceTables,
  take?: TakeSpan,
): Decoded {
  return new JsonEvaluations(bytes, tables, logLevels).request(take);
}

/** Makes of the record a point in time under the span that was evaluated, or that made the call. */
function settleRecord(builder: SpanBuilder, event: number, time: string): void {
  if (event === logEvent.none) {
    builder.reject("log_not_evidence");
    return;
  }
  const coding = codingEventAt(event);
  if (coding !== undefined) return settleCodingRecord(builder, coding, time);
  const inference = event === logEvent.inference;
  const { attributes } = builder;
  builder.parentSpanId = builder.spanId;
  builder.startTimeUnixNano = time;
  builder.endTimeUnixNano = time;
  builder.kind = 1;
  builder.name = inference ? undefined : ownSpanNames.feedback;
  if (inference && attributes[attribute.error_type.span] !== undefined) builder.statusCode = 2;
  attributes[attribute.event_kind.span] = inference ? "model_call" : "feedback";
  attributes[attribute.phase.span] = "event";
  // A log record has no id; one is derived from its content, so that a retry gives the same event.
  const stated = Object.entries(attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify([builder.traceId, builder.parentSpanId, time, stated]))
    .digest("hex");
  // A model call recorded outside of any trace gets a root of its own.
  if (inference && builder.traceId === "") builder.traceId = digest.slice(32);
  if (inference || builder.spanId !== "") builder.spanId = digest.slice(0, 16);
}

function timeAt(bytes: Buffer, at: number): string {
  return nanoText(unixTime(bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at)));
}

/** Log records in protobuf. */
class ProtobufEvaluations extends ProtobufSpans {
  protected override readonly itemType: number = message.logRecord;

  protected override item(end: number): void {
    const { cursor, builder, tables } = this;
    const { bytes } = cursor;
    let time = "0";
    let observed = "0";
    let event: number = logEvent.none;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if ((tag & 7) !== 2) {
        const at = cursor.position;
        if (tag === 9) time = timeAt(bytes, at);
        else if (tag === 89) observed = timeAt(bytes, at);
        cursor.skip(tag & 7, tag >>> 3);
        continue;
      }
      const length = cursor.varint();
      const limit = cursor.position + length;
      if (tag === 50) {
        const named = this.eventNamed(limit);
        if (named >= 0) event = named;
        else this.values.attribute(limit, this.coded);
      } else if (tag === 74) builder.traceId = this.traceId(cursor.position, length);
      else if (tag === 82) builder.spanId = this.spanId(cursor.position, length);
      else if (tag === 98) {
        event = Math.max(event, tables.logEvents.find(bytes, cursor.position, limit));
      }
      cursor.position = limit;
    }
    builder.attributes = this.coded.record();
    builder.coded = undefined;
    settleRecord(builder, event, time === "0" ? observed : time);
  }

  /** The event name in its older form, an attribute `event.name`; the cursor does not move. */
  private eventNamed(end: number): number {
    const { cursor, tables } = this;
    const { bytes } = cursor;
    const start = cursor.position;
    let named = false;
    let value: number = logEvent.none;
    while (cursor.position < end) {
      const tag = cursor.varint();
      if (tag !== 10 && tag !== 18) {
        cursor.skip(tag & 7, tag >>> 3);
        continue;
      }
      const length = cursor.varint();
      const from = cursor.position;
      if (tag === 10) named = tables.eventName.find(bytes, from, from + length) >= 0;
      else if (cursor.varint() === 10) {
        const textLength = cursor.varint();
        const at = cursor.position;
        value = tables.logEvents.find(bytes, at, at + textLength);
      }
      cursor.position = from + length;
    }
    cursor.position = start;
    return named ? value : logEvent.none;
  }
}

const recordKeyNames = [
  "timeUnixNano",
  "observedTimeUnixNano",
  "eventName",
  "attributes",
  "traceId",
  "spanId",
] as const;
const recordKeys = new KeyTable(recordKeyNames);
const textKeys = new KeyTable(["stringValue"]);

/** Log records in JSON. */
class JsonEvaluations extends JsonSpans {
  protected override item(): void {
    const { cursor, builder, values } = this;
    let time = "0";
    let observed = "0";
    let event: number = logEvent.none;
    cursor.object(recordKeys, (key) => {
      if (cursor.peek() === 0x6e) return;
      switch (recordKeyNames[key]) {
        case "timeUnixNano":
          time = values.nanos();
          break;
        case "observedTimeUnixNano":
          observed = values.nanos();
          break;
        case "eventName":
          event = Math.max(event, this.eventAt());
          break;
        case "attributes": {
          const start = cursor.position;
          event = Math.max(event, this.statedByAttribute());
          cursor.position = start;
          values.attributes(builder.attributes);
          break;
        }
        case "traceId":
          builder.traceId = values.id(32);
          break;
        case "spanId":
          builder.spanId = values.id(16);
          break;
        default:
      }
    });
    settleRecord(builder, event, time === "0" ? observed : time);
  }

  private eventAt(): number {
    const { cursor } = this;
    return cursor.peek() === char.quote ? cursor.key(this.tables.logEvents) : logEvent.none;
  }

  /** The older form, an attribute `event.name`. */
  private statedByAttribute(): number {
    const { cursor, values } = this;
    let stated: number = logEvent.none;
    cursor.array(() => {
      const valueAt = values.pair(this.tables.eventName);
      if (values.found < 0 || valueAt < 0) return;
      const resume = cursor.position;
      cursor.position = valueAt;
      cursor.object(textKeys, () => {
        stated = Math.max(stated, this.eventAt());
      });
      cursor.position = resume;
    });
    return stated;
  }
}
