/** @module CollectorState: rows that all collectors of one PostgreSQL share. */
import type { CollectorState, StateRow } from "../collector-state.ts";
import type { PostgresRow, Session } from "./database.ts";
import { bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** The rows over a session. */
export function postgresState(session: Session): CollectorState {
  return {
    async read(kind, name) {
      const bind = bindings();
      const { rows } = await session.query(
        `SELECT name, version::text AS version, value FROM collector_state
WHERE kind = ${bind.text(kind)} AND name = ${bind.text(name)}`,
        bind.parameters,
      );
      return rows[0] === undefined ? undefined : rowOf(rows[0]);
    },
    async list(kind) {
      const bind = bindings();
      const { rows } = await session.query(
        `SELECT name, version::text AS version, value FROM collector_state
WHERE kind = ${bind.text(kind)} ORDER BY name`,
        bind.parameters,
      );
      return rows.map(rowOf);
    },
    async write(kind, { name, version, value, keepUntilMs }) {
      const bind = bindings();
      const until = `to_timestamp(${bind.plain(String(keepUntilMs))}::float8 / 1000)`;
      await session.query(
        `INSERT INTO collector_state AS held (kind, name, version, value, keep_until)
VALUES (${bind.text(kind)}, ${bind.text(name)}, ${bind.plain(String(version))}::bigint,
    ${bind.text(value)}, ${until})
ON CONFLICT (kind, name) DO UPDATE SET version = excluded.version, value = excluded.value,
    keep_until = excluded.keep_until
WHERE held.version < excluded.version`,
        bind.parameters,
      );
      // A row of another kind can be past its time too, but one statement is enough for each write.
      const old = bindings();
      await session.query(
        `DELETE FROM collector_state WHERE kind = ${old.text(kind)} AND keep_until < now()`,
        old.parameters,
      );
    },
  };
}

function rowOf(row: PostgresRow): StateRow {
  return {
    name: fromStored(String(row["name"])),
    version: Number(row["version"]),
    value: fromStored(String(row["value"])),
  };
}
