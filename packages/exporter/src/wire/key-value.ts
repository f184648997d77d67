/**
 * @module Key value: OTLP's `KeyValue` messages. The part that depends on the name is built once
 * per name; names come from the registry and the dialects' tables, so they are few.
 */
import { varintBytes } from "./byte-writer.ts";
import type { ByteWriter } from "./byte-writer.ts";

/** Tags of `AnyValue` and of the fields around it. */
const tags = {
  key: 0x0a,
  value: 0x12,
  string: 0x0a,
  boolean: 0x10,
  int: 0x18,
  double: 0x21,
  array: 0x2a,
  entry: 0x0a,
} as const;

/** Most names whose heads are cached; more would mean names from outside the registry. */
const headsMax = 2_048;
const heads: Map<string, Uint8Array> = new Map();

/** Tag, length and text of the key, and the tag of the value after it. */
function headOf(name: string): Uint8Array {
  const known = heads.get(name);
  if (known !== undefined) return known;
  const key = new TextEncoder().encode(name);
  const lengthBytes = varintBytes(key.length);
  const head = new Uint8Array(key.length + lengthBytes + 2);
  head[0] = tags.key;
  head[1] = lengthBytes === 1 ? key.length : (key.length & 127) | 128;
  if (lengthBytes === 2) head[2] = key.length >>> 7;
  head.set(key, lengthBytes + 1);
  head[head.length - 1] = tags.value;
  if (heads.size >= headsMax) heads.clear();
  heads.set(name, head);
  return head;
}

/** Writes one attribute under a field's tag. */
export function writeKeyValue(to: ByteWriter, tag: number, name: string, value: unknown): void {
  const head = headOf(name);
  // Nearly every attribute is a text, whose lengths are all known before writing.
  if (typeof value === "string") return to.textPair(tag, head, value);
  if (Number.isInteger(value) && (value as number) >= 0 && (value as number) < 0x8000_0000) {
    return to.numberPair(tag, head, tags.int, value as number);
  }
  to.byte(tag);
  const pair = to.open(1);
  to.copy(head);
  const inner = to.open(1);
  writeAnyValue(to, value);
  to.close(inner, 1);
  to.close(pair, 1);
}

function writeAnyValue(to: ByteWriter, value: unknown): void {
  switch (typeof value) {
    case "string":
      to.byte(tags.string);
      to.text(value);
      return;
    case "boolean":
      to.byte(tags.boolean);
      to.byte(value ? 1 : 0);
      return;
    case "number":
      if (Number.isSafeInteger(value)) {
        to.byte(tags.int);
        to.varint(value);
      } else {
        to.byte(tags.double);
        to.double(value);
      }
      return;
    default:
      if (Array.isArray(value)) writeArray(to, value);
  }
}

function writeArray(to: ByteWriter, list: readonly unknown[]): void {
  to.byte(tags.array);
  const array = to.open(1);
  for (const entry of list) {
    to.byte(tags.entry);
    const inner = to.open(1);
    writeAnyValue(to, entry);
    to.close(inner, 1);
  }
  to.close(array, 1);
}
