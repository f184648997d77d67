/** @module UTF-8: the length of a text on a wire, without encoding it and without Node. */

/** Bytes of the text as UTF-8. A lone surrogate counts as U+FFFD, which encoders write for it. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    bytes += code < 0x800 ? 1 : 2;
    // A pair is four bytes: its first half counts three here, its second half the fourth.
    if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) index += 1;
  }
  return bytes;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
