/** @module Prose: what is refused in text that a person writes about evidence. */
import type { Code } from "../codes.ts";
import { detect } from "./detectors.ts";

/**
 * Screens text that a person writes about evidence: a note, the name of a view. The code of what
 * it looks like, or of its length; undefined when it passes.
 */
export function screenProse(text: string, charsMax: number): Code | undefined {
  return text.length > charsMax ? "attribute_too_long" : detect(text, { ids: true });
}
