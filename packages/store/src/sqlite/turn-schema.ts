/** @module TurnSchema: the tables of turns in SQLite, derived from the table of fields. */
import { numberFields, textFields, timeFields } from "../ledger/turn-fields.ts";
import type { NumberField, TextField, TimeField } from "../ledger/turn-fields.ts";

const texts = Object.keys(textFields) as readonly TextField[];
const numbers = Object.keys(numberFields) as readonly NumberField[];
const times = Object.keys(timeFields) as readonly TimeField[];

/** Columns of a turn's row, in the order of {@link turnColumnsSql}. */
export const turnColumns: readonly (TextField | NumberField | TimeField)[] = [
  ...texts,
  ...numbers,
  ...times,
];

/** Statements that make the tables, each of which may be run again. */
export const turnTablesSql: readonly string[] = [
  // What stands under a key, or stood there when the turn was taken away.
  `CREATE TABLE IF NOT EXISTS turn_versions (
    key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, rows INTEGER NOT NULL, settled INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS turns (
    key TEXT PRIMARY KEY, has_error INTEGER NOT NULL, ${texts.map((name) => `${name} TEXT`).join(", ")},
    ${numbers.map((name) => `${name} REAL`).join(", ")},
    ${times.map((name) => `${name} INTEGER`).join(", ")}, record TEXT NOT NULL
  ) STRICT`,
  ...["first_received", "ended_at", "root_trace_id", "thread_id", "tenant"].map(
    (name) => `CREATE INDEX IF NOT EXISTS turns_${name} ON turns (${name}, key)`,
  ),
  `CREATE TABLE IF NOT EXISTS turn_values (
    field TEXT NOT NULL, value TEXT NOT NULL, key TEXT NOT NULL, PRIMARY KEY (field, value, key)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS turn_values_key ON turn_values (key, field)`,
  `CREATE TABLE IF NOT EXISTS turn_calls (
    key TEXT NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT, provider TEXT,
    outcome TEXT, error_type TEXT, duration_ms REAL, input_tokens REAL, output_tokens REAL,
    cached_tokens REAL, PRIMARY KEY (key, place)
  ) STRICT, WITHOUT ROWID`,
];
