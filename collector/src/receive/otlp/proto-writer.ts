/** @module Proto writer: the few protobuf fields of our answers. */

/** A varint in its shortest form. */
function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest = Math.floor(rest / 128);
  }
  return [...bytes, rest];
}

/** A field of an unsigned number or an enum. */
export function uintField(field: number, value: number): Buffer {
  return Buffer.from([...varint(field * 8), ...varint(value)]);
}

/** A field of bytes, text or a message. */
export function bytesField(field: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from([...varint(field * 8 + 2), ...varint(bytes.byteLength)]),
    bytes,
  ]);
}
