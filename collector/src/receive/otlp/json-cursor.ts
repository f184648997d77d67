/**
 * @module JSON cursor: reads JSON in place, byte by byte, in a body whose grammar the scan has
 * checked. Values that are not needed are skipped and never become strings.
 */
import { isUtf8 } from "node:buffer";

import { utf8Text } from "./byte-text.ts";
import type { KeyTable } from "./key-table.ts";

/** Bytes of JSON's own characters. */
export const char = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const;

/** Longest key that can match, with every character escaped. */
const keyBytesMax = 6 * 128;

/** A position in a scanned JSON body. */
export class JsonCursor {
  readonly bytes: Buffer;
  position = 0;
  /** True once a value had another type than requested; it was skipped. */
  fault = false;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The next byte that is not white space; the position stays on it. */
  peek(): number {
    const { bytes } = this;
    let at = this.position;
    let byte = bytes[at] as number;
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      byte = bytes[++at] as number;
    }
    this.position = at;
    return byte;
  }

  /** Skips the string at the position; returns where its content ends. */
  skipString(): number {
    const { bytes } = this;
    let at = this.position + 1;
    for (;;) {
      const close = bytes.indexOf(char.quote, at);
      let slashes = close - 1;
      while (bytes[slashes] === char.backslash) slashes--;
      // After an even number of backslashes a quote ends the string.
      if ((close - slashes) % 2 === 1) {
        this.position = close + 1;
        return close;
      }
      at = close + 1;
    }
  }

  /** Skips any value, without recursion. */
  skip(): void {
    let depth = 0;
    do {
      const byte = this.peek();
      if (byte === char.quote) this.skipString();
      else if (byte === char.openBrace || byte === char.openBracket) {
        depth++;
        this.position++;
      } else if (byte === char.closeBrace || byte === char.closeBracket) {
        depth--;
        this.position++;
      } else if (byte === char.comma || byte === char.colon) this.position++;
      else this.skipLiteral();
    } while (depth > 0);
  }

  /** Skips a number, true, false or null; returns where it ends. */
  skipLiteral(): number {
    const { bytes } = this;
    let at = this.position;
    for (; at < bytes.length; at++) {
      const byte = bytes[at] as number;
      if (byte <= 0x20 || byte === char.comma) break;
      if (byte === char.closeBrace || byte === char.closeBracket) break;
    }
    this.position = at;
    return at;
  }

  /** Skips a value of another type; null counts as absent, anything else as a fault. */
  private other(first: number): void {
    if (first !== 0x6e) this.fault = true;
    this.skip();
  }

  /** True before `{}`; the position is unchanged. */
  isEmptyObject(): boolean {
    if (this.peek() !== char.openBrace) return false;
    const start = this.position++;
    const empty = this.peek() === char.closeBrace;
    this.position = start;
    return empty;
  }

  /** Visits the members of the object at the position; null counts as an absent object. */
  object(keys: KeyTable, visit: (key: number) => void): void {
    const first = this.peek();
    if (first !== char.openBrace) return this.other(first);
    this.position++;
    while (this.peek() !== char.closeBrace) {
      const key = this.key(keys);
      this.peek();
      this.position++;
      const start = this.valueStart();
      if (key < 0) this.skip();
      else {
        visit(key);
        if (this.position === start) this.skip();
      }
      if (this.peek() === char.comma) this.position++;
    }
    this.position++;
  }

  private valueStart(): number {
    this.peek();
    return this.position;
  }

  /** Visits the entries of the array at the position; null counts as an empty one. */
  array(visit: () => void): void {
    const first = this.peek();
    if (first !== char.openBracket) return this.other(first);
    this.position++;
    while (this.peek() !== char.closeBracket) {
      visit();
      if (this.peek() === char.comma) this.position++;
    }
    this.position++;
  }

  /** Index of the key at the position, or -1; an escaped spelling counts as the same key. */
  key(keys: KeyTable): number {
    const start = this.position + 1;
    const end = this.skipString();
    return this.find(keys, start, end);
  }

  /** Finds a string's content in the table without creating a string. */
  find(keys: KeyTable, start: number, end: number): number {
    const { bytes } = this;
    if (end - start > keyBytesMax) return -1;
    for (let at = start; at < end; at++) {
      if (bytes[at] === char.backslash) {
        const plain = Buffer.from(this.unescape(start, end) ?? "\u0000", "utf8");
        return keys.find(plain, 0, plain.length);
      }
    }
    return keys.find(bytes, start, end);
  }

  /** Text of a string's content, escapes resolved; undefined when it is not well-formed text. */
  unescape(start: number, end: number): string | undefined {
    const part = this.bytes.subarray(start - 1, end + 1);
    if (!isUtf8(part)) return undefined;
    const text = JSON.parse(utf8Text(part, 0, part.length)) as string;
    return text.isWellFormed() ? text : undefined;
  }
}
