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
  // How often rows of a root were deleted, by a hash of it: a root that went is not named any more.
  `CREATE TABLE IF NOT EXISTS root_epochs (
    root INTEGER PRIMARY KEY, epoch INTEGER NOT NULL
  ) STRICT`,
  // What stands under a key, or stood there when the turn was taken away.
  `CREATE TABLE IF NOT EXISTS turn_versions (
    key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, rows INTEGER NOT NULL, settled INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  // Narrow: what counts turns reads every row, and a record is ten times as wide.
  `CREATE TABLE IF NOT EXISTS turns (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, has_error INTEGER NOT NULL,
    ${texts.map((name) => `${name} TEXT`).join(", ")},
    ${numbers.map((name) => `${name} REAL`).join(", ")},
    ${times.map((name) => `${name} INTEGER`).join(", ")}
  ) STRICT`,
  ...["first_received", "ended_at", "duration_ms", "root_trace_id", "thread_id", "tenant"].map(
    (name) => `CREATE INDEX IF NOT EXISTS turns_${name} ON turns (${name}, key)`,
  ),
  "CREATE TABLE IF NOT EXISTS turn_records (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT",
  `CREATE TABLE IF NOT EXISTS turn_values (
    field TEXT NOT NULL, value TEXT NOT NULL, turn INTEGER NOT NULL,
    PRIMARY KEY (field, value, turn)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS turn_values_turn ON turn_values (turn, field)`,
  `CREATE TABLE IF NOT EXISTS turn_calls (
    turn INTEGER NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT, provider TEXT,
    outcome TEXT, error_type TEXT, duration_ms REAL, input_tokens REAL, output_tokens REAL,
    cached_tokens REAL, PRIMARY KEY (turn, place)
  ) STRICT, WITHOUT ROWID`,
];
