/**
 * @module Text memo: short allowlisted values repeat (a model, a tool, a thread), so a bounded
 * direct-mapped table returns the string created before. It also speeds up the guard's own memo,
 * because a reused string keeps its hash.
 */
import { isUtf8 } from "node:buffer";

import { asciiText, utf8Text } from "./byte-text.ts";

/** Slots, and the longest stored text in bytes. */
const slotCount = 8_192;
const textBytesMax = 64;

/** Never throws: `undefined` means that the bytes are not UTF-8. */
export class TextMemo {
  private readonly slots: (string | undefined)[] = Array.from({ length: slotCount });

  /** The text at `bytes[start, end)`, or undefined when it is not valid UTF-8. */
  read(bytes: Buffer, start: number, end: number): string | undefined {
    const length = end - start;
    if (length > textBytesMax) return decode(bytes, start, end);
    const slot = slotOf(bytes, start, end);
    const known = this.slots[slot];
    // Stored texts are ASCII, so bytes equal to one are valid.
    if (known !== undefined && known.length === length && same(known, bytes, start)) return known;
    for (let at = start; at < end; at++) {
      if ((bytes[at] as number) > 0x7f) return decode(bytes, start, end);
    }
    const text = asciiText(bytes, start, end);
    this.slots[slot] = text;
    return text;
  }
}

/** Uses the length and the last bytes, in which ids of one kind differ. */
function slotOf(bytes: Buffer, start: number, end: number): number {
  let hash = end - start;
  const from = end - start > 12 ? end - 12 : start;
  for (let at = from; at < end; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
  return (hash ^ (hash >>> 13)) & (slotCount - 1);
}

function same(text: string, bytes: Buffer, start: number): boolean {
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== bytes[start + at]) return false;
  }
  return true;
}

function decode(bytes: Buffer, start: number, end: number): string | undefined {
  const part = bytes.subarray(start, end);
  return isUtf8(part) ? utf8Text(bytes, start, end) : undefined;
}
