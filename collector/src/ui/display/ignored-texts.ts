/** @module IgnoredTexts: why a page does not apply a parameter of its address. */
import { countText } from "./figures.ts";

/** A parameter of an address that its page does not apply. */
export interface IgnoredParameter {
  readonly name: string;
  readonly value: string;
  readonly reason: "unknown" | "repeated" | "invalid" | "gone" | "other_tenant";
  /** Values that may stand there, where they are few. */
  readonly allowed?: readonly string[];
  /** Ends of the numbers that may stand there. */
  readonly numbers?: readonly [least: number, most: number];
}

/** What a page applies of its address, and what it leaves out. */
export interface AppliedAddress {
  readonly parameters: Readonly<Record<string, string>>;
  readonly ignored: readonly IgnoredParameter[];
}

/** Most words that a sentence lists. */
const wordsMax = 24;

/** The reason, as the rest of a sentence that begins with the parameter. */
export function ignoredReason({ reason, allowed = [], numbers }: IgnoredParameter): string {
  if (reason === "unknown") return "is no parameter of this page";
  if (reason === "repeated") return "is in the address more than once";
  if (reason === "other_tenant") return "user_id in this address is another tenant";
  if (reason === "gone") {
    return "leads to a page of another list, or of one that has changed; this is its first page";
  }
  if (numbers !== undefined) {
    return `must be a whole number from ${countText(numbers[0])} to ${countText(numbers[1])}`;
  }
  if (allowed.length === 0) return "is no valid value";
  const more = allowed.length - wordsMax;
  const words = allowed.slice(0, wordsMax).join(", ");
  return `must be one of ${words}${more > 0 ? `, and ${more} more` : ""}`;
}
