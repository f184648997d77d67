/**
 * @module MemoryKey: writes a row under its tenant and id. With the unique index of
 * `001_add_user_id.sql` the engine finds the row to replace; a legacy table that could not have
 * the index, such as one with duplicate ids, uses a lock and the newest row.
 */
import { CodedError } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import type { MemoryFilter, MemoryRecord } from "../memory-store.ts";
import type { Session } from "./database.ts";
import { idSql, ofTenant, tenantDigest } from "./memory-condition.ts";
import { scopedValues } from "./memory-row.ts";
import type { Assignments } from "./memory-row.ts";
import { bindings, tableOf } from "./sql-text.ts";

/** Of rows with one id the newest counts. */
export const newestFirst = "created_key DESC, row_no DESC";

/** Whether the table of a kind has the unique key; determined once. */
export function memoryKeys(session: Session): (kind: ScopedKind) => Promise<boolean> {
  const known = new Map<ScopedKind, Promise<boolean>>();
  return (kind) => {
    const requested = known.get(kind) ?? isKeyed(session, kind);
    known.set(kind, requested);
    // A failed query is repeated.
    requested.catch(() => known.delete(kind));
    return requested;
  };
}

/** The planner reports whether it finds an index for the conflict; nothing is written. */
async function isKeyed(session: Session, kind: ScopedKind): Promise<boolean> {
  try {
    await session.query(
      `EXPLAIN INSERT INTO ${tableOf(kind)} (id, data, created_at, created_key, updated_at)
SELECT '', '{}', '', '', '' WHERE false
ON CONFLICT (${tenantDigest("user_id")}, md5(id)) DO NOTHING`,
    );
    return true;
  } catch (error) {
    if (CodedError.is(error) && error.field === "postgres 42P10") return false;
    throw error;
  }
}

/** Writes a row by the unique key. */
export async function upsert(
  session: Session,
  record: MemoryRecord,
  vectors: boolean,
): Promise<MemoryRecord> {
  const bind = bindings();
  const values = scopedValues(record, bind, vectors);
  // The digests are the key, the texts decide: two tenants with one digest never share a row.
  const { rows } = await session.query(
    `${insertSql(record.kind, values, "held")}
ON CONFLICT (${tenantDigest("user_id")}, md5(id)) DO UPDATE
SET ${updates(values)}, version = held.version + 1
WHERE held.user_id IS NOT DISTINCT FROM excluded.user_id AND held.id = excluded.id
RETURNING version::text AS version`,
    bind.parameters,
  );
  const version = rows[0]?.["version"];
  if (version === undefined) throw new CodedError("record_invalid", { field: "id" });
  return { ...record, version: Number(version) };
}

/**
 * Runs an upsert, and once more where another key refuses its row. A legacy table may have a
 * primary key of its own, which `ON CONFLICT` ignores: a concurrently inserted row violates it. By
 * the second statement that row exists and is replaced; another tenant's is refused again.
 */
export async function withSecondTry<T>(upserting: () => Promise<T>): Promise<T> {
  try {
    return await upserting();
  } catch (error) {
    if (!CodedError.is(error) || error.field !== "postgres 23505") throw error;
    return upserting();
  }
}

/** Writes a row where there is no key; the session is a transaction. */
export async function replaceUnderLock(
  session: Session,
  record: MemoryRecord,
  vectors: boolean,
): Promise<MemoryRecord> {
  const { kind, id } = record;
  const filter: MemoryFilter = { tenant: record.user_id };
  const lock = bindings();
  await session.query(
    `SELECT pg_advisory_xact_lock(hashtextextended(${lock.plain(tableOf(kind))}
    || ${tenantDigest(lock.text(filter.tenant))} || md5(${lock.text(id)}), 7203771))`,
    lock.parameters,
  );
  const bind = bindings();
  const values = scopedValues(record, bind, vectors);
  const set = values.map(([name, value]) => `${name} = ${value}`);
  const { rows } = await session.query(
    `UPDATE ${tableOf(kind)} SET ${set.join(", ")}, version = version + 1
WHERE ${newestSql(kind, `${ofTenant(filter, bind)} AND ${idSql(id, bind)}`)}
RETURNING version::text AS version`,
    bind.parameters,
  );
  const version = rows[0]?.["version"];
  if (version !== undefined) return { ...record, version: Number(version) };
  const fresh = bindings();
  const inserted = scopedValues(record, fresh, vectors);
  await session.query(insertSql(kind, inserted), fresh.parameters);
  return record;
}

/** The row that counts for an id, by its position, which is unique even among partitions. */
export function newestSql(kind: ScopedKind, where: string): string {
  return `(tableoid, ctid) IN (SELECT tableoid, ctid FROM ${tableOf(kind)}
    WHERE ${where} ORDER BY ${newestFirst} LIMIT 1)`;
}

function insertSql(kind: ScopedKind, values: Assignments, as?: string): string {
  const alias = as === undefined ? "" : ` AS ${as}`;
  return `INSERT INTO ${tableOf(kind)}${alias} (${values.map(([name]) => name).join(", ")})
VALUES (${values.map(([, value]) => value).join(", ")})`;
}

/** Every column of the new row. */
export function updates(values: Assignments): string {
  return values.map(([name]) => `${name} = excluded.${name}`).join(", ");
}
