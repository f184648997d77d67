/**
 * @module TurnFacets: turn counts by value in ClickHouse, in one statement, because `FINAL` costs
 * as much as counting. Turns with equal lists are counted first, and their values after: there are
 * far fewer lists than turns.
 */
import { groupBy } from "@turnproof/semconv";

import { textOf } from "../ledger/figure-rows.ts";
import { isListField } from "../ledger/turn-fields.ts";
import type { ListField, TextField } from "../ledger/turn-fields.ts";
import type { TurnFacet, TurnQuery } from "../ledger/turn-query.ts";
import type { Engine } from "./engine.ts";
import { bindings } from "./sql-text.ts";
import { columnOfSet } from "./turn-columns.ts";
import { rowsOf } from "./turn-figures.ts";
import { whereOf } from "./turn-where.ts";

/** The facets of some fields, in their order. */
export async function facetsOf(
  engine: Engine,
  query: TurnQuery,
  fields: readonly (TextField | ListField)[],
  valuesMax: number,
): Promise<readonly TurnFacet[]> {
  if (fields.length === 0) return [];
  const once = [...new Set(fields)];
  const bind = bindings();
  const columns = once.map((field) => (isListField(field) ? columnOfSet(field) : field));
  const each = (sql: (column: string) => string): string => columns.map(sql).join(", ");
  // `grouping` is 0 for the column by which a row was grouped.
  const grouped = `SELECT indexOf([${each((column) => `grouping(${column})`)}], 0) AS place,
    [${each((column) => `toString(${column})`)}][place] AS text, count() AS alike
  FROM turn_ledger FINAL WHERE ${whereOf(query, bind)}
  GROUP BY GROUPING SETS (${each((column) => `(${column})`)})`;
  const answer = await engine.query(
    `SELECT toUInt32(place) AS field, toFloat64(total) AS total, toFloat64(-one.1) AS turns,
  one.2 AS value
FROM (SELECT place, count() AS total, groupArraySorted(${valuesMax})((-turns, value)) AS top
  FROM (SELECT place, value, toInt64(sum(alike)) AS turns FROM (${grouped})
    ARRAY JOIN ${valuesSql(once)} AS value GROUP BY place, value) GROUP BY place)
ARRAY JOIN top AS one ORDER BY field, turns DESC, value ASC`,
    bind.parameters,
    query.signal,
  );
  const rows = groupBy(rowsOf(answer), (row) => Number(row["field"]) - 1);
  const byField = new Map(once.map((field, at) => [field, facetOf(field, rows.get(at) ?? [])]));
  return fields.map((field) => byField.get(field) ?? { field, values: [], total: 0 });
}

/** The values of a text: itself, or those of a list, where an empty one has none. */
function valuesSql(fields: readonly (TextField | ListField)[]): string {
  const places = fields.flatMap((field, at) => (isListField(field) ? [at + 1] : []));
  if (places.length === 0) return "[text]";
  const values = "if(text IN ('', '[]'), [''], JSONExtract(text, 'Array(String)'))";
  return `if(place IN (${places.join(", ")}), ${values}, [text])`;
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
