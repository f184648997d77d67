/** @module Mutants of a sealed text: what a forger who knows its form makes of genuine ones. */

type Random = () => number;

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".split("");

const below = (random: Random, count: number): number => Math.floor(random() * count);

const pick = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)] as T;

const replacedAt = (text: string, at: number, put: string, cut = 1): string =>
  text.slice(0, at) + put + text.slice(at + cut);

type Mutation = (text: string, other: string, random: Random) => string;

const part = (change: (piece: string, random: Random, other: string) => string): Mutation => {
  return (text, other, random) => {
    const pieces = text.split(".");
    const at = below(random, pieces.length);
    return pieces.with(at, change(pieces[at] ?? "", random, other.split(".")[at] ?? "")).join(".");
  };
};

const mutations: readonly Mutation[] = [
  // One character is another one, or another spelling of the same bits.
  (text, _other, random) => replacedAt(text, below(random, text.length), pick(random, alphabet)),
  (text, _other, random) => {
    const at = below(random, text.length);
    const flipped = text.charCodeAt(at) ^ (1 << below(random, 7));
    return replacedAt(text, at, String.fromCharCode(flipped));
  },
  (text, _other, random) => replacedAt(text, text.length - 1, pick(random, alphabet)),
  // Cut, grown, repeated, exchanged.
  (text, _other, random) => text.slice(0, below(random, text.length)),
  (text, _other, random) => text.slice(1 + below(random, text.length - 1)),
  (text, _other, random) =>
    replacedAt(
      text,
      below(random, text.length),
      pick(random, [...alphabet, ".", "=", "%", "\0", "é"]),
      0,
    ),
  (text, _other, random) => text + pick(random, ["A", "=", "==", ".", ".A", "\0", "%20"]),
  (text, other, random) => {
    const at = below(random, Math.min(text.length, other.length));
    return text.slice(0, at) + other.slice(at);
  },
  part((piece, _random, other) => other || piece),
  part(() => ""),
  part((piece) => piece + piece),
  part((piece) => piece.toUpperCase()),
  // The bytes behind the text, changed and written again.
  part((piece, random) => {
    const bytes = Buffer.from(piece, "base64url");
    if (bytes.length === 0) return "A";
    const at = below(random, bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << below(random, 8));
    return bytes.toString("base64url");
  }),
  part((piece) => Buffer.from(piece, "base64url").toString("base64")),
  part((piece, random) =>
    Buffer.from(piece, "base64url")
      .subarray(0, -1 - below(random, 20))
      .toString("base64url"),
  ),
  (_text, _other, random) =>
    Array.from({ length: 1 + below(random, 200) }, () => pick(random, [...alphabet, "."])).join(""),
];

/** A text that is neither of two genuine ones, whose parts stand between dots. */
export function mutant(text: string, other: string, random: Random): string {
  for (;;) {
    let made = pick(random, mutations)(text, other, random);
    // Two changes at once now and then: one may undo what the other reveals.
    if (random() < 0.2 && made.length > 1) made = pick(random, mutations)(made, other, random);
    if (made !== text && made !== other) return made;
  }
}
