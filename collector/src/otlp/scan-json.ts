/**
 * @module Structural scan of a JSON body: the whole grammar of RFC 8259 in one iterative walk over
 * the bytes, with the same limits as the protobuf scan, before any object exists. The decoder that
 * comes after may then trust what it walks.
 */
import { CodedError, limits } from "@turnproof/semconv";

import { JsonCursor, char } from "./json-cursor.ts";
import { KeyTable } from "./key-table.ts";
import type { StructureCount } from "./scan-protobuf.ts";
import { malformed } from "./wire-cursor.ts";
import type { Signal } from "./wire-schema.ts";

/** Arrays around attributes at most: four down to a span's, one more for its events'. */
const outerArraysMax = 5;
/** Every level of a nested value opens at most four containers. */
const containersMax = 14 + 4 * limits.otlpDepthMax;

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
  "attributes",
]);
const keyNumber = (name: string): number => keys.names.indexOf(name);

/** What a container is: a role is known from the role around it and the key before it. */
const role = { other: 0, root: 1, group: 2, scope: 3, item: 4, lists: 5, attributes: 10 };

/** Keys on the way from the root to the items of a signal. */
const paths: { readonly [S in Signal]: readonly number[] } = {
  traces: ["resourceSpans", "scopeSpans", "spans"].map(keyNumber),
  logs: ["resourceLogs", "scopeLogs", "logRecords"].map(keyNumber),
  metrics: ["resourceMetrics", "scopeMetrics", "metrics"].map(keyNumber),
};
const attributesKey = keyNumber("attributes");
const pointsKey = keyNumber("dataPoints");

/**
 * Walks the whole body. Throws `otlp_malformed` (400) for anything that is not one JSON object, and
 * `otlp_too_many_spans`, `otlp_too_many_attributes`, `otlp_too_deep` (413) beyond the limits.
 */
export function scanJson(bytes: Buffer, signal: Signal): StructureCount {
  return new JsonScan(bytes, signal).run();
}

/** State of one walk; containers are counted on a stack of bytes, never by recursion. */
class JsonScan {
  private readonly bytes: Buffer;
  private readonly cursor: JsonCursor;
  private readonly path: readonly number[];
  private readonly metrics: boolean;
  private readonly roles = new Uint8Array(containersMax + 1);
  private readonly brackets = new Uint8Array(containersMax + 1);
  private depth = 0;
  private arrays = 0;
  /** Arrays around the values of the attributes that were begun last. */
  private outerArrays = outerArraysMax;
  private items = 0;
  private groups = 0;
  private attributes = 0;
  /** Key before the value at hand, or -1. */
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
        if (this.brackets[this.depth] === char.openBrace) this.member();
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

  /** Reads or opens one value; true when a value must follow (inside what was opened). */
  private value(byte: number): boolean {
    if (byte === char.openBrace || byte === char.openBracket) return this.open(byte);
    this.countEntry();
    if (byte === char.quote) this.string();
    else this.literal();
    return false;
  }

  private open(byte: number): boolean {
    const array = byte === char.openBracket;
    const next = this.roleInside(array);
    // Every level of a value but its innermost opens one array.
    if (array && ++this.arrays >= this.outerArrays + limits.otlpDepthMax) {
      throw new CodedError("otlp_too_deep");
    }
    if (this.depth >= containersMax) throw new CodedError("otlp_too_deep");
    this.countEntry();
    this.depth++;
    this.roles[this.depth] = next;
    this.brackets[this.depth] = byte;
    this.cursor.position++;
    if (array) this.key = -1;
    const empty = this.peek() === (array ? char.closeBracket : char.closeBrace);
    if (empty) return false;
    if (!array) this.member();
    return true;
  }

  private close(byte: number): void {
    const array = this.brackets[this.depth] === char.openBracket;
    if (byte !== (array ? char.closeBracket : char.closeBrace)) throw malformed("json");
    if (array) this.arrays--;
    this.depth--;
    this.cursor.position++;
  }

  /** Roles alternate: the list under a known key, then each object in it. */
  private roleInside(array: boolean): number {
    const around = this.roles[this.depth] as number;
    if (this.depth === 0) return role.root;
    if (!array)
      return around > role.lists && around < role.attributes ? around - role.lists + 1 : 0;
    const { key } = this;
    if (around >= role.root && around <= role.scope && key === this.path[around - 1]) {
      return role.lists + around;
    }
    if (key === attributesKey) {
      this.attributes = 0;
      // The array at hand is counted just after.
      this.outerArrays = Math.min(this.arrays + 1, outerArraysMax);
      return role.attributes;
    }
    return this.metrics && key === pointsKey ? role.lists + role.item : role.other;
  }

  /** Counts an entry of a list that has a limit. */
  private countEntry(): void {
    const around = this.roles[this.depth] as number;
    if (around === role.attributes) {
      if (++this.attributes > limits.otlpAttributesPerSpanMax) {
        throw new CodedError("otlp_too_many_attributes");
      }
    } else if (around === role.lists + (this.metrics ? role.item : role.scope)) this.items++;
    else if (around > role.lists && around < role.attributes) this.groups++;
    else return;
    if (this.items > limits.otlpSpansMax || this.groups > limits.otlpSpansMax) {
      throw new CodedError("otlp_too_many_spans");
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

  /** Checks a string's characters and escapes; answers where its content ends. */
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
