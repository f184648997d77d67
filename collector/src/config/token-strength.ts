/**
 * @module Token strength: refuses tokens and secrets of too few bits, and makes one that needs no
 * estimate. A valid token is never slowed, and what a secret signs can be guessed at elsewhere, so
 * both have to be out of reach of guessing.
 */
import { randomBytes } from "node:crypto";

import { entropyBits } from "./token-entropy.ts";

/** Six random words of a list have a little more; six words that a person chooses have less. */
const bitsMin = 64;

/** Longer tokens are estimated by their beginning: an estimate takes longer with the length. */
const estimatedCharsMax = 64;

/** True when the token is a pattern: words, dates, sequences or repetitions. */
export function isGuessable(token: string): boolean {
  return entropyBits(token.slice(0, estimatedCharsMax)) < bitsMin;
}

/** The problem of a guessable value. */
export const guessableProblem = "it can be guessed; `turnproof token` makes one that cannot";

/** A token of 256 random bits, in base64url. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}
