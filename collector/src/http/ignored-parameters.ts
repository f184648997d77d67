/**
 * @module IgnoredParameters: what a page does not apply of its address. A page is shown without a
 * parameter that it cannot read, and marks it; its JSON and every file refuse the request.
 */
import { z } from "zod";
import { CodedError } from "@turnproof/semconv";

import type { AppContext } from "./environment.ts";
import { keyOfParameter, readTerms, termText } from "../ui/display/filter-terms.ts";
import type { IgnoredParameter } from "../ui/display/ignored-texts.ts";

/** True where the request is for a page, which shows what it leaves out. */
export function marksIgnored(c: AppContext): boolean {
  return c.get("renderer")?.isMarkedPage(c) === true;
}

/**
 * The parameter as a word of the filter bar, which marks it and keeps it there to be corrected;
 * undefined where the bar has no such term, or where the word would select something.
 */
export function unclearWord(name: string, value: string): string | undefined {
  const key = Object.hasOwn(keyOfParameter, name) ? keyOfParameter[name] : undefined;
  if (key === undefined) return undefined;
  const word = termText({ key, value, negated: false });
  const { terms, unclear } = readTerms(word);
  return terms.length === 0 && unclear.length === 1 ? word : undefined;
}

/** The ends of a parameter that is a number. */
export function numbersOf(schema: z.ZodType | undefined): IgnoredParameter["numbers"] {
  const inner = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  const { minimum, maximum } = (inner as z.ZodType | undefined)?.meta() ?? {};
  return typeof minimum === "number" && typeof maximum === "number"
    ? [minimum, maximum]
    : undefined;
}

/** Leaves a parameter that was read out of the page, which marks it. */
export function ignoreParameter(c: AppContext, parameter: IgnoredParameter): void {
  const applied = c.get("applied");
  const { [parameter.name]: _, ...parameters } = applied?.parameters ?? c.req.query();
  c.set("applied", { parameters, ignored: [...(applied?.ignored ?? []), parameter] });
}

/**
 * Runs a read with the cursor of the request. A page whose cursor is rejected begins at the first
 * row instead.
 *
 * @throws CodedError what the read throws; `cursor_rejected` where the answer is no such page
 */
export async function withCursor<T>(
  c: AppContext,
  cursor: string | undefined,
  read: (cursor: string | undefined) => Promise<T>,
): Promise<T> {
  if (cursor === undefined || !marksIgnored(c)) return read(cursor);
  try {
    return await read(cursor);
  } catch (error) {
    if (!CodedError.is(error) || error.code !== "cursor_rejected") throw error;
    ignoreParameter(c, { name: "cursor", value: cursor, reason: "gone" });
    return read(undefined);
  }
}
