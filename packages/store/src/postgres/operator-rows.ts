/** @module PostgresOperatorRows: what operators write, in a table. */
import type { OperatorKind, OperatorPlace, OperatorRow, OperatorTable } from "../operator-rows.ts";
import type { PostgresRow, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

const columns = "id, kind, tenant, place, subject, version::text AS version, created_at, value";

/** The rows over a session. */
export function postgresOperatorRows(session: Session): OperatorTable {
  return {
    async list(kind, tenants, place) {
      const bind = bindings();
      const { rows } = await session.query(
        `SELECT ${columns} FROM operator_rows WHERE kind = ${bind.text(kind)}
    AND place = ${bind.text(place)} AND tenant = ANY(${bind.texts(tenants)})`,
        bind.parameters,
      );
      return rows.map(rowOf);
    },
    async write(row) {
      const bind = bindings();
      const sql = row.version === 1 ? insertSql(row, bind) : updateSql(row, bind);
      return (await session.query(sql, bind.parameters)).changed === 1;
    },
    async remove(row) {
      const bind = bindings();
      const sql = `DELETE FROM operator_rows WHERE ${standingSql(row, row.version, bind)}`;
      return (await session.query(sql, bind.parameters)).changed === 1;
    },
    async after(id, limit) {
      const bind = bindings();
      const { rows } = await session.query(
        `SELECT ${columns} FROM operator_rows WHERE id > ${bind.text(id)}
ORDER BY id LIMIT ${Math.trunc(limit)}`,
        bind.parameters,
      );
      return rows.map(rowOf);
    },
    async forget(ids) {
      const bind = bindings();
      const sql = `DELETE FROM operator_rows WHERE id = ANY(${bind.texts(ids)})`;
      await session.query(sql, bind.parameters);
    },
  };
}

function insertSql(row: OperatorRow, bind: Bindings): string {
  const { id, kind, tenant, place, subject, version, created_at, value } = row;
  const texts = [id, kind, tenant, place, subject, created_at, value].map((one) => bind.text(one));
  return `INSERT INTO operator_rows (id, kind, tenant, place, subject, created_at, value, version)
VALUES (${texts.join(", ")}, ${bind.plain(String(version))}::bigint) ON CONFLICT (id) DO NOTHING`;
}

function updateSql(row: OperatorRow, bind: Bindings): string {
  return `UPDATE operator_rows SET value = ${bind.text(row.value)}, version = version + 1
WHERE ${standingSql(row, row.version - 1, bind)}`;
}

function standingSql(of: OperatorPlace, version: number, bind: Bindings): string {
  return `id = ${bind.text(of.id)} AND kind = ${bind.text(of.kind)}
    AND tenant = ${bind.text(of.tenant)} AND place = ${bind.text(of.place)}
    AND version = ${bind.plain(String(version))}::bigint`;
}

function rowOf(row: PostgresRow): OperatorRow {
  const text = (name: string): string => fromStored(String(row[name]));
  return {
    kind: text("kind") as OperatorKind,
    tenant: text("tenant"),
    place: text("place"),
    id: text("id"),
    subject: text("subject"),
    version: Number(row["version"]),
    created_at: text("created_at"),
    value: text("value"),
  };
}
