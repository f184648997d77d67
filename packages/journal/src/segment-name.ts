/**
 * @module Segment names: 16 hexadecimal digits of the first sequence, so that names sort in frame
 * order, and the head that a segment starts with. The head takes precedence over the name, because
 * a file can be renamed and the head has a checksum.
 */
import { readUint64, writeUint64 } from "./frame.ts";

const suffix = ".segment";

/** Content of a segment's first frame. */
export interface SegmentHead {
  /** Sequences from here to the base were never acknowledged, whatever any file contains. */
  readonly previousEnd: number;
  /** Base of the segment before, 0 for none; a gap in this chain means a missing file. */
  readonly previousBase: number;
  /** Spans of all frames before it, since the directory was made; absent in earlier versions. */
  readonly spansBefore?: number | undefined;
}

/** Name of the segment that starts with this sequence. */
export function segmentName(base: number): string {
  return base.toString(16).padStart(16, "0") + suffix;
}

/** The base in a name, or undefined when it is no segment name. */
export function segmentBase(name: string): number | undefined {
  const match = /^([0-9a-f]{16})\.segment$/.exec(name);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16);
}

/** Payload of the first frame. */
export function encodeHead(head: SegmentHead): Uint8Array {
  const payload = Buffer.alloc(24);
  writeUint64(payload, head.previousEnd, 0);
  writeUint64(payload, head.previousBase, 8);
  writeUint64(payload, head.spansBefore ?? 0, 16);
  return payload;
}

/** The head in the payload of a first frame, or undefined when it is too short. */
export function decodeHead(payload: Uint8Array): SegmentHead | undefined {
  if (payload.byteLength < 16) return undefined;
  const bytes = Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength);
  return {
    previousEnd: readUint64(bytes, 0),
    previousBase: readUint64(bytes, 8),
    spansBefore: bytes.byteLength < 24 ? undefined : readUint64(bytes, 16),
  };
}
