/**
 * @module PriceFile: prices of a deployment's own, from the file of `TURNPROOF_PRICES`. They come
 * before those of the list.
 */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

import { z } from "zod";

import { issueSentence, text } from "./config-values.ts";

/** US dollars for a million tokens; with tiers, by the input tokens of the call. */
const rate = z.union([
  z.number().nonnegative(),
  z.strictObject({
    base: z.number().nonnegative(),
    tiers: z.array(
      z.strictObject({ start: z.int().nonnegative(), price: z.number().nonnegative() }),
    ),
  }),
]);

const entry = z.strictObject({
  provider: text.optional(),
  model: text,
  service_tier: text.optional(),
  from: z.iso.date().optional(),
  prices: z
    .strictObject({
      input_mtok: rate,
      output_mtok: rate,
      cache_read_mtok: rate,
      cache_write_mtok: rate,
      output_reasoning_mtok: rate,
      requests_kcount: z.number().nonnegative(),
    })
    .partial(),
});

/** A price of the file. Without a provider, of every provider; without a date, of any time. */
export type OwnPrice = z.infer<typeof entry>;

/** The prices of a file, and the first digits of its SHA-256. */
export interface PriceFile {
  readonly prices: readonly OwnPrice[];
  readonly digest: string;
}

/** The variable: the path of a file of JSON, an array of prices. */
export const priceFileIn = text.transform((value, context): PriceFile => {
  try {
    const bytes = readFileSync(resolve(value));
    const prices = z.array(entry).parse(JSON.parse(bytes.toString("utf8")));
    const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 12);
    return { prices, digest };
  } catch (error) {
    const issues =
      error instanceof z.ZodError ? error.issues.map(issueSentence) : ["no readable JSON file"];
    for (const message of issues) context.addIssue({ code: "custom", message });
    return z.NEVER;
  }
});
