/** @module SqliteOperatorRows: what operators write, in the evidence file. */
import { operatorRow } from "../operator-rows.ts";
import type { OperatorRow, OperatorTable } from "../operator-rows.ts";
import { transaction } from "./sqlite-database.ts";
import type { SqliteDatabase } from "./sqlite-database.ts";
import { codedSqlite } from "./sqlite-error.ts";

/** Statements that create the table; each may be run again. */
export const operatorTablesSql: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS operator_rows (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, tenant TEXT NOT NULL, place TEXT NOT NULL,
    subject TEXT NOT NULL, version INTEGER NOT NULL, created_at TEXT NOT NULL, value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS operator_rows_place ON operator_rows (kind, place, tenant)",
];

const columns = "id, kind, tenant, place, subject, version, created_at, value";
const at = "id = ? AND kind = ? AND tenant = ? AND place = ?";

/**
 * The rows in a database. A file of an older version on a disk that cannot be written to has no
 * table, and no rows.
 */
export function sqliteOperatorRows(
  database: SqliteDatabase,
  writer: SqliteDatabase = database,
): OperatorTable {
  const read = (where: string, ...values: readonly (string | number)[]): readonly OperatorRow[] => {
    if (!hasTable(database)) return [];
    const found = database.prepare(`SELECT ${columns} FROM operator_rows WHERE ${where}`);
    return found.all(...values).map(operatorRow);
  };
  const change = (sql: string, ...values: readonly (string | number)[]): Promise<boolean> =>
    codedSqlite(() =>
      transaction(writer, () => Number(writer.prepare(sql).run(...values).changes) === 1),
    );
  return {
    list: (kind, tenants, place) =>
      codedSqlite(() =>
        read(
          "kind = ? AND place = ? AND tenant IN (SELECT value FROM json_each(?))",
          kind,
          place,
          JSON.stringify(tenants),
        ),
      ),
    write({ id, kind, tenant, place, subject, version, created_at, value }) {
      if (version === 1) {
        const sql = `INSERT INTO operator_rows (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO NOTHING`;
        return change(sql, id, kind, tenant, place, subject, version, created_at, value);
      }
      const sql = `UPDATE operator_rows SET version = ?, value = ? WHERE ${at} AND version = ?`;
      return change(sql, version, value, id, kind, tenant, place, version - 1);
    },
    remove: ({ id, kind, tenant, place, version }) =>
      change(
        `DELETE FROM operator_rows WHERE ${at} AND version = ?`,
        id,
        kind,
        tenant,
        place,
        version,
      ),
    after: (id, limit) => codedSqlite(() => read("id > ? ORDER BY id LIMIT ?", id, limit)),
    async forget(ids) {
      const sql = "DELETE FROM operator_rows WHERE id IN (SELECT value FROM json_each(?))";
      await change(sql, JSON.stringify(ids));
    },
  };
}

function hasTable(database: SqliteDatabase): boolean {
  const found = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'operator_rows'");
  return found.get() !== undefined;
}
