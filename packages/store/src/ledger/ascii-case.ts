/** @module AsciiCase: text without the difference of upper and lower case of ASCII letters. */

/** The text with its ASCII letters in lower case; other letters are unchanged. */
export function foldedAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}
