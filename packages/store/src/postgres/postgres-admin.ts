/**
 * @module PostgresAdmin: unscoped access for operator commands (requirements: Scope hierarchy 4).
 * Rows stream in keyset pages, so that no transaction stays open between two of them.
 */
import type { ScopedKind } from "@turnproof/semconv";

import { unscoped } from "../memory-admin.ts";
import type { AdminFilter, MemoryAdmin } from "../memory-admin.ts";
import {
  checkedChange,
  checkFilter,
  checkLegacyScope,
  checkScopedKind,
} from "../memory/record-rules.ts";
import type { MemoryRecord } from "../memory-store.ts";
import type { Database, Session } from "./database.ts";
import { idSql, ofTenant, tenantDigest } from "./memory-condition.ts";
import { scopedColumns, scopedRecord, scopedValues } from "./memory-row.ts";
import { purge, purgedTables } from "./purge.ts";
import { bindings, tableOf } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";

/** Rows of one page of the stream. */
const pageRows = 500;

/** Administrative access; `session` must have a role that sees every row. */
export function postgresAdmin(
  session: () => Promise<Database>,
  clock: () => string,
  vectors: boolean,
): MemoryAdmin {
  return {
    purge: async () => purge(await session(), purgedTables.memory),
    rows: (filter, kind) => stream(session, filter, kind),
    async count(filter, kind) {
      checkScopedKind(kind);
      const bind = bindings();
      const sql = `SELECT count(*)::text AS n FROM ${tableOf(kind)} WHERE ${filterSql(filter, bind)}`;
      const { rows } = await (await session()).query(sql, bind.parameters);
      return Number(rows[0]?.["n"]);
    },
    async deleteTenant(filter, kind) {
      checkFilter(filter);
      checkScopedKind(kind);
      const bind = bindings();
      const sql = `DELETE FROM ${tableOf(kind)} WHERE ${ofTenant(filter, bind)}`;
      return (await (await session()).query(sql, bind.parameters)).changed;
    },
    async rewrite(filter, kind, changes) {
      checkFilter(filter);
      checkScopedKind(kind);
      let changed = 0;
      for (const { id, version, record } of changes) {
        const bind = bindings();
        const where = `${ofTenant(filter, bind)} AND ${idSql(id, bind)}
    AND version = ${bind.plain(String(version))}::bigint`;
        const next = record === undefined ? undefined : checkedChange(filter, kind, id, record);
        const set = next === undefined ? [] : scopedValues(next, bind, vectors);
        const columns = [
          ...set.map(([name, value]) => `${name} = ${value}`),
          "version = version + 1",
        ];
        const sql =
          next === undefined
            ? `DELETE FROM ${tableOf(kind)} WHERE ${where}`
            : `UPDATE ${tableOf(kind)} SET ${columns.join(", ")} WHERE ${where}`;
        changed += (await (await session()).query(sql, bind.parameters)).changed;
      }
      return changed;
    },
    async migrateLegacyEntities(options) {
      checkLegacyScope(options);
      const bind = bindings();
      const user = bind.text(options.userId);
      // One update; a row that the user has already is newer, and the legacy one is kept.
      const sql = `UPDATE ${tableOf("entity")} AS legacy
SET user_id = ${user}, updated_at = ${bind.plain(clock())}, version = version + 1
WHERE ${tenantDigest("legacy.user_id")} = ${tenantDigest("NULL::text")}
    AND legacy.user_id IS NULL AND legacy.memory_id = ${bind.text(options.memoryId)}
    AND NOT EXISTS (
        SELECT 1 FROM ${tableOf("entity")} AS own
        WHERE ${tenantDigest("own.user_id")} = ${tenantDigest(user)}
            AND md5(own.id) = md5(legacy.id))`;
      return (await (await session()).query(sql, bind.parameters)).changed;
    },
  };
}

function filterSql(filter: AdminFilter, bind: Bindings): string {
  if (filter === unscoped) return "true";
  checkFilter(filter);
  return ofTenant(filter, bind);
}

async function* stream(
  session: () => Promise<Session>,
  filter: AdminFilter,
  kind: ScopedKind,
): AsyncGenerator<MemoryRecord> {
  checkScopedKind(kind);
  let after: readonly [key: string, id: string, user: string] | undefined;
  for (;;) {
    const bind = bindings();
    const where = filterSql(filter, bind);
    const beyond =
      after === undefined
        ? "true"
        : `(created_key < ${bind.plain(after[0])} OR (created_key = ${bind.plain(after[0])}
    AND (id, coalesce(user_id, '')) > (${bind.plain(after[1])}, ${bind.plain(after[2])})))`;
    const { rows } = await (
      await session()
    ).query(
      `SELECT ${scopedColumns}, created_key FROM ${tableOf(kind)} WHERE ${where} AND ${beyond}
ORDER BY created_key DESC, id, coalesce(user_id, '') LIMIT ${pageRows}`,
      bind.parameters,
    );
    for (const row of rows) yield scopedRecord(row, kind);
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageRows) return;
    after = [
      last["created_key"] as string,
      last["id"] as string,
      (last["user_id"] as string | null) ?? "",
    ];
  }
}
