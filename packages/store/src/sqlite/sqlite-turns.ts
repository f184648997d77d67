/** @module SqliteTurns: the ledger's turns in a SQLite database; the reference is `memoryTurns`. */
import type { SqliteDatabase, SqliteStatement } from "./sqlite-database.ts";

import {
  listFields,
  numberFields,
  saidText,
  textFields,
  timeFields,
} from "../ledger/turn-fields.ts";
import type { NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";
import { placeOf } from "../ledger/turn-conditions.ts";
import type { TurnLedger, TurnWriter } from "../ledger/turn-question.ts";
import { compareVersions } from "../ledger/turn-record.ts";
import type { TurnRecord, TurnVersion } from "../ledger/turn-record.ts";
import { callsOf, facetOf, figuresOf } from "./turn-figures.ts";
import { turnColumns, turnTablesSql } from "./turn-schema.ts";
import { afterSql, orderSql, whereSql } from "./turn-sql.ts";
import { isoOfMicros } from "../time.ts";
import type { SqlValue } from "./sqlite-database.ts";

/** Turns in this database; makes the tables that are missing. */
export function sqliteTurns(database: SqliteDatabase): TurnLedger {
  for (const sql of turnTablesSql) database.exec(sql);
  const write = writerOf(database);
  return {
    answeredIn: "store",
    ...write,
    async turnsOf(roots) {
      const rows = database
        .prepare(
          `SELECT key, root_trace_id, epoch, rows, settled, first_received
           FROM turns JOIN turn_versions USING (key)
           WHERE root_trace_id IN (SELECT value FROM json_each(?))`,
        )
        .all(JSON.stringify(roots.filter((root) => root.isWellFormed())));
      return rows.map((row) => ({
        key: String(row["key"]),
        root_trace_id: String(row["root_trace_id"]),
        version: versionOf(row),
        first_received: isoOfMicros(Number(row["first_received"])),
      }));
    },
    async listTurns(question, { order, limit, after }) {
      question.signal?.throwIfAborted();
      const where = whereSql(question);
      const beyond = after === undefined ? { sql: "1", values: [] } : afterSql(order, after);
      const rows = database
        .prepare(
          `SELECT record FROM (SELECT id AS turn, row_number() OVER () AS nth FROM (
             SELECT id FROM turns WHERE (${where.sql}) AND (${beyond.sql})
             ORDER BY ${orderSql(order)} LIMIT ?)) JOIN turn_records ON id = turn ORDER BY nth`,
        )
        .all(...where.values, ...beyond.values, limit + 1) as { readonly record: string }[];
      const records = rows.slice(0, limit).map(({ record }) => JSON.parse(record) as TurnRecord);
      const last = records.at(-1);
      const more = rows.length > limit && last !== undefined;
      return { records, next: more ? placeOf(last, order) : null };
    },
    async countTurns(question) {
      question.signal?.throwIfAborted();
      const { sql, values } = whereSql(question);
      const row = database.prepare(`SELECT count(*) AS n FROM turns WHERE ${sql}`).get(...values);
      return Number(row?.["n"]);
    },
    async turnFacets(question, fields, valuesMax) {
      question.signal?.throwIfAborted();
      const where = whereSql(question);
      return fields.map((field) => facetOf(database, where, field, valuesMax));
    },
    async turnFigures(question, options) {
      question.signal?.throwIfAborted();
      return figuresOf(database, whereSql(question), options);
    },
    async callFigures(question, kind, by) {
      question.signal?.throwIfAborted();
      return callsOf(database, whereSql(question), { kind, by });
    },
  };
}

interface Statements {
  readonly version: SqliteStatement;
  readonly keep: SqliteStatement;
  readonly put: SqliteStatement;
  readonly value: SqliteStatement;
  readonly call: SqliteStatement;
  readonly record: SqliteStatement;
  readonly drop: readonly SqliteStatement[];
  readonly end: SqliteStatement;
}

function statementsOf(database: SqliteDatabase): Statements {
  const columns = ["key", "has_error", ...turnColumns];
  const marks = columns.map(() => "?").join(", ");
  return {
    version: database.prepare("SELECT epoch, rows, settled FROM turn_versions WHERE key = ?"),
    keep: database.prepare("INSERT OR REPLACE INTO turn_versions VALUES (?, ?, ?, ?)"),
    put: database.prepare(
      `INSERT INTO turns (${columns.join(", ")}) VALUES (${marks}) RETURNING id`,
    ),
    value: database.prepare("INSERT OR IGNORE INTO turn_values VALUES (?, ?, ?)"),
    call: database.prepare("INSERT INTO turn_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    record: database.prepare("INSERT INTO turn_records VALUES (?, ?)"),
    drop: [
      ["turn_values", "turn"],
      ["turn_calls", "turn"],
      ["turn_records", "id"],
    ].map(([table, column]) =>
      database.prepare(
        `DELETE FROM ${table} WHERE ${column} = (SELECT id FROM turns WHERE key = ?)`,
      ),
    ),
    end: database.prepare("DELETE FROM turns WHERE key = ?"),
  };
}

function writerOf(database: SqliteDatabase): TurnWriter {
  const statements = statementsOf(database);
  const together = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    try {
      work();
      database.exec("COMMIT");
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  };
  return {
    async putTurns(records) {
      together(() => {
        for (const record of records) put(statements, record);
      });
    },
    async dropTurns(gone) {
      together(() => {
        for (const { key, version } of gone) isNewest(statements, key, version);
      });
    },
  };
}

/** Makes room for a version; false where a newer one stands. */
function isNewest(statements: Statements, key: string, version: TurnVersion): boolean {
  const known = statements.version.get(key);
  if (known !== undefined && compare(known, version) > 0) return false;
  if (known !== undefined) for (const drop of statements.drop) drop.run(key);
  statements.end.run(key);
  statements.keep.run(key, version.epoch, version.rows, Number(version.settled));
  return true;
}

function compare(known: Record<string, unknown>, version: TurnVersion): number {
  return compareVersions(versionOf(known), version);
}

function versionOf({ epoch, rows, settled }: Record<string, unknown>): TurnVersion {
  return { epoch: Number(epoch), rows: Number(rows), settled: settled === 1 };
}

function put(statements: Statements, record: TurnRecord): void {
  const { key, version, row, calls } = record;
  if (!isNewest(statements, key, version)) return;
  const own: SqlValue[] = [key, Number(row.has_error)];
  for (const column of turnColumns) own.push(columnOf(record, column));
  const id = Number(statements.put.get(...own)?.["id"]);
  statements.record.run(id, JSON.stringify(record));
  for (const [field, read] of Object.entries(listFields)) {
    for (const value of read(record)) statements.value.run(field, value, id);
  }
  for (const [place, call] of calls.entries()) {
    statements.call.run(
      id,
      place,
      call.kind,
      saidText(call.name),
      saidText(call.provider),
      saidText(call.outcome),
      saidText(call.error_type),
      call.duration_ms,
      call.input_tokens,
      call.output_tokens,
      call.cached_tokens,
    );
  }
}

function columnOf(record: TurnRecord, column: TextField | NumberField | TimeField): SqlValue {
  if (Object.hasOwn(textFields, column)) return textFields[column as TextField](record);
  if (Object.hasOwn(timeFields, column)) return timeFields[column as TimeField](record);
  return numberFields[column as NumberField](record);
}
