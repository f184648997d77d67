/**
 * @module Effort of the random clauses, modest by default: `ISOLATION_SEQUENCES` and
 * `ISOLATION_COMMANDS` raise it, `ISOLATION_SEED` repeats a run.
 */
import type { Effort } from "@turnproof/store/testing";

const seed = process.env["ISOLATION_SEED"];

export const effort: Effort = {
  sequences: Number(process.env["ISOLATION_SEQUENCES"] ?? 6),
  commands: Number(process.env["ISOLATION_COMMANDS"] ?? 20),
  ...(seed === undefined ? {} : { seed: Number(seed) }),
};
