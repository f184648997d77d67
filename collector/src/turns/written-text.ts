/**
 * @module WrittenText: text that operators write beside the evidence. The guard's rules hold for
 * it: a credential, an address, a card or a telephone number is refused, never kept.
 */
import { CodedError, screenProse } from "@turnproof/semconv";
import { z } from "zod";

/** Longest note, in characters. */
export const noteCharsMax = 2_000;
/** Longest name of a shared view, in characters. */
export const viewNameCharsMax = 60;
/** Notes of one turn, and shared views of one tenant. */
export const writtenMax = 100;

/** Control characters but for a tab and the end of a line. */
const control = /[^\P{Cc}\t\n]/u;

/** Text of a body: well-formed, with one form of line ends, and not empty. */
export function written(charsMax: number): z.ZodType<string> {
  return z
    .string()
    .max(charsMax * 2)
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      z
        .string()
        .min(1)
        .max(charsMax)
        .refine((text) => text.isWellFormed() && !control.test(text)),
    );
}

/**
 * Refuses text with what the guard refuses anywhere else.
 * @throws CodedError `attribute_credential` and its like, with the field and never with the text
 */
export function requireAdmitted(field: string, text: string, charsMax: number): void {
  const code = screenProse(text, charsMax);
  if (code !== undefined) throw new CodedError(code, { field });
}
