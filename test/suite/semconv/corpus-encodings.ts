/**
 * @module Corpus of encodings: the clothes in which a secret may travel through a text, each of
 * which must be seen through. Not seen through, as listed here: another case, the reverse, a
 * letter glued before a vendor's prefix, and a separator between any two characters; a credential
 * in one of these opens nothing, and an id may have any such form.
 */

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64");
const hex = (text: string): string => Buffer.from(text, "utf8").toString("hex");

function base32(text: string): string {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...Buffer.from(text, "utf8")].map((byte) => byte.toString(2).padStart(8, "0"));
  const groups = bits.join("").match(/.{1,5}/g) ?? [];
  return groups.map((group) => alphabet[parseInt(group.padEnd(5, "0"), 2)]).join("");
}

const mapped = (text: string, map: (char: string, code: number) => string): string =>
  Array.from(text)
    .map((char) => map(char, char.codePointAt(0) ?? 0))
    .join("");

const cyrillic: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from("aAeEoOcCpPxXiIsSKMHTB").map((char, at) => [
    char,
    Array.from("аАеЕоОсСрРхХіІѕЅКМНТВ")[at] as string,
  ]),
);

/** Adds a number to a character's code. */
const shifted = (by: number, code: number): string => String.fromCodePoint(code + by);

/** Encodings by name. */
export const encodings: { readonly [name: string]: (text: string) => string } = {
  hex,
  "hex in capitals": (text) => hex(text).toUpperCase(),
  "hex with a mark": (text) => `0x${hex(text)}`,
  "hex behind a name": (text) => `blob:${hex(text)}`,
  "base64 twice": (text) => base64(base64(text)),
  "base64 unpadded": (text) => base64(text).replace(/=+$/, ""),
  "base64 behind words": (text) => base64(`see ${text}`),
  "base64 of JSON": (text) => Buffer.from(JSON.stringify({ k: text })).toString("base64url"),
  "base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  "hex of base64": (text) => hex(base64(text)),
  base32,
  "base32 in small letters": (text) => base32(text).toLowerCase(),
  percent: encodeURIComponent,
  "percent everywhere": (text) => `%${Buffer.from(text).toString("hex").match(/../g)?.join("%")}`,
  "unicode escapes": (text) => mapped(text, (_, code) => `\\u00${code.toString(16)}`),
  entities: (text) => mapped(text, (_, code) => `&#${code};`),
  "full width": (text) =>
    mapped(text, (char, code) => (code > 32 && code < 127 ? shifted(0xfee0, code) : char)),
  "mathematical letters": (text) =>
    mapped(text, (char, code) => {
      if (/[a-z]/.test(char)) return shifted(0x1d41a - 97, code);
      if (/[A-Z]/.test(char)) return shifted(0x1d400 - 65, code);
      return /\d/.test(char) ? shifted(0x1d7ce - 48, code) : char;
    }),
  "Cyrillic look-alikes": (text) => mapped(text, (char) => cyrillic[char] ?? char),
  "Arabic digits": (text) =>
    mapped(text, (char, code) => (/\d/.test(char) ? shifted(0x660 - 48, code) : char)),
  accents: (text) => mapped(text, (char) => (/[a-z]/i.test(char) ? `${char}\u0301` : char)),
  "zero width": (text) => mapped(text, (char) => `${char}\u200b`),
  "grapheme joiners": (text) => mapped(text, (char) => `${char}\u034f`),
  "variation selectors": (text) => mapped(text, (char) => `${char}\ufe0f`),
  "soft hyphens": (text) => mapped(text, (char) => `${char}\u00ad`),
  brackets: (text) => `(${text})`,
  underscores: (text) => `_${text}_`,
  stars: (text) => `*${text}*`,
  colons: (text) => `a:${text}:b`,
  "a dot behind": (text) => `${text}.`,
  "a plus before": (text) => `a+${text}`,
  "an at sign before": (text) => `@${text}`,
  "an equals sign before": (text) => `k=${text}`,
  "a bar before": (text) => `a|${text}`,
  "a dollar before": (text) => `$${text}`,
};
