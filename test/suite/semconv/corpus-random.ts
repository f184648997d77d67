/**
 * @module Corpus, random parts: a seeded generator, so that every run of a suite sees the same
 * strings, and the alphabets that ids and credentials are drawn from.
 */

/** A generator of numbers in [0, 1) with a fixed sequence per seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const lower = "abcdefghijklmnopqrstuvwxyz";
const upper = lower.toUpperCase();
const digits = "0123456789";

/** Alphabets by the names the corpora use. */
export const letters = {
  hex: `${digits}abcdef`,
  upperHex: `${digits}ABCDEF`,
  digits,
  lower,
  upper,
  lowerAlnum: lower + digits,
  upperAlnum: upper + digits,
  alnum: lower + upper + digits,
  url: `${lower}${upper}${digits}_-`,
  base64: `${lower}${upper}${digits}+/`,
  crockford: "0123456789ABCDEFGHJKMNPQRSTVWXYZ",
  base32: `${upper}234567`,
  lowerBase32: `${lower}234567`,
} as const;

/** Draws texts from alphabets. */
export interface Draw {
  (alphabet: keyof typeof letters, length: number): string;
}

/** A drawing hand on a seeded generator. */
export function drawer(random: () => number): Draw {
  return (alphabet, length) => {
    const from = letters[alphabet];
    let text = "";
    while (text.length < length) text += from[Math.floor(random() * from.length)];
    return text;
  };
}
