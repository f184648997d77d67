/**
 * @module EvidenceWriter: a batch into the tables in one transaction: its manifest first, whose id
 * is unique, then its rows. So a batch is there whole or not at all, and sent again it is there
 * once.
 */
import type { BatchReadback, EvidenceBatch } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { searchedFields } from "../searched-fields.ts";
import { storedForm } from "../stored-event.ts";
import type { StoredEvent } from "../stored-event.ts";
import { clampedNanos, epochMicros } from "../time.ts";
import type { Database } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { toStoredJson } from "./stored-text.ts";

/** Rows of one statement. */
const chunkRows = 1_000;

/** Writes a batch. Throws before anything is written when a row can never pass. */
export async function appendBatch(database: Database, batch: EvidenceBatch): Promise<void> {
  const rows = batch.events.map((said) => {
    const event = storedForm(said, batch.receivedAt);
    return { ...derivedRow(event), event };
  });
  await database.transaction(async (session) => {
    const bind = bindings();
    const manifest = await session.query(
      `INSERT INTO evidence_batches (batch_id, event_count)
VALUES (${bind.text(batch.batchId)}, ${bind.plain(String(rows.length))}::bigint)
ON CONFLICT (md5(batch_id)) DO NOTHING RETURNING batch_no::text AS batch_no`,
      bind.parameters,
    );
    const number = manifest.rows[0]?.["batch_no"];
    if (typeof number !== "string") return;
    for (let from = 0; from < rows.length; from += chunkRows) {
      const chunk = bindings();
      const json = chunk.plain(toStoredJson(rows.slice(from, from + chunkRows)));
      const at = chunk.plain(number);
      await session.query(insertSql(json, at), chunk.parameters);
    }
  });
}

/** Counts the rows of a batch and compares them with its manifest (faults R9, R11). */
export async function readBackBatch(database: Database, batchId: string): Promise<BatchReadback> {
  const bind = bindings();
  const id = bind.text(batchId);
  const { rows } = await database.query(
    `SELECT event_count::text AS wanted, (
    SELECT count(*)::text FROM evidence_events e WHERE e.batch_no = b.batch_no) AS held
FROM evidence_batches b WHERE md5(batch_id) = md5(${id}) AND batch_id = ${id}`,
    bind.parameters,
  );
  const [row] = rows;
  if (row === undefined) return { rows: 0, complete: false };
  return { rows: Number(row["held"]), complete: row["held"] === row["wanted"] };
}

const columns = [
  ["received_us", "bigint"],
  ["event_ns", "bigint"],
  ["root_trace_id", "text"],
  ["application_id", "text"],
  ["agent_id", "text"],
  ["tenant_said", "boolean"],
  ["user_id", "text"],
  ["memory_id", "text"],
  ["thread_id", "text"],
  ["run_id", "text"],
  ["turn_id", "text"],
  ["task_id", "text"],
  ["span_id", "text"],
  ["event_kind", "text"],
  ["status", "text"],
  ["tool_name", "text"],
  ["source_store", "text"],
  ["mentions", "text[]"],
  ["event", "jsonb"],
] as const;

type Column = (typeof columns)[number][0];

/** Columns that are derived from the event beside them. */
export const derivedColumns: readonly Exclude<Column, "event">[] = columns
  .map(([name]) => name)
  .filter((name) => name !== "event");

/** The same columns with their types, as a statement declares them. */
export const derivedTypes: string = columns
  .filter(([name]) => name !== "event")
  .map(([name, type]) => `${name} ${type}`)
  .join(", ");

/** What the derived columns of an event hold. */
export type DerivedRow = Readonly<Record<Exclude<Column, "event">, unknown>>;

function insertSql(json: string, batchNumber: string): string {
  const names = columns.map(([name]) => name).join(", ");
  const typed = columns.map(([name, type]) => `${name} ${type}`).join(", ");
  return `INSERT INTO evidence_events (batch_no, ${names})
SELECT ${batchNumber}::bigint, ${names} FROM jsonb_to_recordset(${json}::jsonb) AS r(${typed})`;
}

/** The derived columns of an event. Throws for a time of receipt that no row can have. */
export function derivedRow(event: StoredEvent): DerivedRow {
  const micros = epochMicros(event.received_at);
  if (!Number.isSafeInteger(micros) || micros < 0) throw new CodedError("store_rejected_row");
  return {
    received_us: micros,
    event_ns: String(clampedNanos(event.timestamp)),
    root_trace_id: event.root_trace_id,
    ...searchedFields(event),
  };
}
