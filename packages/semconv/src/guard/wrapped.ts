/**
 * @module Wrapped: words that are base64 of printable text. Random ids stop at their first or
 * second byte, so this costs an id next to nothing.
 */

/** Fewest characters of a word that is read as base64. */
const wordCharsMin = 8;

const sixBits: Int8Array = (() => {
  const values = new Int8Array(128).fill(-1);
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
  for (const mark of "+-") values[mark.charCodeAt(0)] = 62;
  for (const mark of "/_") values[mark.charCodeAt(0)] = 63;
  return values;
})();

/** The six bits of a character, or -1. */
function bitsOf(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (sixBits[code] ?? -1) : -1;
}

/**
 * The printable texts that words of this text encode, joined by line ends; empty when there is
 * none.
 * A word starts at the beginning, or after a character that cannot belong to it, a slash, a dash or
 * an underscore included, because ids join their parts by those.
 */
export function unwrap(text: string): string {
  let found = "";
  for (let at = 0; at < text.length; at++) {
    if ((at > 0 && isWithin(text, at - 1)) || !startsPrintable(text, at)) continue;
    const inner = printableFrom(text, at);
    if (inner !== undefined) found += found === "" ? inner : `\n${inner}`;
  }
  return found;
}

/** Whether the first two characters could encode a printable first byte. */
function startsPrintable(text: string, at: number): boolean {
  const first = ((bitsOf(text, at) << 2) | (bitsOf(text, at + 1) >> 4)) & 0xff;
  return first > 31 && first < 127;
}

/** True for a character after which no word can begin. */
function isWithin(text: string, at: number): boolean {
  const bits = bitsOf(text, at);
  return bits !== -1 && bits < 62;
}

/** Decodes from here to the end of the word; undefined at the first byte that is not printable. */
function printableFrom(text: string, from: number): string | undefined {
  let held = 0;
  let pending = 0;
  let inner = "";
  let at = from;
  for (; at < text.length; at++) {
    const bits = bitsOf(text, at);
    if (bits === -1) break;
    held = ((held << 6) | bits) & 0xffff;
    pending += 6;
    if (pending < 8) continue;
    pending -= 8;
    const code = (held >> pending) & 0xff;
    if ((code < 32 || code > 126) && code !== 10 && code !== 13) return undefined;
    inner += String.fromCharCode(code);
  }
  return at - from < wordCharsMin ? undefined : inner;
}
