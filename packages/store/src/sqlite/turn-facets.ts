/** @module TurnFacets: the values of fields with their counts, all fields in one index scan. */
import { textOf } from "../ledger/figure-rows.ts";
import { facetOf } from "../ledger/turn-sums.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type { TurnFacet } from "../ledger/turn-query.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import type { SqliteDatabase, SqlRow } from "./sqlite-database.ts";
import { isCounted, emptyListSql, valuesSql } from "./turn-schema.ts";
import type { SqlPart } from "./turn-sql.ts";

type Field = TextField | ListField;

/** Facets of some fields. @param fewTurns up to this many turns are read and counted here */
export function facetsOf(
  database: SqliteDatabase,
  where: SqlPart,
  {
    fields,
    valuesMax,
    fewTurns,
  }: {
    readonly fields: readonly Field[];
    readonly valuesMax: number;
    readonly fewTurns: number;
  },
): readonly TurnFacet[] {
  const few = recordsOfFew(database, where, fewTurns);
  if (few !== undefined) return fields.map((field) => facetOf(few, field, valuesMax));
  const counted = countedFacets(database, where, fields.filter(isCounted), valuesMax);
  return fields.map((field) => counted.get(field) ?? plainFacet(database, where, field, valuesMax));
}

/** The matching turns, if they are few; for more the index of values is scanned. */
function recordsOfFew(
  database: SqliteDatabase,
  where: SqlPart,
  most: number,
): readonly TurnRecord[] | undefined {
  const rows = database.prepare(
    `SELECT record FROM turn_records WHERE id IN
         (SELECT id FROM turns WHERE ${where.sql} LIMIT ?)`,
  );
  const found = database
    .prepare(`SELECT count(*) AS n FROM (SELECT 1 FROM turns WHERE ${where.sql} LIMIT ?)`)
    .get(...where.values, most + 1);
  if (Number(found?.["n"]) > most) return undefined;
  return rows
    .all(...where.values, most)
    .map(({ record }) => JSON.parse(String(record)) as TurnRecord);
}

function countedFacets(
  database: SqliteDatabase,
  where: SqlPart,
  fields: readonly Field[],
  valuesMax: number,
): ReadonlyMap<Field, TurnFacet> {
  if (fields.length === 0) return new Map();
  const marks = fields.map(() => "?").join(", ");
  const requested = where.sql === "1" ? "1" : `turn IN (SELECT id FROM turns WHERE ${where.sql})`;
  const rows = database
    .prepare(
      `SELECT field, value, turns, total, stated FROM (
         SELECT field, value, turns, count(*) OVER (PARTITION BY field) AS total,
           sum(turns) OVER (PARTITION BY field) AS stated,
           row_number() OVER (PARTITION BY field ORDER BY turns DESC, value ASC) AS nth
         FROM (SELECT field, value, count(*) AS turns FROM ${valuesSql(fields)}
           WHERE field IN (${marks}) AND ${requested} GROUP BY field, value))
       WHERE nth <= ? ORDER BY nth`,
    )
    .all(...fields, ...where.values, valuesMax);
  const empty = countEmpty(database, where, fields);
  return new Map(
    fields.map((field) => {
      const own = rows.filter((row) => row["field"] === field);
      const stated = Number(own[0]?.["stated"] ?? 0);
      const none = isListField(field) ? Number(empty[field]) : Number(empty["turns"]) - stated;
      return [field, facetWith(field, own, none, valuesMax)] as const;
    }),
  );
}

/** Number of matching turns, and of those without a value of each list. */
function countEmpty(database: SqliteDatabase, where: SqlPart, fields: readonly Field[]): SqlRow {
  const sums = fields
    .filter(isListField)
    .map((field) => `coalesce(sum(${emptyListSql(field)}), 0) AS ${field}`);
  const columns = ["count(*) AS turns", ...sums].join(", ");
  const row = database
    .prepare(`SELECT ${columns} FROM turns WHERE ${where.sql}`)
    .get(...where.values);
  return row ?? {};
}

/** A facet with the turns without a value, which come before values with the same count. */
function facetWith(
  field: Field,
  rows: readonly SqlRow[],
  none: number,
  valuesMax: number,
): TurnFacet {
  const stated = rows.map((row) => ({ value: String(row["value"]), turns: Number(row["turns"]) }));
  const total = Number(rows[0]?.["total"] ?? 0);
  if (none === 0) return { field, values: stated, total };
  const before = stated.filter(({ turns }) => turns > none);
  const values = [...before, { value: null, turns: none }, ...stated.slice(before.length)];
  return { field, values: values.slice(0, valuesMax), total: total + 1 };
}

/** Values of a field that has almost as many as there are turns. */
function plainFacet(
  database: SqliteDatabase,
  where: SqlPart,
  field: Field,
  valuesMax: number,
): TurnFacet {
  const rows = database
    .prepare(
      `SELECT value, turns, count(*) OVER () AS total FROM
         (SELECT ${field} AS value, count(*) AS turns FROM turns WHERE ${where.sql} GROUP BY 1)
       ORDER BY turns DESC, value ASC LIMIT ?`,
    )
    .all(...where.values, valuesMax);
  return {
    field,
    values: rows.map(({ value, turns }) => ({
      value: textOf(value),
      turns: Number(turns),
    })),
    total: Number(rows[0]?.["total"] ?? 0),
  };
}
