/**
 * @module References: which supplied items the final text demonstrably used: exact overlap of
 * words, nothing softer (requirements: Memory supply, Referenced). Tone cannot be found this way,
 * so preferences and writing samples are not measured.
 */
import { runsOf, wordsOf } from "./words.ts";

/** Where a supplied item came from. */
export type SupplySource =
  | "history"
  | "profile"
  | "preference"
  | "cross_thread"
  | "summary"
  | "writing_sample";

/** Words in a row that a longer source and the text must share. */
const runWords = 6;
/** Characters that a short source must have to be told from chance. */
const shortCharsMin = 4;

/** Sources whose use leaves exact words behind. */
export function isMeasured(source: SupplySource): boolean {
  return source !== "preference" && source !== "writing_sample";
}

/**
 * The items whose own words stand in the text. Words that the question had brought already prove
 * nothing and do not count.
 */
export function findReferences<T extends { readonly source: SupplySource; readonly text: string }>(
  items: readonly T[],
  finalText: string,
  question: string,
): readonly T[] {
  const words = wordsOf(finalText);
  const said = ` ${words.join(" ")} `;
  const asked = wordsOf(question);
  const askedText = ` ${asked.join(" ")} `;
  const answerRuns = runsOf(words, runWords);
  const askedRuns = runsOf(asked, runWords);
  return items.filter((item) => {
    if (!isMeasured(item.source)) return false;
    const own = wordsOf(item.text);
    if (own.length < runWords) {
      const whole = own.join(" ");
      if (whole.length < shortCharsMin) return false;
      return said.includes(` ${whole} `) && !askedText.includes(` ${whole} `);
    }
    for (const run of runsOf(own, runWords)) {
      if (answerRuns.has(run) && !askedRuns.has(run)) return true;
    }
    return false;
  });
}
