/**
 * @module Glossary: the words of a turn's page with their meaning, as `docs/glossary.md` has them;
 * a test compares both.
 */

/** Words that a page explains in place. */
export const glossary = {
  intent: "What a turn sets out to make, and from which sources.",
  artifact: "A result that an intent requests, with a reference and a version.",
  contract: "What an answer's structure must be, with the result of parsing it.",
  delivery: "The record that a result was emitted, with its acknowledgement.",
  verdict: "The status of a turn by the rules of reconciliation.",
  supply: "What memory placed in the model's context.",
  root: "The trace of a turn.",
} as const;

/** One of these words. */
export type GlossaryWord = keyof typeof glossary;
