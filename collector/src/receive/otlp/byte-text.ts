/**
 * @module Byte text: short slices of a buffer as text. The direct slice methods of Node's Buffer
 * skip the encoding look-up of `toString`, which is measurable on the span path.
 */
interface Sliceable {
  latin1Slice(start: number, end: number): string;
  utf8Slice(start: number, end: number): string;
  hexSlice(start: number, end: number): string;
}

const sliceable = (bytes: Buffer): Sliceable => bytes as unknown as Sliceable;

/** Text of bytes below 0x80. */
export function asciiText(bytes: Buffer, start: number, end: number): string {
  return sliceable(bytes).latin1Slice(start, end);
}

/** Text of bytes that are known to be UTF-8. */
export function utf8Text(bytes: Buffer, start: number, end: number): string {
  return sliceable(bytes).utf8Slice(start, end);
}

/** Hex digits in lower case. */
export function hexText(bytes: Buffer, start: number, end: number): string {
  return sliceable(bytes).hexSlice(start, end);
}
