/**
 * @module Decode evaluations: of all log records only GenAI evaluation results are evidence. Such a
 * record becomes the same draft as a feedback span of ours; every other record is rejected and its
 * body never read (design 3.2, 6.1).
 */
import { createHash } from "node:crypto";

import { attribute, ownSpanNames } from "@turnproof/semconv";

import { JsonSpans, logLevels } from "./decode-json.ts";
import { ProtobufSpans } from "./decode-protobuf.ts";
import { KeyTable } from "./key-table.ts";
import { char } from "./json-cursor.ts";
import type { Decoded, SpanDraft, TakeSpan } from "./span-draft.ts";
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

/** Makes the draft a point in time under the span that was judged. */
function settleEvaluation(draft: SpanDraft, isEvaluation: boolean, time: string): void {
  if (!isEvaluation) {
    draft.reject("log_not_evidence");
    return;
  }
  draft.parentSpanId = draft.spanId;
  draft.startTimeUnixNano = time;
  draft.endTimeUnixNano = time;
  draft.kind = 1;
  draft.name = ownSpanNames.feedback;
  draft.attributes[attribute.event_kind.span] = "feedback";
  draft.attributes[attribute.phase.span] = "event";
  // A log record has no id of its own; its content gives one, so that a retry leaves one event.
  const said = Object.entries(draft.attributes).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256")
    .update(JSON.stringify([draft.traceId, draft.parentSpanId, time, said]))
    .digest("hex");
  if (draft.spanId !== "") draft.spanId = digest.slice(0, 16);
}

function timeAt(bytes: Buffer, at: number): string {
  return nanoText(unixTime(bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at)));
}

/** Log records in protobuf. */
class ProtobufEvaluations extends ProtobufSpans {
  protected override readonly itemType: number = message.logRecord;

  protected override item(end: number): void {
    const { cursor, draft, tables } = this;
    const { bytes } = cursor;
    let time = "0";
    let observed = "0";
    let isEvaluation = false;
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
        if (this.namesEvaluation(limit)) isEvaluation = true;
        else this.values.attribute(limit, this.coded);
      } else if (tag === 74) draft.traceId = this.traceId(cursor.position, length);
      else if (tag === 82) draft.spanId = this.spanId(cursor.position, length);
      else if (tag === 98) {
        isEvaluation ||= tables.evaluationEvent.find(bytes, cursor.position, limit) >= 0;
      }
      cursor.position = limit;
    }
    draft.attributes = this.coded.record();
    draft.coded = undefined;
    settleEvaluation(draft, isEvaluation, time === "0" ? observed : time);
  }

  /** True for the older spelling, an attribute `event.name`; else the cursor has not moved. */
  private namesEvaluation(end: number): boolean {
    const { cursor, tables } = this;
    const { bytes } = cursor;
    const start = cursor.position;
    let named = false;
    let value = false;
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
        value = tables.evaluationEvent.find(bytes, at, at + textLength) >= 0;
      }
      cursor.position = from + length;
    }
    cursor.position = start;
    return named && value;
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
    const { cursor, draft, values } = this;
    let time = "0";
    let observed = "0";
    let isEvaluation = false;
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
          isEvaluation ||= this.isEvaluation();
          break;
        case "attributes": {
          const start = cursor.position;
          isEvaluation = this.saidByAttribute() || isEvaluation;
          cursor.position = start;
          values.attributes(draft.attributes);
          break;
        }
        case "traceId":
          draft.traceId = values.id(32);
          break;
        case "spanId":
          draft.spanId = values.id(16);
          break;
        default:
      }
    });
    settleEvaluation(draft, isEvaluation, time === "0" ? observed : time);
  }

  private isEvaluation(): boolean {
    const { cursor } = this;
    return cursor.peek() === char.quote && cursor.key(this.tables.evaluationEvent) >= 0;
  }

  /** The older spelling, an attribute `event.name`. */
  private saidByAttribute(): boolean {
    const { cursor, values } = this;
    let said = false;
    cursor.array(() => {
      const valueAt = values.pair(this.tables.eventName);
      if (values.found < 0 || valueAt < 0) return;
      const resume = cursor.position;
      cursor.position = valueAt;
      cursor.object(textKeys, () => {
        said ||= this.isEvaluation();
      });
      cursor.position = resume;
    });
    return said;
  }
}
