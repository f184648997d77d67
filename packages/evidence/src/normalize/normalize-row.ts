/**
 * @module NormalizeRow: reads rows of the conversation and tool_log stores as events without their
 * text (vocabulary: Event kinds): identity, time and outcome, never messages, arguments or results.
 */
import type { EventStatus, UntypedRecord } from "@turnproof/semconv";

import { isRecord } from "@turnproof/semconv";

import { readLegacyAttributes } from "./child-attributes.ts";
import { addExtent, addPlacement, isTaskId } from "./child-fields.ts";
import type { PartialEvent } from "./child-fields.ts";
import { readIdentity } from "./child-identity.ts";
import { composedId } from "./content-hash.ts";
import type { SourceStore, TurnEvent } from "../event/event.ts";
import { readStatus } from "./legacy/words.ts";
import { isUsableId } from "./normalization-findings.ts";
import type { NormalizationCode } from "./normalization-findings.ts";
import type { ChildReading } from "./normalize-child.ts";
import { timeOf } from "./normalize-child.ts";

type Report = (code: NormalizationCode, id?: unknown) => void;

/** Kinds of the two stores whose rows are not trace events. */
const kinds = { conversation: "conversation", tool_log: "execution_log" } as const;

/** Reads a conversation or tool_log row; undefined when it was left out and reported. */
export function readMemoryRow(
  row: UntypedRecord,
  store: Exclude<SourceStore, "trace">,
  report: Report,
): ChildReading | undefined {
  const rowId = row["record_id"] ?? row["id"] ?? row["_id"] ?? row["memory_unit_id"];
  // A store's wrapper may contain the row one level down; identity may be on either level.
  const inner = isRecord(row["payload"])
    ? row["payload"]
    : isRecord(row["data"])
      ? row["data"]
      : {};
  const merged: UntypedRecord = { ...inner, ...row };
  const timestamp = timeOf(merged, true);
  const reading = readIdentity(merged, true);
  if (timestamp === undefined || reading.identity === undefined) {
    report("invalid_event", rowId);
    return undefined;
  }
  const { identity } = reading;
  // A row without a tenant is anonymous (requirements: Scope hierarchy 3).
  identity.user_id ??= null;
  const kind = kinds[store];
  const partial: PartialEvent = {
    schema_version: 1,
    ...(isUsableId(rowId) ? { event_id: composedId(`${kind}:${rowId}`) } : {}),
    event_kind: kind,
    phase: "event",
    status: "unknown",
    timestamp,
    ...identity,
    dialect: "legacy",
    source_store: store,
    revision: 1,
    attributes: {},
  };
  addPlacement(partial, merged, true, () => report("invalid_metadata", rowId));
  const task = merged["task_id"] ?? undefined;
  if (isTaskId(task)) partial.task_id = task;
  else if (task !== undefined) report("invalid_task_id", rowId);
  if (store === "tool_log") addExecution(partial, merged, report, rowId);
  return partial as Omit<TurnEvent, "event_id">;
}

function addExecution(
  partial: PartialEvent,
  row: UntypedRecord,
  report: Report,
  rowId: unknown,
): void {
  partial.status = statusOf(row);
  addExtent(partial, row, true, () => report("invalid_metadata", rowId));
  const { attributes, refused } = readLegacyAttributes(row, "execution_log");
  partial.attributes = attributes;
  if (refused) report("invalid_metadata", rowId);
}

function statusOf(row: UntypedRecord): EventStatus {
  const word = readStatus(row["status"] ?? row["outcome"] ?? row["result_status"]);
  if (word !== undefined) return word;
  const flag = row["success"];
  return typeof flag === "boolean" ? (flag ? "success" : "error") : "unknown";
}

/** The store of a row that does not name one; rows of evidence are recognized by their shape. */
export function guessStore(row: UntypedRecord): SourceStore | undefined {
  const named = row["source_store"];
  if (named === "trace" || named === "conversation" || named === "tool_log") return named;
  if (row["event_kind"] !== undefined || row["event_type"] !== undefined) return "trace";
  if (row["role"] !== undefined && row["content"] !== undefined) return "conversation";
  if (row["tool_name"] !== undefined || row["tool_call_id"] !== undefined) return "tool_log";
  return undefined;
}
