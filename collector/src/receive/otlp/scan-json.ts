/**
 * @module Structural scan of a JSON body: checks the complete grammar of RFC 8259 in one iterative
 * walk over the bytes, before any object exists. It counts the items and checks the lists that
 * contain them, so that the decoder can rely on the structure.
 */
import { JsonCursor, char } from "./json-cursor.ts";
import { KeyTable } from "./key-table.ts";
import type { StructureCount } from "./scan-protobuf.ts";
import { malformed } from "./wire-cursor.ts";
import type { Signal } from "./wire-schema.ts";

/** Levels from the root down to an item; deeper ones have no role. */
const rolesMax = 16;

const keys = new KeyTable([
  "resourceSpans",
  "scopeSpans",
  "spans",
  "resourceLogs",
  "scopeLogs",
  "logRecords",
  "resourceMetrics",
  "scopeMetrics",
  "metrics",
  "dataPoints",
]);
const keyNumber = (name: string): number => keys.names.indexOf(name);

/** Role of a container: from the role around it and the key before it. */
const role = { other: 0, root: 1, group: 2, scope: 3, item: 4, lists: 5, end: 10 };

/** Keys from the root to the items of a signal. */
const paths: { readonly [S in Signal]: readonly number[] } = {
  traces: ["resourceSpans", "scopeSpans", "spans"].map(keyNumber),
  logs: ["resourceLogs", "scopeLogs", "logRecords"].map(keyNumber),
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"].map(keyNumber),
};
const pointsKey = keyNumber("dataPoints");

/**
 * Walks the complete body. Throws `otlp_malformed` (400) for anything but one JSON object, and for
 * a value in place of a list that contains items.
 */
export function scanJson(bytes: Buffer, signal: Signal): StructureCount {
  return new JsonScan(bytes, signal).run();
}

/** State of one walk; containers are on a stack of bits, not in recursion. */
class JsonScan {
  private readonly bytes: Buffer;
  private readonly cursor: JsonCursor;
  private readonly path: readonly number[];
  private readonly metrics: boolean;
  private readonly roles = new Uint8Array(rolesMax);
  private readonly open = new BracketStack();
  private depth = 0;
  private items = 0;
  /** Key before the present value, or -1. */
  private key = -1;

  constructor(bytes: Buffer, signal: Signal) {
    this.bytes = bytes;
    this.cursor = new JsonCursor(bytes);
    this.path = paths[signal];
    this.metrics = signal === "metrics";
  }

  run(): StructureCount {
    const { cursor } = this;
    if (this.peek() !== char.openBrace) throw malformed("json");
    let valueNext = true;
    do {
      const byte = this.peek();
      if (valueNext) valueNext = this.value(byte);
      else if (byte === char.comma) {
        cursor.position++;
        if (!this.open.isArray(this.depth)) this.member();
        valueNext = true;
      } else {
        this.close(byte);
      }
    } while (this.depth > 0);
    if (!Number.isNaN(this.peekOrEnd())) throw malformed("json_trailing");
    return { items: this.items };
  }

  private peekOrEnd(): number {
    const byte = this.cursor.peek() as number | undefined;
    return byte ?? Number.NaN;
  }

  private peek(): number {
    const byte = this.peekOrEnd();
    if (Number.isNaN(byte)) throw malformed("truncated");
    return byte;
  }

  /** Reads or opens one value; true when a value must follow (inside of the opened container). */
  private value(byte: number): boolean {
    if (byte === char.openBrace || byte === char.openBracket) return this.openOne(byte);
    this.entry(byte);
    if (byte === char.quote) this.string();
    else this.literal();
    return false;
  }

  private openOne(byte: number): boolean {
    const array = byte === char.openBracket;
    this.entry(byte);
    const next = this.roleInside(array);
    this.depth++;
    if (this.depth < rolesMax) this.roles[this.depth] = next;
    this.open.set(this.depth, array);
    this.cursor.position++;
    if (array) this.key = -1;
    const empty = this.peek() === (array ? char.closeBracket : char.closeBrace);
    if (empty) return false;
    if (!array) this.member();
    return true;
  }

  private close(byte: number): void {
    const array = this.open.isArray(this.depth);
    if (byte !== (array ? char.closeBracket : char.closeBrace)) throw malformed("json");
    this.depth--;
    this.cursor.position++;
  }

  private roleAround(): number {
    return this.depth < rolesMax ? (this.roles[this.depth] as number) : role.other;
  }

