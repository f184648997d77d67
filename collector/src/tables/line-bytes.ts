/**
 * @module LineBytes: lines of text written as bytes, value by value. A line made of strings costs
 * an object for each part, and is copied and encoded as a whole afterwards; most values are ASCII,
 * which needs no encoder.
 */
import { isoOfMicros } from "@turnproof/semconv";

/** Signs by their code: 1 where a value with one is written another way. */
type Marks = Readonly<Uint8Array>;

const [quote, zero] = [0x22, 0x30];
const firstWide = 0x80;
const startBytes = 64 * 1_024;

/**
 * Bytes from which a piece is passed on. The allocator keeps blocks below 128 KiB and returns
 * larger ones at once, so that each larger buffer is mapped page by page (decision 0021).
 */
export const pieceBytes = 96 * 1_024;
const decimalMicros = 6;

/** The signs for which a cell of CSV is quoted. */
const csvMarks = marksOf((code) => [quote, 0x2c, 0x0d, 0x0a].includes(code));
/** The signs that JSON escapes. */
const jsonMarks = marksOf((code) => code < 0x20 || code === quote || code === 0x5c);
const noMarks = marksOf(() => false);

function marksOf(isMarked: (code: number) => boolean): Marks {
  return Uint8Array.from({ length: firstWide }, (_, code) => (isMarked(code) ? 1 : 0));
}

/** Lines that are being written. */
export class LineBytes {
  #bytes: Buffer<ArrayBuffer> = Buffer.allocUnsafeSlow(startBytes);
  #at = 0;
  #second = NaN;
  #secondText = "";

  /** Bytes so far. */
  get length(): number {
    return this.#at;
  }

  /** A text without quoting. */
  text(text: string): void {
    if (!this.#plain(text, noMarks)) this.#encoded(text);
  }

  /** Bytes as they are. */
  bytes(bytes: Uint8Array): void {
    this.#room(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  /** One sign of ASCII. */
  sign(code: number): void {
    this.signs(code, 1);
  }

  /** The sign, repeated. */
  signs(code: number, count: number): void {
    this.#room(count);
    for (let more = 0; more < count; more += 1) this.#bytes[this.#at + more] = code;
    this.#at += count;
  }

  /** A text as a cell of CSV; quoted where it is empty or has a separator. */
  cell(text: string): void {
    if (text === "") this.text('""');
    else if (!this.#plain(text, csvMarks) && !this.#quotedCell(text)) {
      this.#encoded(/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    }
  }

  /** A text as a string of JSON. */
  jsonString(text: string): void {
    const from = this.#at;
    this.sign(quote);
    if (this.#plain(text, jsonMarks)) this.sign(quote);
    else {
      this.#at = from;
      this.#encoded(JSON.stringify(text));
    }
  }

  /** Microseconds since the epoch as ISO 8601. */
  time(micros: number): void {
    if (!Number.isSafeInteger(micros)) return this.text(isoOfMicros(micros));
    const second = Math.floor(micros / 1_000_000);
    if (second !== this.#second) {
      // Without the digits of the fraction and the zone.
      this.#secondText = isoOfMicros(second * 1_000_000).slice(0, -(decimalMicros + 1));
      this.#second = second;
    }
    this.text(this.#secondText);
    this.#room(decimalMicros + 1);
    let rest = micros - second * 1_000_000;
    for (let digit = decimalMicros - 1; digit >= 0; digit -= 1) {
      const whole = Math.floor(rest / 10);
      this.#bytes[this.#at + digit] = zero + rest - whole * 10;
      rest = whole;
    }
    this.#bytes[this.#at + decimalMicros] = 0x5a;
    this.#at += decimalMicros + 1;
  }

  /** What was written. Nothing more can be added. */
  done(): Uint8Array<ArrayBuffer> {
    return new Uint8Array(this.#bytes.buffer, 0, this.#at);
  }

  /**
   * What was written, in bytes of its own, and starts again: the next lines are written over these.
   */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#bytes.buffer.slice(0, this.#at));
    this.#at = 0;
    return bytes;
  }

  /** Makes room for what is expected, so that it is not copied as it grows. */
  expect(bytes: number): void {
    this.#room(bytes, bytes);
  }

  /** Writes a text of ASCII without a marked sign; nothing for another, and false. */
  #plain(text: string, marks: Marks): boolean {
    const { length } = text;
    this.#room(length);
    const [bytes, from] = [this.#bytes, this.#at];
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= firstWide || marks[code] === 1) return false;
      bytes[from + at] = code;
    }
    this.#at = from + length;
    return true;
  }

  /** The same for a text in quotes, in which a quote is doubled. */
  #quotedCell(text: string): boolean {
    const { length } = text;
    this.#room(length * 2 + 2);
    const bytes = this.#bytes;
    let to = this.#at;
    bytes[to++] = quote;
    for (let at = 0; at < length; at += 1) {
      const code = text.charCodeAt(at);
      if (code >= firstWide) return false;
      bytes[to++] = code;
      if (code === quote) bytes[to++] = quote;
    }
    bytes[to++] = quote;
    this.#at = to;
    return true;
  }

  #encoded(text: string): void {
    // The most that a unit of a text has in UTF-8.
    this.#room(text.length * 3);
    this.#at += this.#bytes.write(text, this.#at, "utf8");
  }

  #room(bytes: number, least = this.#bytes.length * 2): void {
    const needed = this.#at + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(needed, least));
    larger.set(this.#bytes.subarray(0, this.#at));
    this.#bytes = larger;
  }
}
