/** @module UnclearTerms: an option whose value is no terms of the filter bar, word by word. */
import { readTerms, unclearReason } from "../ui/display/filter-terms.ts";
import { exitCodes, fail, printable, write } from "./terminal.ts";

/** Prints each word that is not understood, with the reason, and sets the exit code. */
export function failUnclear(flag: string, words: readonly string[], sentence: string): void {
  for (const word of words) write(printable(`${flag}: ${word}: ${unclearReason(word)}`));
  fail(`${flag} ${sentence}`, exitCodes.usage);
}

/** Terms of an option, as they are sent; undefined, with an error printed, where one is unclear. */
export function termsOfOption(flag: string, text: string): string | undefined {
  const { terms, unclear } = readTerms(text);
  if (unclear.length === 0 && terms.length > 0) return text;
  failUnclear(
    flag,
    unclear,
    "takes terms of the filter bar, such as 'release:3.2 env:production'.",
  );
  return undefined;
}
