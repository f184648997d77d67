/** @module GrafanaMacros: what Grafana and its ClickHouse plugin make of a query and of a link. */
import { expect } from "vitest";

/** The day of the demo data. */
export const day = "2026-11-21";

/** The macros of the data source, as its documentation expands them. */
export function expanded(sql: string, chosen: Chosen = {}, on: string = day): string {
  const from = `toDateTime64('${on} 00:00:00', 3, 'UTC')`;
  const to = `toDateTime64('${on} 23:59:59', 3, 'UTC')`;
  const text = withConditions(sql, chosen)
    .replaceAll(/\$\{(\w+):singlequote\}/g, (_, name: string) => quoted(valuesOf(chosen, name)))
    .replaceAll("$__fromTime", from)
    .replace(/\$__timeFilter\(((?:[^()]|\([^()]*\))*)\)/g, `$1 >= ${from} AND $1 <= ${to}`)
    .replace(
      /\$__timeInterval\(([^()]*)\)/g,
      "toStartOfInterval(toDateTime($1), INTERVAL 60 second)",
    );
  expect(text).not.toContain("$");
  return text;
}

/** Chosen of a variable for what has no name, as it is shown; its value is no hexadecimal text. */
export const notRecorded = "not recorded";

/** Names that are chosen of variables; one that is absent has every value. */
export type Chosen = Readonly<Record<string, string | readonly string[]>>;

const valuesOf = (chosen: Chosen, name: string): readonly string[] =>
  [chosen[name] ?? "$__all"].flat().map((one) => (one.startsWith("$__") ? one : idOf(one)));

/** The value of a variable for a name: the first column of the variable's query, shown is the second. */
export const idOf = (name: string): string =>
  name === notRecorded ? "none" : Buffer.from(name).toString("hex").toUpperCase();

/** The format `singlequote` of Grafana: an apostrophe is escaped, a backslash is not. */
const quoted = (values: readonly string[]): string =>
  values.map((value) => `'${value.replaceAll("'", "\\'")}'`).join(",");

/**
 * The macro of a condition as the plugin expands it in the browser, before any variable: the last
 * one first, two arguments that a comma in one pair of parentheses divides, and the condition as
 * the replacement of `String.replace`. True for all values, and for none.
 */
function withConditions(sql: string, chosen: Chosen): string {
  const macro = "$__conditionalAll(";
  let text = sql;
  for (let at = text.lastIndexOf(macro); at !== -1; at = text.lastIndexOf(macro)) {
    const parameters = argumentsAt(text, at + macro.length);
    const [condition = "", variable = ""] = parameters;
    expect([variable, parameters]).toEqual([expect.stringMatching(/^ \$\w+$/), expect.any(Array)]);
    expect(parameters).toHaveLength(2);
    const value = String(valuesOf(chosen, variable.trim().slice(1)));
    const kept = value === "" || value === "$__all" ? "1=1" : condition;
    text = text.replace(`${macro}${condition},${variable})`, kept);
  }
  return text;
}

/** The arguments from there to the parenthesis that closes them. */
function argumentsAt(text: string, from: number): readonly string[] {
  const found: string[] = [];
  let depth = 1;
  let start = from;
  for (let at = from; at < text.length; at += 1) {
    const sign = text[at];
    if (sign === "(") depth += 1;
    if (sign === ")") depth -= 1;
    if ((sign === "," && depth === 1) || depth === 0) {
      found.push(text.slice(start, at));
      start = at + 1;
    }
    if (depth === 0) return found;
  }
  return [];
}

/** True for a link to one turn. */
export const isTurn = (link: string): boolean => link.startsWith("${collector}/traces/$");

/** Addresses of a panel's links. */
export function linksOf(panel: object): readonly string[] {
  return [...JSON.stringify(panel).matchAll(/"url":"([^"]+)"/g)].map(([, url = ""]) => url);
}

/** A link of a row. Grafana writes a value with its format, without one as a part of a whole URI. */
export function hrefOf(link: string, row: Readonly<Record<string, unknown>>): string {
  return link
    .replace("${collector}", "")
    .replaceAll(/\$\{__data\.fields\.(\w+)(:percentencode)?\}/g, (_, field: string, format) => {
      expect(Object.keys(row)).toContain(field);
      const value = String(row[field]);
      return format === undefined ? encodeURI(value) : encodeURIComponent(value);
    });
}

/** A row whose values are of signs that divide an address. */
export const oddValues = (row: Readonly<Record<string, unknown>>): Record<string, string> =>
  Object.fromEntries(Object.keys(row).map((name) => [name, "a/b?c=d&e#f"]));
