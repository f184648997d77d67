/**
 * @module ApiOperation: what people write of one operation: its id, its summary, the schemas that
 * validate its query and body, and how it fails.
 */
import type { Code } from "@turnproof/semconv";
import { z } from "zod";

/** The description of one route. */
export interface Operation {
  /** `operationId`; the id of a page ends with `Page`. */
  readonly id: string;
  readonly summary: string;
  readonly text?: string;
  readonly query?: z.ZodObject;
  readonly body?: { readonly type: string; readonly schema?: z.ZodType };
  readonly returns: string;
  /** Media type of the answer; JSON unless said. */
  readonly answers?: string;
  readonly status?: number;
  /** The same answer is given with 503 while the state is bad. */
  readonly unready?: true;
  readonly failures?: readonly Code[];
}

/** No parameter at all. */
export const none: z.ZodObject = z.strictObject({});
/** Media type of a page. */
export const html = "text/html";
/** How a page of a list fails. */
export const pageFailures: readonly Code[] = [
  "cursor_rejected",
  "scope_forbidden",
  "store_unavailable",
];
/** How a question about one root fails. */
export const windowFailures: readonly Code[] = [
  "trace_not_found_in_window",
  "scope_forbidden",
  "store_unavailable",
];
/** A JSON body of this schema. */
export const json = (schema: z.ZodType): NonNullable<Operation["body"]> => ({
  type: "application/json",
  schema,
});
