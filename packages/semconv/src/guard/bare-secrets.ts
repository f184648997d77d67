/**
 * @module Bare secrets: credentials recognized by alphabet and length alone, bot tokens whose head
 * is a number in base64, and a name and a password in base64.
 */

/** Fewest characters of a bare secret. */
const bareCharsMin = 40;

/** Length of a cloud provider's secret, in base64 without padding. */
const cloudChars = 40;

/** Length of an Azure DevOps token, in base32. */
const base32Chars = 52;

/** Characters of base64 keys of 32, 40 and 64 bytes, by their number of padding characters. */
const paddedChars: readonly (readonly number[])[] = [[], [43], [86, 54]];

/**
 * Marks of Azure's services in keys of 39 bytes, and their distance from the end in characters.
 */
const azureMarks: ReadonlySet<string> = new Set(
  "AzSe AzCa AzFu +ACR +AEh +ARm +ASb +ABa".split(" "),
);
const azureChars = 52;
const azureTailChars = 6;

/** What precedes a digest in base64, which is no secret. */
const digestPattern: RegExp = /sha\d{1,3}[-:]$/i;

/** True when a word of the text is a bare secret. Linear in the text. */
export function hasBareSecret(text: string): boolean {
  if (text.length < bareCharsMin) return false;
  let run = 0;
  for (let at = 0; at <= text.length; at++) {
    if (at < text.length && isPlainBase64(text.charCodeAt(at))) run++;
    else {
      if (run >= bareCharsMin && isBareSecret(text, at - run, at)) return true;
      run = 0;
    }
  }
  return false;
}

/** True when the run of base64 characters between two places is a secret, or ends in one. */
function isBareSecret(text: string, from: number, to: number): boolean {
  if (text.charCodeAt(to) === 61) return endsPadded(text, from, to);
  if (
    to - from >= azureChars &&
    azureMarks.has(text.slice(to - azureTailChars - 4, to - azureTailChars))
  ) {
    return true;
  }
  const small = to - base32Chars;
  if (opensAt(text, from, small) && isBase32(text.slice(small, to))) {
    return standsAlone(text, small, to);
  }
  if (opensAt(text, from, to - cloudChars)) {
    const word = text.slice(to - cloudChars, to);
    const marked = word.includes("+") || word.includes("/");
    if (isRandomWord(word) && (marked || standsAlone(text, to - cloudChars, to))) return true;
  }
  const word = text.slice(from, to);
  return word.includes("+") && isRandomWord(word);
}

/** True where a run begins, or continues after a character that may separate it. */
function opensAt(text: string, from: number, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  return at === from || (at > from && (before === 47 || before === 43));
}

/** True for a key before its padding; a digest has a mark. */
function endsPadded(text: string, from: number, to: number): boolean {
  const pads = text.charCodeAt(to + 1) === 61 ? 2 : 1;
  return (paddedChars[pads] as readonly number[]).some(
    (chars) =>
      opensAt(text, from, to - chars) &&
      isRandomWord(text.slice(to - chars, to)) &&
      !digestPattern.test(text.slice(0, to - chars)),
  );
}

/** True for small letters and the digits of base32, two to seven. */
function isBase32(word: string): boolean {
  return /^[a-z2-7]+$/.test(word) && /\d/.test(word);
}

/**
 * True for a word that is not part of a longer one; a short prefix in small letters is allowed.
 */
function standsAlone(text: string, from: number, to: number): boolean {
  const after = text.charCodeAt(to);
  if (after === 45 || (after === 95 && to < text.length - 1)) return false;
  const before = text.charCodeAt(from - 1);
  return (
    (before !== 45 && before !== 95) ||
    /(?:^|[^A-Za-z0-9_-])[a-z]{0,8}[_-]$/.test(text.slice(0, from))
  );
}

/** Fewest bits per character of a random word. */
const randomBitsMin = 4.3;

/** Largest share of a random word's characters in runs of four small letters. */
const wordyShareMax = 0.4;

/** True for capitals, small letters and digits in random order; words and paths are ordered. */
function isRandomWord(word: string): boolean {
  if (!/\d/.test(word) || !/[A-Z][^A-Z]*[A-Z][^A-Z]*[A-Z]/.test(word)) return false;
  if (!/[a-z][^a-z]*[a-z][^a-z]*[a-z]/.test(word)) return false;
  let wordy = 0;
  let lower = 0;
  for (let at = 0; at <= word.length; at++) {
    const code = word.charCodeAt(at);
    if (code > 96 && code < 123) lower++;
    else {
      if (lower > 3) wordy += lower;
      lower = 0;
    }
  }
  return wordy < word.length * wordyShareMax && entropy(word) > randomBitsMin;
}

/** Shannon entropy in bits per character. */
export function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values())
    bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isPlainBase64(code: number): boolean {
  if (code > 96) return code < 123;
  return code > 64 ? code < 91 : (code > 46 && code < 58) || code === 43;
}

/** A bot's number in base64, then a time and a signature. */
const botPattern: RegExp =
  /(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,7}[A-Za-z]{0,3}\.[A-Za-z0-9_-]{6,7}\.[A-Za-z0-9_-]{27}/;

/** The form in public scanners: a first part of any content, with a digit. */
const scannedBotPattern: RegExp =
  /(?:^|[^A-Za-z0-9])[MNO][A-Za-z0-9]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27}/;

/** True for the token of a Discord bot. */
export function hasBotToken(text: string): boolean {
  if (text.length < 58 || !text.includes(".")) return false;
  if (botPattern.test(text)) return true;
  const scanned = scannedBotPattern.exec(text);
  return scanned !== null && /[0-9]/.test(scanned[0]);
}

/** One line: a name, a colon and what follows. */
const pairPattern: RegExp = /^([^:\n]{0,80}):([^\n]{3,200})$/m;

/** A number, a UUID or other hex digits: an id behind the name of its type. */
const idValuePattern: RegExp = /^(?:\d+|[0-9A-Fa-f-]{8,}|[0-9A-HJKMNP-TV-Z]{26})$/;

/**
 * True when a text decoded from base64 is a name and a password, as HTTP sends them. Wrapped ids
 * of APIs are kept: a type with a capital or a number, and an id; a word and a number.
 */
export function isBasicPair(inner: string): boolean {
  const pair = pairPattern.exec(inner);
  if (pair === null) return false;
  const [, name = "", value = ""] = pair;
  if (idValuePattern.test(value)) return false;
  return !(/^[A-Z0-9]/.test(name) && /^[A-Za-z0-9_.:/-]+$/.test(value));
}
