/**
 * @module Wire writer: protocol buffers byte by byte, so that a test can write what no encoder
 * would. Shares no line with the decoder.
 */
type Bytes = Uint8Array | readonly number[];

/** A varint in its shortest form. */
function varint(value: number | bigint): number[] {
  const bytes: number[] = [];
  let rest = BigInt(value);
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  return [...bytes, Number(rest)];
}

/** A tag. */
export function tag(field: number, wireType: number): number[] {
  return varint((BigInt(field) << 3n) | BigInt(wireType));
}

/** A length-delimited field. */
export function bytes(field: number, ...content: Bytes[]): Uint8Array {
  const body = Buffer.concat(content.map((part) => Uint8Array.from(part)));
  return Buffer.concat([Buffer.from([...tag(field, 2), ...varint(body.length)]), body]);
}

/** A text field. */
export function text(field: number, value: string): Uint8Array {
  return bytes(field, Buffer.from(value, "utf8"));
}

/** A varint field. */
export function number(field: number, value: number | bigint): Uint8Array {
  return Uint8Array.from([...tag(field, 0), ...varint(value)]);
}

/** A fixed64 field. */
export function fixed64(field: number, value: bigint): Uint8Array {
  const out = Buffer.alloc(8);
  out.writeBigUInt64LE(value);
  return Buffer.concat([Buffer.from(tag(field, 1)), out]);
}

/** A KeyValue in the given field, its value an AnyValue's content. */
export function pair(field: number, key: string, ...value: Bytes[]): Uint8Array {
  return bytes(field, text(1, key), bytes(2, ...value));
}

/** A KeyValue with a text. */
export function textPair(field: number, key: string, value: string): Uint8Array {
  return pair(field, key, text(1, value));
}

export const traceId: Uint8Array = Buffer.from("0af7651916cd43dd8448eb211c80319c", "hex");
export const spanId: Uint8Array = Buffer.from("b7ad6b7169203331", "hex");

/** Ids and times that every valid span has. */
export const spanBasics: readonly Uint8Array[] = [
  bytes(1, traceId),
  bytes(2, spanId),
  fixed64(7, 1_790_000_000_000_000_001n),
  fixed64(8, 1_790_000_000_500_000_002n),
];

/** A span with the basics and more fields. */
export function span(...fields: Bytes[]): Uint8Array {
  return bytes(2, ...spanBasics, ...fields);
}

/** A trace request of one resource and one scope around what is given. */
export function request(...spans: Bytes[]): Uint8Array {
  return bytes(1, bytes(1, textPair(1, "service.name", "shop")), bytes(2, ...spans));
}
