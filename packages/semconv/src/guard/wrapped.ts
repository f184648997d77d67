/**
 * @module Wrapped: finds words that are base64, hex or base32 of printable text, in UTF-8 or
 * UTF-16. Random ids fail at their first or second byte, so they cost very little.
 */

/** Digits of a span id; one in 47,000 random ones encodes the form of a name and a password. */
const spanIdDigits = 16;

/** Fewest characters of a word that is decoded, by encoding; hex has more than a span id. */
const wordCharsMin = { 6: 8, 5: 16, 4: spanIdDigits + 1 } as const;

/** Bits per character of the encoding: base64, base32, hex. */
type Bits = keyof typeof wordCharsMin;

function valuesOf(alphabet: string, more: Readonly<Record<string, number>> = {}): Int8Array {
  const values = new Int8Array(128).fill(-1);
  for (let at = 0; at < alphabet.length; at++) values[alphabet.charCodeAt(at)] = at;
  for (const [mark, value] of Object.entries(more)) values[mark.charCodeAt(0)] = value;
  return values;
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const base64: Int8Array = valuesOf(`${letters}${letters.toLowerCase()}0123456789`, {
  "+": 62,
  "-": 62,
  "/": 63,
  _: 63,
});
const base32 = {
  capitals: valuesOf(`${letters}234567`),
  small: valuesOf(`${letters.toLowerCase()}234567`),
} as const;
const hex: Int8Array = valuesOf("0123456789abcdef", { A: 10, B: 11, C: 12, D: 13, E: 14, F: 15 });

/**
 * First characters with which a word could be printable text: 1 for hex, 2 for base32, 4 for
 * base64, 8 for a mark. The first byte of a text is a character from the space to the tilde.
 */
const openings: Uint8Array = Uint8Array.from({ length: 128 }, (_, code) => {
  const opens = (values: Int8Array, bits: Bits): boolean => {
    const lowest = (values[code] as number) << (8 - bits);
    return lowest >= 0 && lowest < 127 && lowest + (1 << (8 - bits)) > 32;
  };
  return (
    (opens(hex, 4) ? 1 : 0) |
    (opens(base32.capitals, 5) || opens(base32.small, 5) ? 2 : 0) |
    (opens(base64, 6) ? 4 : 0) |
    (code === 48 ? 8 : 0)
  );
});

/** The value of a character, or -1. */
function valueAt(values: Int8Array, text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code < 128 ? (values[code] ?? -1) : -1;
}

/**
 * The printable texts that words of this text encode, joined by line ends; empty when there is
 * none. A word starts at the beginning, or after a character that cannot belong to it; a slash, a
 * dash and an underscore count as such, because ids join their parts with them.
 */
export function unwrap(text: string): string {
  let found = "";
  for (let at = 0; at < text.length; at++) {
    if (at > 0 && isWithin(text, at - 1)) continue;
    const first = text.charCodeAt(at);
    const opens = first < 128 ? (openings[first] as number) : 0;
    if (opens === 0) continue;
    if ((opens & 4) !== 0) found = join(found, decodeFrom(text, at, base64, 6));
    if ((opens & 1) !== 0) found = join(found, decodeFrom(text, at, hex, 4));
    if ((opens & 2) !== 0) {
      const values = first < 97 ? base32.capitals : base32.small;
      found = join(found, decodeFrom(text, at, values, 5));
    }
    // Some libraries write a mark before hex digits.
    if (first === 48 && text.charCodeAt(at + 1) === 120) {
      found = join(found, decodeFrom(text, at + 2, hex, 4));
    }
  }
  return found;
}

/** Base64 of the start of a JSON object, and how many characters of it must match. */
const jsonStart = "eyJ";
const jsonCharsMin = 20;

/** True when a word of the text is base64 that begins like a JSON object. */
export function opensJson(text: string): boolean {
  for (let at = text.indexOf(jsonStart); at !== -1; at = text.indexOf(jsonStart, at + 1)) {
    if (at > 0 && isWithin(text, at - 1)) continue;
    const head = text.slice(at, at + jsonCharsMin);
    if (head.length === jsonCharsMin && decodeFrom(head, 0, base64, 6) !== undefined) return true;
  }
  return false;
}

/** The printable text that the whole of a text of hex digits encodes, or undefined. */
export function unwrapHex(text: string): string | undefined {
  return text.length % 2 === 0 ? decodeFrom(text, 0, hex, 4) : undefined;
}

function join(found: string, inner: string | undefined): string {
  if (inner === undefined) return found;
  return found === "" ? inner : `${found}\n${inner}`;
}

/** True for a character after which a word cannot begin. */
function isWithin(text: string, at: number): boolean {
  const bits = valueAt(base64, text, at);
  return bits !== -1 && bits < 62;
}

/**
 * Decodes from here to the end of the word; undefined at the first byte that is not printable. A
 * byte of zero stands beside each letter of UTF-16.
 */
function decodeFrom(text: string, from: number, values: Int8Array, bits: Bits): string | undefined {
  let held = 0;
  let pending = 0;
  let inner = "";
  let at = from;
  for (; at < text.length; at++) {
    const value = valueAt(values, text, at);
    if (value === -1) break;
    held = ((held << bits) | value) & 0xffff;
    pending += bits;
    if (pending < 8) continue;
    pending -= 8;
    const code = (held >> pending) & 0xff;
    if (code === 0 && inner !== "") continue;
    if ((code < 32 || code > 126) && code !== 10 && code !== 13) return undefined;
    inner += String.fromCharCode(code);
  }
  if (at - from < wordCharsMin[bits]) return undefined;
  // A base32 or hex word that continues in another alphabet is not one.
  return bits !== 6 && at < text.length && isWithin(text, at) ? undefined : inner;
}
