/**
 * @module Glossary: the words of a turn's page with their meaning, as `docs/glossary.md` has them;
 * a test compares both.
 */

/** Words that a page explains in place. */
export const glossary = {
  intent: "The results that a turn is to make, and their sources.",
  artifact: "A result that an intent requests, with a reference and a version.",
  contract: "The required structure of an answer, with the result of parsing it.",
  delivery: "The record that a result was emitted, with its acknowledgement.",
  verdict: "The status of a turn by the rules of reconciliation.",
  supply: "The memory in the model's context.",
  root: "A trace; several turns may share it.",
} as const;

/** One of these words. */
export type GlossaryWord = keyof typeof glossary;
