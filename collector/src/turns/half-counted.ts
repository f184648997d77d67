/** @module HalfCounted: turns with one of their token counts, whose sum is a lower bound. */
import type { TurnFigures } from "@turnproof/store";

/** Whether some turn has input or output tokens and not both. */
export function hasHalfCounted(
  of: Pick<TurnFigures, "input_unknown" | "output_unknown" | "tokens_unknown">,
): boolean {
  return Math.max(of.input_unknown, of.output_unknown) > of.tokens_unknown;
}
