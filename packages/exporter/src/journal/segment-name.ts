/**
 * @module Segment names: 16 hexadecimal digits of the first sequence, so that the order of names is
 * the order of frames, and the head that a segment starts with. The head wins over the name,
 * because a file can be renamed and a checksum cannot be talked round.
 */
import { readUint64, writeUint64 } from "./frame.ts";

const suffix = ".segment";

/** What the first frame of a segment says. */
export interface SegmentHead {
  /** Sequences from here to the base were never acknowledged, whatever files hold of them. */
  readonly previousEnd: number;
  /** Base of the segment before, 0 for none; a gap in this chain is a missing file. */
  readonly previousBase: number;
}

/** Name of the segment that starts with this sequence. */
export function segmentName(base: number): string {
  return base.toString(16).padStart(16, "0") + suffix;
}

/** The base that a name says, or undefined when it names no segment. */
export function segmentBase(name: string): number | undefined {
  const match = /^([0-9a-f]{16})\.segment$/.exec(name);
  return match?.[1] === undefined ? undefined : Number.parseInt(match[1], 16);
}

/** Payload of the first frame. */
export function encodeHead(head: SegmentHead): Buffer {
  const payload = Buffer.alloc(16);
  writeUint64(payload, head.previousEnd, 0);
  writeUint64(payload, head.previousBase, 8);
  return payload;
}

/** What the payload of a first frame says, or undefined when it is too short. */
export function decodeHead(payload: Buffer): SegmentHead | undefined {
  if (payload.byteLength < 16) return undefined;
  return { previousEnd: readUint64(payload, 0), previousBase: readUint64(payload, 8) };
}
