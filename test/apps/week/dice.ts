/**
 * @module Dice: chance from a seed, so that a seed gives the same week again: whole numbers,
 * choices by weight, times with a long tail, ids.
 */

/** A seeded stream of chance. */
export interface Dice {
  /** At least 0 and below 1. */
  roll(): number;
  /** A whole number, both ends included. */
  between(least: number, most: number): number;
  /** One of the list, each in proportion to its weight. */
  pick<T extends { readonly weight: number }>(choices: readonly T[]): T;
  /** A time around the median that is now and then many times as long. */
  around(medianMs: number): number;
  hex(digits: number): string;
  /** An opaque id that cannot be taken for a card's or an account's number. */
  id(prefix: string): string;
}

/** Dice of a seed; two seeds that differ in anything make different weeks. */
export function diceOf(seed: string): Dice {
  let state = 2_166_136_261;
  for (const character of seed) {
    state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16_777_619);
  }
  const roll = (): number => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const hex = (digits: number): string => {
    let text = "";
    while (text.length < digits) {
      text += Math.floor(roll() * 4_294_967_296)
        .toString(16)
        .padStart(8, "0");
    }
    return text.slice(0, digits);
  };
  return {
    roll,
    between: (least, most) => least + Math.floor(roll() * (most - least + 1)),
    pick: (choices) => {
      let left = roll() * choices.reduce((sum, { weight }) => sum + weight, 0);
      const found = choices.find(({ weight }) => (left -= weight) < 0) ?? choices.at(-1);
      if (found === undefined) throw new RangeError("nothing to choose from");
      return found;
    },
    around: (medianMs) => {
      // Three rolls are nearly a bell; its exponential has the tail that latencies have.
      const bell = (roll() + roll() + roll() - 1.5) * 1.6;
      return medianMs * Math.exp(bell) * (roll() < 0.01 ? 8 : 1);
    },
    hex,
    id: (prefix) => `${prefix}_w${hex(19)}`,
  };
}
