/** @module TurnSchema: the tables of turns in SQLite, derived from the table of fields. */
import {
  isListField,
  listFields,
  numberFields,
  ownLists,
  storedTimeNames,
  textFields,
} from "../ledger/turn-fields.ts";
import type {
  ListField,
  NumberField,
  StoredTime,
  TextField,
  TimeField,
} from "../ledger/turn-fields.ts";
import { contractPrefix } from "../ledger/turn-record.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";

const texts = Object.keys(textFields) as readonly TextField[];
const numbers = Object.keys(numberFields) as readonly NumberField[];

/** Columns of a turn's row, summed ones first: a row is read up to its last used column. */
export const turnColumns: readonly (TextField | NumberField | StoredTime)[] = [
  ...numbers,
  ...storedTimeNames,
  ...texts,
];

/** Text fields with few distinct values, which are counted in index order like those of lists. */
const countedTexts: ReadonlySet<string> = new Set<TextField>([
  "application_id",
  "agent_id",
  "tenant",
  "memory_id",
  "status",
  "verdict",
  "cache_decision",
  "timing_state",
  "usage_state",
]);

/** True for a field whose values are in `turn_values`. */
export function isCounted(field: TextField | ListField): boolean {
  return isListField(field) || countedTexts.has(field);
}

/** The values of a turn by field, as stored in `turn_values`. */
export function countedValues(
  record: TurnRecord,
): readonly (readonly [field: string, value: string])[] {
  const stated = texts
    .filter(isCounted)
    .map((field) => [field, textFields[field](record)] as const)
    .filter((one): one is readonly [TextField, string] => one[1] !== null);
  const listed = ownLists.flatMap((field) =>
    listFields[field](record).map((value) => [field, value] as const),
  );
  return [...stated, ...listed];
}

/** A bit for every list without a value in the turn. */
export function emptyListBits(record: TurnRecord): number {
  return ownLists.reduce(
    (bits, field, at) => (listFields[field](record).length === 0 ? bits + 2 ** at : bits),
    0,
  );
}

/** Marks the turns of an older version as ones without reasons, which they do not record. */
export const reasonlessSql: string = `UPDATE turns SET unsaid = unsaid | ${reasonBit()}`;

function reasonBit(): number {
  return 2 ** ownLists.indexOf("reason");
}

/** SQL that is true for a turn without a value of a list. */
export function emptyListSql(field: ListField): string {
  if (field === "contract") {
    return `(turns.id NOT IN (SELECT turn FROM ${valuesSql([field])} WHERE field = '${field}'))`;
  }
  return `(turns.unsaid >> ${ownLists.indexOf(field)} & 1)`;
}

/**
 * SQL of a table of values by field, in which these fields are. Results of contracts are stored
 * among the names only.
 */
export function valuesSql(fields: readonly (TextField | ListField)[]): string {
  if (!fields.includes("contract")) return "turn_values";
  return `(SELECT field, value, turn FROM turn_values
    UNION ALL SELECT 'contract', substr(value, ${contractPrefix.length + 1}), turn FROM turn_values
    WHERE field = 'name' AND value >= '${contractPrefix}' AND value < '${contractPrefix.slice(0, -1)};'
      AND instr(value, '@') = 0)`;
}

/** SQL of a turn's time or number; a time that follows from others has no column. */
export function timeOrNumberSql(field: TimeField | NumberField): string {
  return field === "own_time" ? "min(ended_at, coalesce(received_at, ended_at))" : field;
}

/** Statements that create the tables; each may be run again. */
export const turnTablesSql: readonly string[] = [
  // Number of deletions in a root, by its hash: a deleted root is not named any more.
  `CREATE TABLE IF NOT EXISTS root_epochs (
    root INTEGER PRIMARY KEY, epoch INTEGER NOT NULL
  ) STRICT`,
  // The current version of a key, or the last one of a deleted turn.
  `CREATE TABLE IF NOT EXISTS turn_versions (
    key TEXT PRIMARY KEY, epoch INTEGER NOT NULL, rows INTEGER NOT NULL, settled INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID`,
  // Narrow: a count reads every row, and a record is ten times as wide.
  `CREATE TABLE IF NOT EXISTS turns (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, has_error INTEGER NOT NULL,
    unsaid INTEGER NOT NULL,
    ${numbers.map((name) => `${name} REAL`).join(", ")},
    ${storedTimeNames.map((name) => `${name} INTEGER`).join(", ")},
    ${texts.map((name) => `${name} TEXT`).join(", ")}
  ) STRICT`,
  ...[
    "first_received",
    "received_at",
    "ended_at",
    "duration_ms",
    "root_trace_id",
    "thread_id",
    "tenant",
  ].map((name) => `CREATE INDEX IF NOT EXISTS turns_${name} ON turns (${name}, key)`),
  `CREATE INDEX IF NOT EXISTS turns_own_time ON turns (${timeOrNumberSql("own_time")}, key)`,
  "CREATE TABLE IF NOT EXISTS turn_records (id INTEGER PRIMARY KEY, record TEXT NOT NULL) STRICT",
  `CREATE TABLE IF NOT EXISTS turn_values (
    field TEXT NOT NULL, value TEXT NOT NULL, turn INTEGER NOT NULL,
    PRIMARY KEY (field, value, turn)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS turn_calls (
    turn INTEGER NOT NULL, place INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT, provider TEXT,
    outcome TEXT, error_type TEXT, duration_ms REAL, input_tokens REAL, output_tokens REAL,
    cached_tokens REAL, PRIMARY KEY (turn, place)
  ) STRICT, WITHOUT ROWID`,
];
