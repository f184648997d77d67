/**
 * @module References: which supplied items the final text uses, by exact word overlap alone
 * (requirements: Memory supply, Referenced). Tone cannot be detected this way, so preferences and
 * writing samples are not measured.
 */
import { runsOf, wordsOf } from "./words.ts";

/** Where a supplied item came from. */
export type SuppliedFrom =
  | "history"
  | "profile"
  | "preference"
  | "cross_thread"
  | "summary"
  | "writing_sample";

/** Consecutive words that a longer source and the text must share. */
const runWords = 6;
/** Least characters of a short source; a shorter one could match by chance. */
const shortCharsMin = 4;

/** Sources whose use leaves exact words in the text. */
export function isMeasured(source: SuppliedFrom): boolean {
  return source !== "preference" && source !== "writing_sample";
}

/**
 * The items whose words occur in the text. Words that are in the question already do not count.
 */
export function findReferences<T extends { readonly source: SuppliedFrom; readonly text: string }>(
  items: readonly T[],
  finalText: string,
  question: string,
): readonly T[] {
  const words = wordsOf(finalText);
  const joined = ` ${words.join(" ")} `;
  const requested = wordsOf(question);
  const requestedText = ` ${requested.join(" ")} `;
  const answerRuns = runsOf(words, runWords);
  const requestedRuns = runsOf(requested, runWords);
  return items.filter((item) => {
    if (!isMeasured(item.source)) return false;
    const own = wordsOf(item.text);
    if (own.length < runWords) {
      const whole = own.join(" ");
      if (whole.length < shortCharsMin) return false;
      return joined.includes(` ${whole} `) && !requestedText.includes(` ${whole} `);
    }
    for (const run of runsOf(own, runWords)) {
      if (answerRuns.has(run) && !requestedRuns.has(run)) return true;
    }
    return false;
  });
}
