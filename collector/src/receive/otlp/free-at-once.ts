/**
 * @module FreeAtOnce: gives the memory of a large body back without the garbage collector, which
 * counts what lies outside its heap late: the next body would stand beside the one before.
 */

/** Smaller ones are left to the collector; Node's pool of small buffers must never go. */
const bytesMin = 262_144;

/** Frees bytes that fill their buffer; every view of it is empty afterwards. */
export function freeAtOnce(bytes: Uint8Array): void {
  const { buffer } = bytes;
  const fills = bytes.byteLength === buffer.byteLength && bytes.byteLength >= bytesMin;
  if (fills && buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
}
