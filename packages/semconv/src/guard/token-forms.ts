/**
 * @module Token forms: finds a vendor's credential by its prefix and what follows, at the start of
 * a word. The forms are in the table.
 */
import { mixedForms, plainForms } from "./token-form-table.ts";
import type { Alphabet, WrittenForm } from "./token-form-table.ts";

/** Alphabets as bits, so that one lookup gives all alphabets of a character. */
const alphabets = {
  hex: 1,
  alnum: 2,
  word: 4,
  url: 8,
  base64: 16,
  upper: 32,
  dotted: 64,
} as const satisfies { readonly [K in Alphabet]: number };

/** Bits of every ASCII character: the alphabets it belongs to. */
const alphabetBits: Uint8Array = buildAlphabetBits();

function buildAlphabetBits(): Uint8Array {
  const members: { readonly [K in Alphabet]: RegExp } = {
    hex: /[0-9a-fA-F]/,
    alnum: /[A-Za-z0-9]/,
    word: /[A-Za-z0-9_]/,
    url: /[A-Za-z0-9_-]/,
    base64: /[A-Za-z0-9+/=_-]/,
    upper: /[A-Z0-9]/,
    dotted: /[A-Za-z0-9._~-]/,
  };
  const bits = new Uint8Array(128);
  for (let code = 0; code < bits.length; code++) {
    for (const [name, member] of Object.entries(members)) {
      if (member.test(String.fromCharCode(code))) {
        bits[code] = (bits[code] ?? 0) | alphabets[name as Alphabet];
      }
    }
  }
  return bits;
}

/** One form: its prefix, the alphabet of the rest, and its least length. */
interface TokenForm {
  readonly prefix: string;
  readonly alphabet: Alphabet;
  readonly min: number;
  /** True when the rest must mix capitals, small letters and digits. */
  readonly mixed: boolean;
}

/** Every form, in the order of the tables. */
const tokenForms: readonly TokenForm[] = [
  ...plainForms.flatMap((line) => formsOf(line, false)),
  ...mixedForms.flatMap((line) => formsOf(line, true)),
];

function formsOf([prefixes, alphabet, min]: WrittenForm, mixed: boolean): TokenForm[] {
  return prefixes.split(" ").map((prefix) => ({ prefix, alphabet, min, mixed }));
}

/** Forms by the first two characters of their prefix. */
const formsByStart: ReadonlyMap<number, readonly TokenForm[]> = (() => {
  const byStart = new Map<number, TokenForm[]>();
  for (const form of tokenForms) {
    const start = startKey(form.prefix, 0);
    const known = byStart.get(start);
    if (known === undefined) byStart.set(start, [form]);
    else known.push(form);
  }
  return byStart;
})();

/** 1 for each first character of a form, so that most words cost one lookup. */
const firstCodes: Uint8Array = (() => {
  const codes = new Uint8Array(128);
  for (const form of tokenForms) codes[form.prefix.charCodeAt(0)] = 1;
  return codes;
})();

function startKey(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}

/** True when a form spans several texts in a row, beginning at the start of one of them. */
export function hasSplitTokenForm(texts: readonly string[]): boolean {
  const joined = texts.join("");
  let at = 0;
  for (const text of texts) {
    if (firstCodes[joined.charCodeAt(at)] === 1 && formAt(joined, at)) return true;
    at += text.length;
  }
  return false;
}

/** True when a word of the text has the form of a vendor's credential. Linear in the text. */
export function hasTokenForm(text: string): boolean {
  let previousInWord = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const inWord = code < 128 && ((alphabetBits[code] ?? 0) & alphabets.alnum) !== 0;
    if (inWord && !previousInWord && firstCodes[code] === 1 && formAt(text, at)) return true;
    previousInWord = inWord;
  }
  return false;
}

function formAt(text: string, at: number): boolean {
  const forms = formsByStart.get(startKey(text, at));
  if (forms === undefined) return false;
  for (const form of forms) {
    if (!text.startsWith(form.prefix, at)) continue;
    const from = at + form.prefix.length;
    const end = from + form.min;
    if (end > text.length || !runs(text, from, end, alphabets[form.alphabet])) continue;
    if (!form.mixed || isMixed(text.slice(from, end))) return true;
  }
  return false;
}

function runs(text: string, from: number, to: number, bit: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (code > 127 || ((alphabetBits[code] ?? 0) & bit) === 0) return false;
  }
  return true;
}

/** True for a text with capitals, small letters and digits. */
function isMixed(text: string): boolean {
  return /[0-9]/.test(text) && /[A-Z]/.test(text) && /[a-z]/.test(text);
}
