/** @module Marks: bits that one pass over the characters of a text collects. */
export const marks = {
  upper: 1,
  lower: 2,
  /** A letter that is no hex digit. */
  beyondHex: 4,
  at: 8,
  slash: 16,
  colon: 32,
  dot: 64,
  space: 128,
  equals: 256,
  dash: 512,
  /** Any other ASCII character. */
  other: 1_024,
  /** Any character beyond ASCII. */
  wide: 2_048,
  /** A separator after a letter that ends a keyword: secret, key, token, password … */
  keyish: 4_096,
  /** An underscore, with which ids join their parts. */
  under: 8_192,
  /** Every mark at once. */
  all: 16_383,
} as const;
