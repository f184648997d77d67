/** @module PostgresShared: shared kinds, which have no tenant by design (Scope hierarchy 5). */
import { CodedError } from "@turnproof/semconv";
import type { SharedKind } from "@turnproof/semconv";

import { checkSharedKind, sharedRecordOf } from "../memory/record-rules.ts";
import { firstPageOf } from "../memory/row-page.ts";
import type { SharedRecord, SharedStore } from "../memory-store.ts";
import type { Session } from "./database.ts";
import { idSql } from "./memory-condition.ts";
import { sharedColumns, sharedRecord, sharedValues } from "./memory-row.ts";
import { updates } from "./memory-key.ts";
import { afterSql } from "./postgres-memory.ts";
import { bindings, tableOf } from "./sql-text.ts";

/** Shared kinds over the tables. */
export function postgresShared(session: Session, clock: () => string): SharedStore {
  const get = async (kind: SharedKind, id: string): Promise<SharedRecord | undefined> => {
    checkSharedKind(kind);
    const bind = bindings();
    const { rows } = await session.query(
      `SELECT ${sharedColumns} FROM ${tableOf(kind)} WHERE ${idSql(id, bind)}`,
      bind.parameters,
    );
    return rows[0] === undefined ? undefined : sharedRecord(rows[0], kind);
  };
  return {
    async put(kind, draft) {
      checkSharedKind(kind);
      const record = sharedRecordOf(kind, draft, { now: clock(), version: 1 });
      const bind = bindings();
      const values = sharedValues(record, bind);
      const { rows } = await session.query(
        `INSERT INTO ${tableOf(kind)} AS held (${values.map(([name]) => name).join(", ")})
VALUES (${values.map(([, value]) => value).join(", ")})
ON CONFLICT (md5(id)) DO UPDATE SET ${updates(values)}, version = held.version + 1
WHERE held.id = excluded.id
RETURNING version::text AS version`,
        bind.parameters,
      );
      const version = rows[0]?.["version"];
      if (version === undefined) throw new CodedError("record_invalid", { field: "id" });
      return { ...record, version: Number(version) };
    },
    get,
    async list(kind, options) {
      checkSharedKind(kind);
      const bind = bindings();
      const after = options.after === undefined ? "true" : afterSql(options.after, bind);
      const { rows } = await session.query(
        `SELECT ${sharedColumns} FROM ${tableOf(kind)} WHERE ${after}
ORDER BY created_key DESC, id LIMIT ${Math.max(Math.trunc(options.limit), 0) + 1}`,
        bind.parameters,
      );
      return firstPageOf(
        rows.map((row) => sharedRecord(row, kind)),
        options.limit,
      );
    },
    async update(kind, id, version, data) {
      const row = await get(kind, id);
      if (row?.version !== version) throw new CodedError("store_conflict");
      const written = { now: clock(), version: version + 1 };
      const record = sharedRecordOf(kind, { ...row, data }, written);
      const bind = bindings();
      const set = sharedValues(record, bind).map(([name, value]) => `${name} = ${value}`);
      const { changed } = await session.query(
        `UPDATE ${tableOf(kind)} SET ${set.join(", ")}, version = version + 1
WHERE ${idSql(id, bind)} AND version = ${bind.plain(String(version))}::bigint`,
        bind.parameters,
      );
      if (changed !== 1) throw new CodedError("store_conflict");
      return record;
    },
    async delete(kind, id) {
      checkSharedKind(kind);
      const bind = bindings();
      const sql = `DELETE FROM ${tableOf(kind)} WHERE ${idSql(id, bind)}`;
      return (await session.query(sql, bind.parameters)).changed > 0;
    },
  };
}