  /** Roles alternate: the list under a known key, then each object in it. */
  private roleInside(array: boolean): number {
    const around = this.roleAround();
    if (this.depth === 0) return role.root;
    if (!array) return around > role.lists && around < role.end ? around - role.lists + 1 : 0;
    if (this.isPathKey(around)) return role.lists + around;
    return this.metrics && this.key === pointsKey ? role.lists + role.item : role.other;
  }

  /** True when the present key leads to the items. */
  private isPathKey(around: number): boolean {
    return (
      around >= role.root && around <= role.scope && this.key === (this.path[around - 1] as number)
    );
  }

  /**
   * Counts an item, and checks the path to the items: a list under each known key, with objects in
   * it. null counts as absent; the decoder rejects items of another form.
   */
  private entry(byte: number): void {
    const around = this.roleAround();
    if (around === role.lists + (this.metrics ? role.item : role.scope)) this.items++;
    else if (byte === 0x6e || around === role.other) return;
    else if (around > role.lists) {
      if (byte !== char.openBrace) throw malformed("object_expected");
    } else if (this.isPathKey(around) && byte !== char.openBracket) {
      throw malformed("array_expected");
    }
  }

  /** A key and its colon. */
  private member(): void {
    if (this.peek() !== char.quote) throw malformed("json");
    const start = this.cursor.position + 1;
    const end = this.string();
    this.key = this.cursor.find(keys, start, end);
    if (this.peek() !== char.colon) throw malformed("json");
    this.cursor.position++;
  }

  /** Checks a string's characters and escapes; returns where its content ends. */
  private string(): number {
    const { bytes, cursor } = this;
    let at = cursor.position + 1;
    for (;;) {
      const byte = bytes[at];
      if (byte === undefined || byte < 0x20) throw malformed("json_string");
      if (byte === char.quote) break;
      at = byte === char.backslash ? this.escape(at + 1) : at + 1;
    }
    cursor.position = at + 1;
    return at;
  }

  private escape(at: number): number {
    const byte = this.bytes[at];
    if (byte !== 0x75) {
      if (byte === undefined || !'"\\/bfnrt'.includes(String.fromCharCode(byte))) {
        throw malformed("json_escape");
      }
      return at + 1;
    }
    for (let digit = at + 1; digit <= at + 4; digit++) {
      if (!isHex(this.bytes[digit])) throw malformed("json_escape");
    }
    return at + 5;
  }

  private literal(): void {
    const { bytes, cursor } = this;
    const start = cursor.position;
    const end = cursor.skipLiteral();
    const word = literals.find((literal) => literal[0] === bytes[start]);
    const known =
      word === undefined ? isNumber(bytes, start, end) : spells(bytes, start, end, word);
    if (!known) throw malformed("json_literal");
  }
}

const literals = ["true", "false", "null"].map((word) => Buffer.from(word, "latin1"));

function spells(bytes: Buffer, start: number, end: number, word: Buffer): boolean {
  return end - start === word.length && bytes.compare(word, 0, word.length, start, end) === 0;
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** True when `bytes[start, end)` is a number by RFC 8259. */
function isNumber(bytes: Buffer, start: number, end: number): boolean {
  let at = bytes[start] === 0x2d ? start + 1 : start;
  const digits = (): boolean => {
    const from = at;
    while (at < end && isDigit(bytes[at])) at++;
    return at > from;
  };
  if (bytes[at] === 0x30) at++;
  else if (!digits()) return false;
  if (at < end && bytes[at] === 0x2e) {
    at++;
    if (!digits()) return false;
  }
  if (at < end && ((bytes[at] as number) | 0x20) === 0x65) {
    at++;
    if (bytes[at] === 0x2b || bytes[at] === 0x2d) at++;
    if (!digits()) return false;
  }
  return at === end && end > start;
}

/** True for the byte of a hex digit. */
function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  if (byte >= 0x30 && byte <= 0x39) return true;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66;
}

/**
 * Which of the open containers are arrays, one bit each: a body may nest as deep as it is long.
 */
class BracketStack {
  private bits = new Uint32Array(64);

  set(depth: number, array: boolean): void {
    const word = depth >>> 5;
    if (word >= this.bits.length) {
      const wider = new Uint32Array(this.bits.length * 2);
      wider.set(this.bits);
      this.bits = wider;
    }
    const mask = 1 << (depth & 31);
    const bits = this.bits[word] as number;
    this.bits[word] = array ? bits | mask : bits & ~mask;
  }

  isArray(depth: number): boolean {
    return ((this.bits[depth >>> 5] as number) & (1 << (depth & 31))) !== 0;
  }
}
