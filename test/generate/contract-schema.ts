/**
 * @module Contract schema: the JSON Schema of contract files, made from the schema that reads them.
 */
import { fileURLToPath } from "node:url";

import { contractJsonSchema } from "@turnproof/contracts";

/** Where it is published from. */
export const contractSchemaFile: string = fileURLToPath(
  new URL("../../packages/contracts/contract.schema.json", import.meta.url),
);

/** Its text. */
export function contractSchema(): string {
  return `${JSON.stringify(contractJsonSchema(), null, 2)}\n`;
}
