/**
 * @module TurnViews: the views `turns`, one row for each turn of the ledger, and `calls`, one row
 * for each of its calls of models, tools and agents. An unknown text is empty, an unknown number
 * NULL.
 */
import { callFields, callTable, repeatedFields, turnTable } from "../tables/turn-table.ts";

/** A view, and a comment for each documented column. */
export interface SqlView {
  readonly name: string;
  readonly query: string;
  readonly comments: readonly (readonly [column: string, comment: string])[];
}

/** The column of the ledger behind a column of `turns`. */
function ledgerColumn(name: string): string {
  return name === "turn_key" ? "key AS turn_key" : name;
}

const briefsOf = (
  table: readonly { readonly name: string; readonly brief: string }[],
): SqlView["comments"] => table.map(({ name, brief }) => [name, brief]);

/** The view of turns: the newest version of each. */
export function turnsView(): SqlView {
  const columns = turnTable.map(({ name }) => `    ${ledgerColumn(name)}`);
  const query = `SELECT\n${columns.join(",\n")}\nFROM turn_ledger FINAL`;
  return { name: "turns", query, comments: briefsOf(turnTable) };
}

/** The view of calls. */
export function callsView(): SqlView {
  const columns = [
    "key AS turn_key",
    "toInt64(place) AS position",
    ...repeatedFields,
    ...callFields,
  ];
  const query = `SELECT
    ${columns.join(",\n    ")}
FROM (
    SELECT key, ${repeatedFields.join(", ")},
        arrayEnumerate(call_kind) AS place_list,
        ${callFields.map((name) => `${name} AS ${name}_list`).join(", ")}
    FROM turn_ledger FINAL
) ARRAY JOIN place_list AS place,
    ${callFields.map((name) => `${name}_list AS ${name}`).join(", ")}`;
  return { name: "calls", query, comments: briefsOf(callTable) };
}
