/** @module GrafanaMacros: what Grafana and its ClickHouse plugin make of a query and of a link. */
import { expect } from "vitest";

/** The day of the demo data. */
export const day = "2026-11-21";

/** The macros of the data source, as its documentation expands them. */
export function expanded(sql: string, chosen: Chosen = {}, on: string = day): string {
  return expandedRaw(sql, (name) => valuesOf(chosen, name), on);
}

/** Values of a variable as Grafana has them: a text, or a list where the variable has several. */
export type RawValues = (name: string) => string | readonly string[];

/** The same with values of an address, which may be no value of the variable's list. */
export function expandedRaw(sql: string, valuesFor: RawValues, on: string = day): string {
  const from = `toDateTime64('${on} 00:00:00', 3, 'UTC')`;
  const to = `toDateTime64('${on} 23:59:59', 3, 'UTC')`;
  const text = withConditions(sql, valuesFor)
    .replaceAll(variableForm, (_, name: string, format: string) =>
      formatted(valuesFor(name), format),
    )
    .replaceAll("$__fromTime", from)
    .replaceAll("$__toTime", to)
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

/**
 * The value of a variable for a name: the first column of the variable's query, shown is the
 * second.
 */
export const idOf = (name: string): string =>
  name === notRecorded ? "none" : Buffer.from(name).toString("hex").toUpperCase();

/** A variable in a query, with its format. */
const variableForm = /\$\{(\w+):(\w+)\}/g;

/**
 * A value under a format of Grafana. `percentencode` writes a list as `{a,b}` and all but
 * unreserved characters of RFC 3986 as octets. `singlequote` escapes an apostrophe and no
 * backslash.
 */
function formatted(value: string | readonly string[], format: string): string {
  if (format === "percentencode")
    return percentEncoded(typeof value === "string" ? value : `{${value.join(",")}}`);
  expect(format).toBe("singlequote");
  return [value]
    .flat()
    .map((one) => `'${one.replaceAll("'", "\\'")}'`)
    .join(",");
}

const percentEncoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.codePointAt(0)?.toString(16).toUpperCase()}`,
  );

/**
 * The macro of a condition as the plugin expands it in the browser, before any variable: the last
 * one first, two arguments that a comma in one pair of parentheses divides, and the condition as
 * the replacement of `String.replace`. True for all values, and for none.
 */
function withConditions(sql: string, valuesFor: RawValues): string {
  const macro = "$__conditionalAll(";
  let text = sql;
  for (let at = text.lastIndexOf(macro); at !== -1; at = text.lastIndexOf(macro)) {
    const parameters = argumentsAt(text, at + macro.length);
    const [condition = "", variable = ""] = parameters;
    expect([variable, parameters]).toEqual([expect.stringMatching(/^ \$\w+$/), expect.any(Array)]);
    expect(parameters).toHaveLength(2);
    const value = String(valuesFor(variable.trim().slice(1)));
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

/**
 * A link of a row. Grafana writes a value with its format, without one as a part of a whole URI.
 */
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
