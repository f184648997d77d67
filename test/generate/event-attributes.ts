/**
 * @module Event attributes: the type of an event's `attributes`, made from the registry, so that an
 * editor shows what an attribute means.
 */
import { fileURLToPath } from "node:url";

import { registryRows } from "@turnproof/semconv";
import type { AttributeRow, AttributeType } from "@turnproof/semconv";

/** The module that holds the type. */
export const eventAttributesFile: string = fileURLToPath(
  new URL("../../packages/semconv/src/registry/event-attributes.ts", import.meta.url),
);

const types: { readonly [type in AttributeType]: string } = {
  string: "string",
  boolean: "boolean",
  int: "number",
  double: "number",
  "string[]": "readonly string[]",
  "boolean[]": "readonly boolean[]",
  "int[]": "readonly number[]",
  "double[]": "readonly number[]",
};

/** The brief as a comment, in lines of at most 100 columns. */
function commentOf(brief: string): string {
  const single = `  /** ${brief} */`;
  if (single.length <= 100) return single;
  const lines = [...`${brief} `.matchAll(/(.{1,95}) /g)].map(([, line]) => `   * ${line}`);
  return ["  /**", ...lines, "   */"].join("\n");
}

const field = ({ event, type, brief }: AttributeRow): string =>
  `${commentOf(brief)}\n  readonly ${event}?: ${types[type]};`;

/** The module's text. */
export function eventAttributesModule(): string {
  return `/** @module Attributes of an event. Written by \`npm run generate\` from the registry. */

/**
 * The typed \`attributes\` of an event. An absent attribute is unknown; whether a delivery was
 * acknowledged is absent until it is known.
 */
export interface EventAttributes {
${registryRows
  .filter((row) => row.slot === "attributes")
  .map(field)
  .join("\n")}
}
`;
}
