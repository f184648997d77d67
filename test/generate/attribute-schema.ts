/**
 * @module Attribute schema: every span attribute that a collector reads, as JSON Schema, made from
 * the registry and the tables of the dialects, for ports and validators in other languages. It
 * describes types and closed values; what else a text must be, the guard decides.
 */
import { fileURLToPath } from "node:url";

import {
  attribute,
  codingNames,
  dialectTables,
  limits,
  registryRows,
  sourceAttributeNames,
} from "@turnproof/semconv";
import type { AttributeRow, ValueAdapter } from "@turnproof/semconv";

/** Where it is published from. */
export const attributeSchemaFile: string = fileURLToPath(
  new URL("../../packages/semconv/attributes.schema.json", import.meta.url),
);

const plainTypes = {
  string: "string",
  boolean: "boolean",
  int: "integer",
  double: "number",
} as const;

function valueSchema(row: AttributeRow): object {
  const plain = row.type.replace("[]", "") as keyof typeof plainTypes;
  const values = row.values === undefined ? {} : { enum: row.values };
  const text = plain === "string" ? { maxLength: row.cap, ...values } : {};
  const one = { type: plainTypes[plain], ...text };
  return row.type.endsWith("[]")
    ? { type: "array", maxItems: limits.listEntriesMax, items: one }
    : one;
}

/** A row that a name fills, and how its value is converted. */
interface Filled {
  readonly row: AttributeRow;
  readonly adapter: ValueAdapter;
}

/** How values are written that an adapter converts; one that it keeps has the schema of its row. */
const writtenAs: Readonly<
  Record<Exclude<ValueAdapter, "as_is">, (row: AttributeRow) => readonly object[]>
> = {
  ms_from_s: () => [{ type: "number" }],
  list_of_one: () => [{ type: "string" }],
  json_list: (row) => [valueSchema(row), { type: "string" }],
  lower: (row) => [{ type: "string", maxLength: row.cap }],
  error_status: () => [{ type: "integer" }],
  error_level: () => [{ type: "string" }],
  usage_json: () => [{ type: "string" }],
  identity_json: () => [{ type: "string" }],
};

/** What a value is, where it is not that of its row. */
const forms: Readonly<Partial<Record<ValueAdapter, string>>> = {
  ms_from_s: "In seconds.",
  list_of_one: "One text.",
  json_list: "A list, or its JSON text.",
  error_status: "From 400 on it is the type of an error.",
  error_level: "Only ERROR is read.",
  usage_json: "The JSON text of an object of counts.",
  identity_json: "The JSON text of an object, of which only ids are read.",
};

/** The rows that a name fills, its own one first. */
function filledBy(name: string): readonly Filled[] {
  const own = registryRows.filter((row) => row.span === name);
  const written = dialectTables.flatMap((table): Filled[] => [
    ...table.names.flatMap(({ source, to, adapter }) =>
      source === name ? [{ row: attribute[to], adapter }] : [],
    ),
    ...table.identity.flatMap(({ source, to }) =>
      source === name ? [{ row: attribute[to], adapter: "as_is" as const }] : [],
    ),
  ]);
  const kept = own.filter((row) => !written.some((one) => one.row === row));
  const all = [...kept.map((row): Filled => ({ row, adapter: "as_is" })), ...written];
  return [...new Map(all.map((one) => [`${one.row.span} ${one.adapter}`, one])).values()];
}

function schemaOf(filled: readonly Filled[]): object {
  const all = filled.flatMap(({ row, adapter }) =>
    adapter === "as_is" ? [valueSchema(row)] : writtenAs[adapter](row),
  );
  const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
  return distinct.length === 1 ? (distinct[0] as object) : { anyOf: distinct };
}

/** The name of a row of the registry. */
function rowProperty(row: AttributeRow): object {
  return {
    description: row.brief,
    ...schemaOf(filledBy(row.span)),
    examples: row.type.endsWith("[]") ? [row.examples] : row.examples,
    "x-event-name": row.event,
    "x-shape": row.shape,
    "x-stability": row.stability,
    "x-kinds": row.kinds,
  };
}

/** A name of a dialect, or an older one: an alias of rows, or what decides the kind of a span. */
function aliasProperty(name: string): object {
  const filled = filledBy(name);
  const dialects = dialectTables
    .filter(
      ({ marks, kindRules, names, identity }) =>
        marks.includes(name) ||
        [...kindRules, ...names, ...identity].some((one) => one.source === name),
    )
    .map(({ dialect }) => dialect);
  const spans = [...new Set(filled.map(({ row }) => row.span))];
  const form = filled.flatMap(({ adapter }) => forms[adapter] ?? []).join(" ");
  const alias = `Another name of ${spans.map((span) => `\`${span}\``).join(" and ")}.`;
  return {
    description:
      filled.length === 0 ? "Decides what a span is; no event has it." : `${alias} ${form}`.trim(),
    ...(filled.length === 0 ? { type: "string" } : schemaOf(filled)),
    "x-alias-of": spans,
    "x-dialects": dialects,
  };
}

/** Names that are read from log records of coding agents only. */
function ofLogsOnly(name: string): boolean {
  return (Object.values(codingNames) as string[]).includes(name) && filledBy(name).length === 0;
}

/** Its text. */
export function attributeSchema(): string {
  const own = new Map(registryRows.map((row) => [row.span, row]));
  const names = [...sourceAttributeNames].filter((name) => !ofLogsOnly(name));
  const properties = names.map((name) => {
    const row = own.get(name);
    return [name, row === undefined ? aliasProperty(name) : rowProperty(row)];
  });
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Span attributes of Turnproof",
    description:
      "Attributes of one span that a collector reads. One that is not listed leaves no process and " +
      "enters no store; `x-kinds` lists the kinds of events that may carry it. A name with " +
      "`x-alias-of` is one of a dialect or an older one and is stored as what stands there.",
    type: "object",
    additionalProperties: false,
    maxProperties: limits.attributesMax,
    properties: Object.fromEntries(properties),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
