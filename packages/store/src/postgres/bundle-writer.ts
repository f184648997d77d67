/**
 * @module BundleWriter: writes a batch as bundles in one transaction: its manifest first, whose id
 * is unique, then its roots and rows. So a batch is stored completely or not at all, and a resend
 * is stored once.
 */
import type { BatchReadback, EvidenceBatch, PreparedBatch } from "@turnproof/evidence";
import { CodedError, groupBy } from "@turnproof/semconv";

import type { BundleRow } from "../bundle/pack.ts";
import { rowsOfBatch } from "../bundle/prepared-rows.ts";
import type { Database, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { toStored, toStoredJson } from "./stored-text.ts";

/** Rows of one statement. */
const chunkRows = 500;

/**
 * Writes a batch.
 *
 * @throws CodedError `store_rejected_row` before anything is written when a row can never be
 * stored
 */
export async function appendBundles(
  database: Database,
  batch: EvidenceBatch | PreparedBatch,
): Promise<void> {
  const rows = await rowsOf(batch);
  await database.transaction(async (session) => {
    const number = await manifestOf(session, batch, "DO NOTHING");
    if (number !== undefined) await putRows(session, numbered(number, rows));
  });
}

/** Writes replacement rows inside a transaction; the batch may exist already. */
export async function putBundles(session: Session, batch: EvidenceBatch): Promise<void> {
  const number = await manifestOf(
    session,
    batch,
    "DO UPDATE SET event_count = held.event_count + excluded.event_count",
  );
  if (number !== undefined) await putRows(session, numbered(number, await rowsOf(batch)));
}

/** A row with the number of its batch. */
export interface NumberedRow extends BundleRow {
  readonly batch: string;
}

function numbered(batch: string, rows: readonly BundleRow[]): readonly NumberedRow[] {
  return rows.map((row) => ({ ...row, batch }));
}

async function rowsOf(batch: EvidenceBatch | PreparedBatch): Promise<readonly BundleRow[]> {
  const rows = await rowsOfBatch(batch);
  if (rows.some(({ first_received: at }) => !Number.isSafeInteger(at) || at < 0)) {
    throw new CodedError("store_rejected_row");
  }
  // In one order everywhere, so that two writers of the same roots never deadlock.
  return rows.toSorted((a, b) => (a.root_trace_id < b.root_trace_id ? -1 : 1));
}

/** The number of the batch; undefined where it exists already and nothing is to be done. */
async function manifestOf(
  session: Session,
  { batchId, events }: EvidenceBatch | PreparedBatch,
  onConflict: string,
): Promise<string | undefined> {
  const bind = bindings();
  const count = typeof events === "number" ? events : events.length;
  const { rows } = await session.query(
    `INSERT INTO evidence_batches AS held (batch_id, event_count)
VALUES (${bind.text(batchId)}, ${bind.plain(String(count))}::bigint)
ON CONFLICT (md5(batch_id)) ${onConflict} RETURNING batch_no::text AS batch_no`,
    bind.parameters,
  );
  const number = rows[0]?.["batch_no"];
  return typeof number === "string" ? number : undefined;
}

/** Writes rows, grouped by root, in the order of their roots. */
export async function putRows(session: Session, rows: readonly NumberedRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += chunkRows) {
    await putChunk(session, rows.slice(from, from + chunkRows));
  }
}

async function putChunk(session: Session, rows: readonly NumberedRow[]): Promise<void> {
  const roots = [...groupBy(rows, ({ root_trace_id: root }) => root)].map(([root, own]) => ({
    root_trace_id: root,
    first_us: Math.min(...own.map((row) => row.first_received)),
    last_us: Math.max(...own.map((row) => row.last_received)),
    own_from: Math.min(...own.map((row) => row.own_from)),
    own_to: Math.max(...own.map((row) => row.own_to)),
    events: own.reduce((sum, row) => sum + row.events, 0),
  }));
  const bind = bindings();
  const held = await session.query(
    `INSERT INTO evidence_roots AS held (root_trace_id, first_us, last_us, own_from, own_to, events)
SELECT * FROM jsonb_to_recordset(${bind.plain(toStoredJson(roots))}::jsonb) AS r(
    root_trace_id text, first_us bigint, last_us bigint, own_from bigint, own_to bigint,
    events bigint)
ON CONFLICT (root_trace_id) DO UPDATE SET first_us = least(held.first_us, excluded.first_us),
    last_us = greatest(held.last_us, excluded.last_us), events = held.events + excluded.events,
    own_from = least(held.own_from, excluded.own_from),
    own_to = greatest(held.own_to, excluded.own_to)
RETURNING root::text AS root, root_trace_id`,
    bind.parameters,
  );
  const places = new Map(held.rows.map((row) => [row["root_trace_id"], row["root"]]));
  const bundles = rows.map((row) => ({
    root: places.get(toStored(row.root_trace_id)),
    batch_no: row.batch,
    events: row.events,
    words: row.hashes.map(signed),
    body: row.segments,
  }));
  const into = bindings();
  await session.query(
    `INSERT INTO evidence_bundles (batch_no, root, events, words, body)
SELECT batch_no, root, events, words, body
FROM jsonb_to_recordset(${into.plain(JSON.stringify(bundles))}::jsonb) AS r(
    root bigint, batch_no bigint, events int, words int[], body text)`,
    into.parameters,
  );
}

/**
 * Counts the events of a batch and compares them with its manifest (faults R9, R11).
 *
 * @param pending true while events of an earlier version are not copied: they count as well
 */
export async function readBackBundles(
  database: Database,
  batchId: string,
  pending: boolean,
): Promise<BatchReadback> {
  const bind = bindings();
  const id = bind.text(batchId);
  const old = `(SELECT count(*) FROM old_events e WHERE e.batch_no = b.batch_no
    AND (root_trace_id > (SELECT after_root FROM old_events_copy)) IS NOT FALSE)`;
  const { rows } = await database.query(
    `SELECT event_count::text AS wanted, ((SELECT coalesce(sum(events), 0)
    FROM evidence_bundles e WHERE e.batch_no = b.batch_no)${pending ? ` + ${old}` : ""})::text AS held
FROM evidence_batches b WHERE md5(batch_id) = md5(${id}) AND batch_id = ${id}`,
    bind.parameters,
  );
  const [row] = rows;
  if (row === undefined) return { rows: 0, complete: false };
  return { rows: Number(row["held"]), complete: row["held"] === row["wanted"] };
}

/** PostgreSQL's integers are signed. */
function signed(hash: number): number {
  return hash | 0;
}

/** The SQL of an array of words. */
export function wordsSql(hashes: readonly number[], bind: Bindings): string {
  return `${bind.plain(`{${hashes.map(signed).join(",")}}`)}::int[]`;
}
