/**
 * @module Attribute schema: the vocabulary of span attributes as JSON Schema, made from the
 * registry, for ports and validators in other languages. It describes the types and the closed
 * values; what else a text must be, the guard decides.
 */
import { fileURLToPath } from "node:url";

import { limits, registryRows } from "@turnproof/semconv";
import type { AttributeRow } from "@turnproof/semconv";

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

/** Its text. */
export function attributeSchema(): string {
  const properties = registryRows.map((row) => [
    row.span,
    {
      description: row.brief,
      ...valueSchema(row),
      examples: row.type.endsWith("[]") ? [row.examples] : row.examples,
      "x-event-name": row.event,
      "x-shape": row.shape,
      "x-stability": row.stability,
      "x-kinds": row.kinds,
    },
  ]);
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Span attributes of Turnproof",
    description:
      "Attributes of one span. One that is not listed leaves no process and enters no store; " +
      "`x-kinds` lists the kinds of events that may carry it.",
    type: "object",
    additionalProperties: false,
    maxProperties: limits.attributesMax,
    properties: Object.fromEntries(properties),
  };
  return `${JSON.stringify(schema, null, 2)}\n`;
}
