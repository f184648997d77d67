/**
 * @module Terms: the words of either side that are not understood. Of such a side no turn is read.
 */
import { readTerms } from "../../ui/display/filter-terms.ts";

/** A word, and the side that it is in. */
export interface UnclearWord {
  readonly side: "baseline" | "candidate";
  readonly word: string;
}

/** The words of both sides that are not understood. */
export function unclearTexts(terms: {
  readonly baseline: string | null;
  readonly candidate: string | null;
}): readonly UnclearWord[] {
  return (["baseline", "candidate"] as const).flatMap((side) =>
    readTerms(terms[side] ?? "").unclear.map((word) => ({ side, word })),
  );
}
