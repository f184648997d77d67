/**
 * @module Problem: the form of every failure, RFC 9457 problem+json, with a sentence from the table
 * of codes and no input (requirements: Errors).
 */
import { codes } from "@turnproof/semconv";
import type { Code, CodeRow } from "@turnproof/semconv";
import { z } from "zod";

import { statusTexts } from "./status-texts.ts";

/** Body of every error answer. */
export const problemSchema = z.object({
  type: z.string().describe("URN of the code."),
  title: z.string().describe("The status in words."),
  status: z.int(),
  detail: z.string().describe("A sentence from the table of codes; it never echoes input."),
  code: z.string().describe("Stable, content-free code."),
  field: z
    .string()
    .optional()
    .describe(
      "Which registered parameter, when it is one; of `store_timeout`, the read that was too slow; " +
        "of `preview_timeout`, the rule.",
    ),
  term: z
    .object({
      place: z.int().describe("Place among the terms, from 1."),
      key: z.string().optional().describe("Its key, where it is a key of the filter bar."),
    })
    .optional()
    .describe("Which term of a parameter that holds several, such as `q`."),
  allowed: z
    .array(z.string())
    .optional()
    .describe(
      "What may stand there: the parameters or fields of the route, or the values of one, or of one term.",
    ),
  store: z
    .object({
      host: z
        .string()
        .nullable()
        .describe("Its server, without credentials; null for one in the data directory."),
      reason: z.string().nullable().describe("Why it cannot be reached; null where it is unknown."),
    })
    .optional()
    .describe("Of `store_unavailable`, for principals bound to no tenant and no application."),
  request_id: z.string(),
});
export type Problem = z.infer<typeof problemSchema>;

/** The problem of a code. */
export function problemOf(code: Code, requestId: string, field?: string): Problem {
  const row: CodeRow = codes[code];
  const status = row.status ?? 500;
  return {
    type: `urn:turnproof:problem:${code}`,
    title: statusTexts(status),
    status,
    detail: row.sentence,
    code,
    ...(field === undefined ? {} : { field }),
    request_id: requestId,
  };
}
