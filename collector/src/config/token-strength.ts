/**
 * @module Token strength: estimates how many guesses a token or a secret withstands, and makes one
 * that needs no estimate. A valid token is never slowed, and what a secret signs can be guessed at
 * elsewhere, so both have to be out of reach of guessing.
 */
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";

import type * as Zxcvbn from "@zxcvbn-ts/core";

/**
 * Guesses that a token withstands at least, as a power of ten. A thousand guesses a second need
 * thirty years for them.
 */
const guessesLog10Min = 12;

/** Longer tokens are estimated by their beginning: an estimate takes longer with the length. */
const estimatedCharsMax = 64;

/** Words that tokens are typed with, the most frequent first. */
const words = [
  "password",
  "passwort",
  "secret",
  "letmein",
  "welcome",
  "changeme",
  "default",
  "qwerty",
  "qwertyuiop",
  "asdfghjkl",
  "zxcvbnm",
  "turnproof",
  "super",
  "admin",
  "correct",
  "horse",
  "battery",
  "staple",
];

let made: Zxcvbn.ZxcvbnFactory | undefined;

/** Its fifty modules are loaded with the first estimate: most starts have no token. */
function estimator(): Zxcvbn.ZxcvbnFactory {
  if (made === undefined) {
    const { ZxcvbnFactory } = createRequire(import.meta.url)("@zxcvbn-ts/core") as typeof Zxcvbn;
    made = new ZxcvbnFactory({ dictionary: { words } });
  }
  return made;
}

const estimates = new Map<string, boolean>();

/** True when the token is a pattern: repetitions, sequences, dates or common words. */
export function isGuessable(token: string): boolean {
  const start = token.slice(0, estimatedCharsMax);
  const known = estimates.get(start);
  if (known !== undefined) return known;
  const guessable = estimator().check(start).guessesLog10 < guessesLog10Min;
  if (estimates.size > 1_000) estimates.clear();
  estimates.set(start, guessable);
  return guessable;
}

/** The problem of a guessable value. */
export const guessableProblem = "it can be guessed; `turnproof token` makes one that cannot";

/** A token of 256 random bits, in base64url. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}
