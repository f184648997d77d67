/**
 * @module Semconv README: the tables of attributes, limits and codes that stand between markers in
 * packages/semconv/README.md, made from the registry itself.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { codes, limits, registryRows } from "@turnproof/semconv";
import type { AttributeRow, CodeRow } from "@turnproof/semconv";

/** The README that holds the tables. */
export const semconvReadmeFile: string = fileURLToPath(
  new URL("../../packages/semconv/README.md", import.meta.url),
);

const row = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => "---")), ...rows.map(row)].join("\n");

function kindsOf(each: AttributeRow): string {
  return each.kinds === "all" ? "all" : each.kinds.map((kind) => `\`${kind}\``).join(" ");
}

function shapeOf(each: AttributeRow): string {
  if (each.values === undefined) return each.shape;
  if (each.values.length > 8) return `${each.values.length} closed values`;
  return each.values.map((value) => `\`${value === "" ? '""' : value}\``).join(" ");
}

function attributesTable(): string {
  return table(
    ["span attribute", "event field", "type", "holds", "shape", "carried by", "since", "source"],
    registryRows.map((each) => [
      `\`${each.span}\``,
      `\`${each.event}\``,
      each.type,
      each.holds,
      shapeOf(each),
      kindsOf(each),
      each.since,
      each.source,
    ]),
  );
}

function limitsTable(): string {
  return table(
    ["limit", "value"],
    Object.entries(limits).map(([name, value]) => [`\`${name}\``, value.toLocaleString("en-US")]),
  );
}

function codesTable(): string {
  return table(
    ["code", "HTTP", "may pass later", "sentence"],
    Object.entries<CodeRow>(codes).map(([name, code]) => [
      `\`${name}\``,
      code.status === undefined ? "" : String(code.status),
      code.retryable === true ? "yes" : "",
      code.sentence,
    ]),
  );
}

/** The README with its tables made anew; the text around the markers is kept as it is. */
export function semconvReadme(): string {
  const tables = { attributes: attributesTable(), limits: limitsTable(), codes: codesTable() };
  let text = readFileSync(semconvReadmeFile, "utf8");
  for (const [name, made] of Object.entries(tables)) {
    const open = `<!-- generated: ${name} -->`;
    const close = `<!-- end: ${name} -->`;
    const from = text.indexOf(open);
    const to = text.indexOf(close);
    if (from === -1 || to < from) throw new Error(`README has no markers for ${name}`);
    text = `${text.slice(0, from + open.length)}\n${made}\n${text.slice(to)}`;
  }
  return text;
}
