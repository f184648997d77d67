/**
 * @module Folded: a text beyond ASCII as a reader sees it: full-width and mathematical letters,
 * look-alike letters of other scripts and digits of any script become ASCII; joining and accent
 * marks are removed. Only display names contain such texts.
 */

/** Letters that look like a Latin one, with that letter. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  (
    "аa вb сc ԁd еe ғf ԍg һh іi јj кk ԛq мm пn оo рp гr ѕs тt υu ѵv ԝw хx уy " +
    "АA ВB СC ԀD ЕE ԌG НH ІI ЈJ КK МM ОO РP ЅS ТT ѴV ԜW ХX ҮY ӏl ІI Ӏl " +
    "αa βb εe ηn ιi κk νv οo ρp τt υu χx γy ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX " +
    "ıi ɑa ɡg ʟL ᴀA ᴄc ᴏo ꜱs ᴢz օo ոn սu ցg"
  )
    .split(" ")
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
);

const wideDigit: RegExp = /\p{Nd}/u;

/** The value of a digit of any script: the digits of a script are consecutive from zero. */
function digitOf(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  for (let value = 0; value < 10; value++) {
    if (!wideDigit.test(String.fromCodePoint(code - value - 1))) return String(value);
  }
  return char;
}

/** The text in ASCII where it looks like ASCII, or undefined when nothing changes. */
export function fold(text: string): string | undefined {
  let folded = "";
  for (const char of text.normalize("NFKD")) {
    if (char < "\u0080") folded += char;
    else if (/[\p{M}\p{Cf}]/u.test(char)) continue;
    else if (wideDigit.test(char)) folded += digitOf(char);
    else folded += lookAlikes.get(char) ?? char;
  }
  return folded === text ? undefined : folded;
}

/** Escapes of a character: percent, backslash and number, entity. */
const escapePattern: RegExp =
  /%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|&#(?:\d{1,7}|x[0-9A-Fa-f]{1,6});?/g;

/** The text with its escapes decoded, or undefined when it has none. */
export function unescaped(text: string): string | undefined {
  if (!text.includes("%") && !text.includes("\\") && !text.includes("&#")) return undefined;
  const read = text.replace(escapePattern, (escape) => {
    const hex = /^(?:%|\\u|\\x|&#x)([0-9A-Fa-f]+)/.exec(escape)?.[1];
    const code = hex === undefined ? Number(/\d+/.exec(escape)?.[0]) : parseInt(hex, 16);
    return code > 0 && code < 0x110000 ? String.fromCodePoint(code) : " ";
  });
  return read === text ? undefined : read;
}
