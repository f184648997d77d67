/**
 * @module PendingRoots: of which roots acknowledged frames are that are not readable yet. A read of
 * one root waits for its own frames alone: while spans arrive, some are always on their way.
 */
import { crc32 } from "node:zlib";

/** Frames that are looked through for one read; with more of them all count. */
const lookedMax = 10_000;

/** Hashes of distinct roots, ascending: two roots with one hash cost a wait, never an answer. */
export function rootHashes(roots: Iterable<string>): Uint32Array<ArrayBuffer> {
  return Uint32Array.from(new Set(Array.from(roots, (root) => crc32(root)))).sort();
}

/** Roots of the frames of a journal. */
export class PendingRoots {
  readonly #frames = new Map<number, Uint32Array>();

  /** Notes a frame that became durable. @param drainedThrough last frame that is readable */
  add(sequence: number, hashes: Uint32Array, drainedThrough: number): void {
    if (sequence > drainedThrough) this.#frames.set(sequence, hashes);
    for (const known of this.#frames.keys()) {
      if (known > drainedThrough) break;
      this.#frames.delete(known);
    }
  }

  /**
   * Number of frames, from the first one after `drainedThrough` to `last`, that may have events of
   * one of the roots. A frame of an earlier process, or of a replay, may have events of any.
   */
  count(roots: readonly string[], drainedThrough: number, last: number): number {
    const frames = last - drainedThrough;
    if (frames > lookedMax) return frames;
    const hashes = rootHashes(roots);
    let count = 0;
    for (let sequence = drainedThrough + 1; sequence <= last; sequence++) {
      const held = this.#frames.get(sequence);
      if (held === undefined || hashes.some((hash) => contains(held, hash))) count += 1;
    }
    return count;
  }
}

function contains(hashes: Uint32Array, wanted: number): boolean {
  let from = 0;
  let to = hashes.length;
  while (from < to) {
    const at = (from + to) >>> 1;
    const found = hashes[at] ?? 0;
    if (found === wanted) return true;
    if (found < wanted) from = at + 1;
    else to = at;
  }
  return false;
}
