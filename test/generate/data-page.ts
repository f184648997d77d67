/**
 * @module Data page: the columns of `events`, `turns` and `calls` between markers in
 * docs/operate/data.md, made from the tables of the store.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { eventColumns } from "../../packages/store/src/tables/event-columns.ts";
import type { ColumnType } from "../../packages/store/src/tables/table-column.ts";
import { callTable, turnTable } from "../../packages/store/src/tables/turn-table.ts";

/** The page. */
export const dataPageFile: string = fileURLToPath(
  new URL("../../docs/operate/data.md", import.meta.url),
);

const types: Readonly<Record<ColumnType, string>> = {
  text: "text",
  integer: "64-bit integer",
  number: "64-bit float",
  flag: "boolean",
  time: "timestamp, UTC",
  texts: "list of texts",
  json: "JSON as text; in JSON lines the object or list",
};

const tables = { events: eventColumns, turns: turnTable, calls: callTable } as const;

/** The page with the columns as they are now. */
export function dataPage(): string {
  const [begin, end] = ["<!-- generated: tables -->", "<!-- end: tables -->"];
  const text = readFileSync(dataPageFile, "utf8");
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error("the page has no place for the tables");
  const body = Object.entries(tables).flatMap(([name, columns]) => [
    `### ${name}\n`,
    "| Column | Type | Holds |\n|---|---|---|",
    ...columns.map(
      (one) => `| \`${one.name}\` | ${types[one.type]} | ${one.brief.replaceAll("|", "\\|")} |`,
    ),
    "",
  ]);
  return `${text.slice(0, from + begin.length)}\n\n${body.join("\n")}\n${text.slice(to)}`;
}
