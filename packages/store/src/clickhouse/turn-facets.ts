/**
 * @module TurnFacets: how many turns say which value, in ClickHouse. Fields of one text are counted
 * in one pass over the turns; a field of several values multiplies its rows, so each has its own.
 */
import { groupBy } from "@turnproof/semconv";

import { textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type { TurnFacet, TurnQuestion } from "../ledger/turn-question.ts";
import type { Engine } from "./connection.ts";
import { bindings } from "./sql-text.ts";
import { rowsOf, valueOf } from "./turn-figures.ts";
import { whereOf } from "./turn-where.ts";

/** The facets of some fields, in their order. */
export async function facetsOf(
  engine: Engine,
  question: TurnQuestion,
  fields: readonly (TextField | ListField)[],
  valuesMax: number,
): Promise<readonly TurnFacet[]> {
  const texts = fields.filter((field): field is TextField => !isListField(field));
  const lists = fields.filter((field): field is ListField => isListField(field));
  const found = await Promise.all([
    textFacets(engine, question, [...new Set(texts)], valuesMax),
    ...lists.map(async (field) => [await listFacet(engine, question, field, valuesMax)]),
  ]);
  const byField = new Map(found.flat().map((facet) => [facet.field, facet]));
  return fields.map((field) => byField.get(field) ?? { field, values: [], total: 0 });
}

async function textFacets(
  engine: Engine,
  question: TurnQuestion,
  fields: readonly TextField[],
  valuesMax: number,
): Promise<readonly TurnFacet[]> {
  if (fields.length === 0) return [];
  const bind = bindings();
  const each = (sql: (field: TextField) => string): string => fields.map(sql).join(", ");
  // `grouping` is 0 of the one field by which a row was grouped.
  const grouped = `SELECT indexOf([${each((field) => `grouping(${field})`)}], 0) AS place,
    [${each((field) => `toString(${field})`)}][place] AS value, count() AS turns
  FROM turn_ledger FINAL WHERE ${whereOf(question, bind)}
  GROUP BY GROUPING SETS (${each((field) => `(${field})`)})`;
  const answer = await engine.query(
    `SELECT toUInt32(place) AS field, toFloat64(total) AS total, toFloat64(-one.1) AS turns,
  one.2 AS value
FROM (SELECT place, count() AS total,
    groupArraySorted(${valuesMax})((-toInt64(turns), value)) AS top
  FROM (${grouped}) GROUP BY place)
ARRAY JOIN top AS one ORDER BY field, turns DESC, value ASC`,
    bind.parameters,
    question.signal,
  );
  const rows = groupBy(rowsOf(answer), (row) => Number(row["field"]) - 1);
  return fields.map((field, at) => facetOf(field, rows.get(at) ?? []));
}

async function listFacet(
  engine: Engine,
  question: TurnQuestion,
  field: ListField,
  valuesMax: number,
): Promise<TurnFacet> {
  const bind = bindings();
  const answer = await engine.query(
    `SELECT value, toFloat64(count()) AS turns, toFloat64(count() OVER ()) AS total
FROM (SELECT ${valueOf(field)} AS value FROM turn_ledger FINAL WHERE ${whereOf(question, bind)})
GROUP BY value ORDER BY turns DESC, value ASC LIMIT ${valuesMax}`,
    bind.parameters,
    question.signal,
  );
  return facetOf(field, rowsOf(answer));
}

function facetOf(
  field: TextField | ListField,
  rows: readonly Readonly<Record<string, unknown>>[],
): TurnFacet {
  return {
    field,
    values: rows.map((row) => ({ value: textOf(row["value"]), turns: Number(row["turns"]) })),
    total: Number(rows[0]?.["total"] ?? 0),
  };
}
