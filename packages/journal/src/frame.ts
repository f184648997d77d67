/**
 * @module Frame: the record format of every file of the journal. Little-endian, 44 bytes of header
 * and the payload:
 *
 * 0 magic u32 · 4 version u8 · 5 kind u8 · 6 zero u16 · 8 payload bytes u32 · 12 spans u32
 * 16 sequence u64 · 24 lag u32 · 28 appended at, ms u64 · 36 CRC32 of the payload u32
 * 40 CRC32 of bytes 0 to 39 u32
 *
 * The header has a checksum of its own, so that a length is used only when it is sound and a
 * search for the next frame stays linear. `lag` is the sequence minus the last acknowledged one:
 * each frame records how far acknowledgement had come when it was written, by which recovery
 * distinguishes a lost frame from an unfinished write. The magic contains two bytes that UTF-8
 * never contains, so no text in a payload can look like a frame. Every later version keeps bytes 0
 * to 43 unchanged; the version concerns the payload.
 */
import { crc32 } from "node:zlib";

import { CodedError } from "@turnproof/semconv";

/** Version that this build writes; it reads this and every older one. */
const formatVersion = 1;
/** Bytes before the payload. */
export const frameHeaderBytes = 44;
/** Larger payloads are refused on append and treated as damage when read. */
export const framePayloadBytesMax: number = 96 * 1024 * 1024;
/** First bytes of every frame. */
export const frameMagic: Buffer = Buffer.from([0xf5, 0x54, 0x50, 0xff]);

/** Content of a frame: appended data, the head of a segment, a quarantined row or a checkpoint. */
export const frameKind = { data: 1, segment: 2, quarantine: 3, checkpoint: 4 } as const;
export type FrameKind = (typeof frameKind)[keyof typeof frameKind];

/** A header that passed its checksum. */
export interface FrameHeader {
  readonly kind: number;
  readonly payloadBytes: number;
  readonly spans: number;
  readonly sequence: number;
  readonly lag: number;
  readonly appendedAtMs: number;
  readonly payloadCrc: number;
}

/** Header fields that `writeFrame` writes before a payload. */
export interface FrameFields {
  readonly kind: FrameKind;
  readonly spans: number;
  readonly sequence: number;
  readonly lag: number;
  readonly appendedAtMs: number;
}

const lagMax = 0xffff_ffff;
const magicNumber = frameMagic.readUInt32LE(0);

/** Writes the header for the payload at the offset and returns the offset after it. */
export function writeHeader(
  target: Buffer,
  offset: number,
  fields: FrameFields,
  payload: Uint8Array,
): number {
  target.writeUInt32LE(magicNumber, offset);
  target.writeUInt8(formatVersion, offset + 4);
  target.writeUInt8(fields.kind, offset + 5);
  target.writeUInt16LE(0, offset + 6);
  target.writeUInt32LE(payload.byteLength, offset + 8);
  target.writeUInt32LE(fields.spans, offset + 12);
  writeUint64(target, fields.sequence, offset + 16);
  target.writeUInt32LE(Math.min(lagMax, fields.lag), offset + 24);
  writeUint64(target, fields.appendedAtMs, offset + 28);
  target.writeUInt32LE(crc32(payload), offset + 36);
  target.writeUInt32LE(crc32(target.subarray(offset, offset + 40)), offset + 40);
  return offset + frameHeaderBytes;
}

/** A complete frame in its own buffer. */
export function encodeFrame(fields: FrameFields, payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(frameHeaderBytes + payload.byteLength);
  frame.set(payload, writeHeader(frame, 0, fields, payload));
  return frame;
}

/**
 * The header at the offset, or undefined when there is none. The buffer must hold 44 bytes there.
 * Throws `store_version_newer` for a sound header of a version after this build's.
 */
export function readHeader(source: Buffer, offset: number): FrameHeader | undefined {
  if (source.readUInt32LE(offset) !== magicNumber) return undefined;
  if (crc32(source.subarray(offset, offset + 40)) !== source.readUInt32LE(offset + 40)) {
    return undefined;
  }
  if (source.readUInt8(offset + 4) > formatVersion) throw new CodedError("store_version_newer");
  const payloadBytes = source.readUInt32LE(offset + 8);
  if (payloadBytes > framePayloadBytesMax) return undefined;
  return {
    kind: source.readUInt8(offset + 5),
    payloadBytes,
    spans: source.readUInt32LE(offset + 12),
    sequence: readUint64(source, offset + 16),
    lag: source.readUInt32LE(offset + 24),
    appendedAtMs: readUint64(source, offset + 28),
    payloadCrc: source.readUInt32LE(offset + 36),
  };
}

/** Whole numbers to 2^53 in eight bytes; no BigInt, because this runs for each frame. */
export function writeUint64(target: Buffer, value: number, offset: number): void {
  target.writeUInt32LE(value % 0x1_0000_0000, offset);
  target.writeUInt32LE(Math.floor(value / 0x1_0000_0000), offset + 4);
}

/** The whole number in eight bytes at the offset. */
export function readUint64(source: Buffer, offset: number): number {
  return source.readUInt32LE(offset) + source.readUInt32LE(offset + 4) * 0x1_0000_0000;
}
