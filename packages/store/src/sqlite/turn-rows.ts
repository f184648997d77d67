/** @module TurnRows: writes and deletes the rows of a turn inside a transaction. */
import type { SqliteDatabase, SqliteStatement, SqlValue } from "./sqlite-database.ts";

import { numberFields, statedText, textFields, timeFields } from "../ledger/turn-fields.ts";
import type { NumberField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import { compareVersions } from "../ledger/turn-record.ts";
import type { TurnRecord, TurnVersion } from "../ledger/turn-record.ts";
import { rootEpochs } from "./root-epochs.ts";
import { countedValues, turnColumns, emptyListBits } from "./turn-schema.ts";

/** Writes of single turns; the newest version of each key wins. */
export interface TurnRows {
  put(record: TurnRecord): void;
  drop(key: string, version: TurnVersion): void;
  /** Replaces all turns of a root with these records; first receipts are unchanged. */
  replaceRoot(root: string, version: TurnVersion, records: readonly TurnRecord[]): void;
}

/** The rows of a database that has the tables. */
export function turnRows(database: SqliteDatabase): TurnRows {
  const statements = statementsOf(database);
  const epochs = rootEpochs(database);
  return {
    put(record) {
      // The writer of this row read rows that were deleted since.
      const { root_trace_id: root = "" } = record.row;
      if (epochs.of(root) <= record.version.epoch) put(statements, record);
    },
    drop: (key, version) => drop(statements, key, version),
    replaceRoot(root, version, records) {
      const known = new Map(
        statements.ofRoot
          .all(root)
          .map(({ record }) => JSON.parse(String(record)) as TurnRecord)
          .map(({ key, first_received: at }) => [key, at] as const),
      );
      for (const key of known.keys()) drop(statements, key, version);
      for (const record of records) {
        put(statements, {
          ...record,
          first_received: known.get(record.key) ?? record.first_received,
        });
      }
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
  readonly held: SqliteStatement;
  readonly ofRoot: SqliteStatement;
  readonly endValue: SqliteStatement;
  readonly endCalls: SqliteStatement;
  readonly ends: readonly SqliteStatement[];
}

function statementsOf(database: SqliteDatabase): Statements {
  const columns = ["key", "has_error", "unsaid", ...turnColumns];
  const marks = columns.map(() => "?").join(", ");
  const again = columns.slice(1).map((name) => `${name} = excluded.${name}`);
  return {
    version: database.prepare("SELECT epoch, rows, settled FROM turn_versions WHERE key = ?"),
    keep: database.prepare("INSERT OR REPLACE INTO turn_versions VALUES (?, ?, ?, ?)"),
    put: database.prepare(
      `INSERT INTO turns (${columns.join(", ")}) VALUES (${marks})
       ON CONFLICT (key) DO UPDATE SET ${again.join(", ")} RETURNING id`,
    ),
    value: database.prepare("INSERT OR IGNORE INTO turn_values VALUES (?, ?, ?)"),
    call: database.prepare("INSERT INTO turn_calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"),
    record: database.prepare("INSERT OR REPLACE INTO turn_records VALUES (?, ?)"),
    held: database.prepare(
      "SELECT id, record FROM turn_records WHERE id = (SELECT id FROM turns WHERE key = ?)",
    ),
    ofRoot: database.prepare(
      "SELECT record FROM turn_records JOIN turns USING (id) WHERE root_trace_id = ?",
    ),
    endValue: database.prepare(
      "DELETE FROM turn_values WHERE field = ? AND value = ? AND turn = ?",
    ),
    endCalls: database.prepare("DELETE FROM turn_calls WHERE turn = ?"),
    ends: ["turn_records", "turns"].map((table) =>
      database.prepare(`DELETE FROM ${table} WHERE id = ?`),
    ),
  };
}

/** Records a version; false where a newer one exists. */
function isNewest(statements: Statements, key: string, version: TurnVersion): boolean {
  const known = statements.version.get(key);
  if (known !== undefined && compareVersions(versionOf(known), version) > 0) return false;
  statements.keep.run(key, version.epoch, version.rows, Number(version.settled));
  return true;
}

interface StoredTurn {
  readonly id: number;
  readonly record: TurnRecord;
}

function heldOf(statements: Statements, key: string): StoredTurn | undefined {
  const row = statements.held.get(key);
  if (row === undefined) return undefined;
  return { id: Number(row["id"]), record: JSON.parse(String(row["record"])) as TurnRecord };
}

function drop(statements: Statements, key: string, version: TurnVersion): void {
  if (!isNewest(statements, key, version)) return;
  const held = heldOf(statements, key);
  if (held === undefined) return;
  for (const [field, value] of countedValues(held.record)) {
    statements.endValue.run(field, value, held.id);
  }
  statements.endCalls.run(held.id);
  for (const end of statements.ends) end.run(held.id);
}

/** The version of a row that has one. */
export function versionOf({
  epoch,
  rows,
  settled,
}: Readonly<Record<string, unknown>>): TurnVersion {
  return { epoch: Number(epoch), rows: Number(rows), settled: settled === 1 };
}

function put(statements: Statements, record: TurnRecord): void {
  const { key, version, row } = record;
  if (!isNewest(statements, key, version)) return;
  const before = heldOf(statements, key)?.record;
  const own: SqlValue[] = [key, Number(row.has_error), emptyListBits(record)];
  for (const column of turnColumns) own.push(columnOf(record, column));
  const id = Number(statements.put.get(...own)?.["id"]);
  statements.record.run(id, JSON.stringify(record));
  putValues(statements, id, before, record);
  // Most turns are settled as they were recorded.
  if (before !== undefined) {
    if (JSON.stringify(before.calls) === JSON.stringify(record.calls)) return;
    statements.endCalls.run(id);
  }
  putCalls(statements, id, record);
}

function putValues(
  statements: Statements,
  id: number,
  before: TurnRecord | undefined,
  record: TurnRecord,
): void {
  const gone = new Map(
    (before === undefined ? [] : countedValues(before)).map((one) => [JSON.stringify(one), one]),
  );
  for (const one of countedValues(record)) {
    if (!gone.delete(JSON.stringify(one))) statements.value.run(...one, id);
  }
  for (const one of gone.values()) statements.endValue.run(...one, id);
}

function putCalls(statements: Statements, id: number, { calls }: TurnRecord): void {
  for (const [place, call] of calls.entries()) {
    statements.call.run(
      id,
      place,
      call.kind,
      statedText(call.name),
      statedText(call.provider),
      statedText(call.outcome),
      statedText(call.error_type),
      call.duration_ms,
      call.input_tokens,
      call.output_tokens,
      call.cached_tokens,
    );
  }
}

function columnOf(record: TurnRecord, column: TextField | NumberField | StoredTime): SqlValue {
  if (Object.hasOwn(textFields, column)) return textFields[column as TextField](record);
  if (Object.hasOwn(timeFields, column)) return timeFields[column as StoredTime](record);
  return numberFields[column as NumberField](record);
}
