/**
 * @module Token strength: refuses tokens and secrets of too few bits, and makes one that needs no
 * estimate. A valid token is never slowed, and what a secret signs can be guessed at elsewhere, so
 * both have to be out of reach of guessing.
 */
import { createHash, randomBytes } from "node:crypto";

import { entropyBits, words } from "./token-entropy.ts";

/** Six random words of a list have a little more; six words that a person chooses have less. */
const bitsMin = 64;

/** UUIDs of RFC 9562 and of tutorials, keys of documentation. */
const examples = [
  "550e8400e29b41d4a716446655440000",
  "123e4567e89b12d3a456426614174000",
  "123e4567e89b12d3a456426655440000",
  "6ba7b8109dad11d180b400c04fd430c8",
  "f81d4fae7dec11d0a76500a0c91e6bf6",
  "akiaiosfodnn7example",
  "wjalrxutnfemi/k7mdeng/bpxrficyexamplekey",
] as const;

/** Longer tokens are estimated by their beginning: an estimate takes longer with the length. */
const estimatedCharsMax = 64;

/**
 * True when the token is a pattern (words, dates, sequences, repetitions), such a text in base64 or
 * hexadecimal, or a value that documents and tables of digests have.
 */
export function isGuessable(token: string): boolean {
  if (published().has(token.toLowerCase().replaceAll("-", ""))) return true;
  const texts = [token, readable(token, "base64"), readable(token, "hex")];
  return texts.some(
    (text) => text !== undefined && entropyBits(text.slice(0, estimatedCharsMax)) < bitsMin,
  );
}

/** The text that a token encodes; undefined where it is no printable ASCII. */
function readable(token: string, encoding: "base64" | "hex"): string | undefined {
  const text = Buffer.from(token, encoding).toString("latin1");
  const isWhole = Buffer.byteLength(token) <= text.length * (encoding === "hex" ? 2 : 1.5) + 4;
  return isWhole && /^[\x20-\x7e]{8,}$/.test(text) ? text : undefined;
}

let known: ReadonlySet<string> | undefined;

/** Examples of documents, and digests of what is typed, without hyphens and in lower case. */
function published(): ReadonlySet<string> {
  return (known ??= new Set([...examples, ...["", ...words].flatMap(digestsOf)]));
}

function digestsOf(word: string): readonly string[] {
  return ["md5", "sha1", "sha256"].map((name) => createHash(name).update(word).digest("hex"));
}

/** The problem of a guessable value. */
export const guessableProblem = "it can be guessed; `turnproof token` makes one that cannot";

/** A token of 256 random bits, in base64url. */
export function makeToken(): string {
  return randomBytes(32).toString("base64url");
}
