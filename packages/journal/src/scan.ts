/**
 * @module Scan: reads a file of frames as a stream with one window in memory and resynchronizes
 * after damage. A frame with a sound header and a bad payload is skipped by its length; after a
 * bad header it searches for the next sound one. The bytes between are a gap, never an error.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { crc32 } from "node:zlib";

import { systemCode } from "./file-system.ts";
import type { JournalFile } from "./file-system.ts";
import { frameHeaderBytes, frameMagic, readHeader } from "./frame.ts";
import type { FrameHeader } from "./frame.ts";

/** A sound frame at `offset`; `end` is the first byte after it. */
export interface ScannedFrame extends FrameHeader {
  readonly offset: number;
  readonly end: number;
  readonly payload: Buffer;
}

/** Bytes from `from` to `to` that belong to no sound frame; `last` at the end of the file. */
export interface ScannedGap {
  readonly from: number;
  readonly to: number;
  readonly last: boolean;
}

/** Result of a scan step. */
export type ScanItem = ScannedFrame | ScannedGap;

/** Which bytes are read, and whether payloads are kept. */
export interface ScanOptions {
  /** First byte; must be the start of a frame, or damage is assumed until one is found. */
  readonly from: number;
  /** First byte that is not read. */
  readonly to: number;
  /** True when a payload is not used beyond its loop iteration, so one window serves all. */
  readonly reuseWindow?: boolean;
  /** True when payloads may go to another thread: they are in shared memory. */
  readonly shared?: boolean;
  /** For tests: a scan that does not verify checksums is a planted bug that suites must catch. */
  readonly verify?: boolean;
}

const windowBytes = 1024 * 1024;
const pageBytes = 4096;

/** True for a sound frame. */
export function isFrame(item: ScanItem): item is ScannedFrame {
  return "payload" in item;
}

/** Yields the items of one window at a time, in file order. */
export async function* scanFrames(
  file: JournalFile,
  options: ScanOptions,
): AsyncGenerator<readonly ScanItem[], void, undefined> {
  const state = { position: options.from, gapFrom: -1, needBytes: frameHeaderBytes };
  let window: Buffer = Buffer.alloc(0);
  while (state.position < options.to) {
    const wanted = Math.min(Math.max(windowBytes, state.needBytes), options.to - state.position);
    if (options.reuseWindow !== true || window.byteLength < wanted) {
      window =
        options.shared === true
          ? Buffer.from(new SharedArrayBuffer(wanted))
          : Buffer.allocUnsafe(wanted);
    }
    const bytes = await readThrough(file, window.subarray(0, wanted), state.position);
    const end = bytes < wanted ? state.position + bytes : options.to;
    const items: ScanItem[] = [];
    parseWindow(window.subarray(0, bytes), end, state, items, options.verify !== false);
    if (items.length > 0) yield items;
    if (bytes < wanted) break;
  }
  if (state.gapFrom >= 0) {
    yield [{ from: state.gapFrom, to: Math.min(state.position, options.to), last: true }];
  }
}

interface ScanState {
  position: number;
  gapFrom: number;
  needBytes: number;
}

/** Parses the complete frames in the window and sets `position` to the first byte to read next. */
function parseWindow(
  window: Buffer,
  end: number,
  state: ScanState,
  items: ScanItem[],
  verify: boolean,
): void {
  const start = state.position;
  const windowEnd = start + window.byteLength;
  let at = start;
  const bad = (next: number): void => {
    if (state.gapFrom < 0) state.gapFrom = at;
    at = next;
  };
  state.needBytes = frameHeaderBytes;
  while (at < end) {
    if (at + frameHeaderBytes > windowEnd) {
      if (windowEnd < end) break;
      bad(end);
      break;
    }
    const header = readHeader(window, at - start);
    if (header === undefined) {
      const found = window.indexOf(frameMagic, at - start + 1);
      // The end of the window may contain three bytes of a magic.
      bad(found >= 0 ? start + found : windowEnd === end ? end : Math.max(at + 1, windowEnd - 3));
      continue;
    }
    const frameEnd = at + frameHeaderBytes + header.payloadBytes;
    if (frameEnd > end) {
      bad(end);
      break;
    }
    if (frameEnd > windowEnd) {
      state.needBytes = frameEnd - at;
      break;
    }
    const payload = window.subarray(at - start + frameHeaderBytes, frameEnd - start);
    if (verify && crc32(payload) !== header.payloadCrc) {
      bad(frameEnd);
      continue;
    }
    if (state.gapFrom >= 0) items.push({ from: state.gapFrom, to: at, last: false });
    state.gapFrom = -1;
    items.push({ ...header, offset: at, end: frameEnd, payload });
    at = frameEnd;
  }
  state.position = at;
}

/**
 * Reads the file; where the disk refuses, page by page. An unreadable page is zeros, which then
 * counts as damage.
 */
export async function readThrough(
  file: JournalFile,
  into: Buffer,
  position: number,
): Promise<number> {
  try {
    return await file.read(into, position);
  } catch (error) {
    if (systemCode(error) === "EBADF") throw error;
  }
  let done = 0;
  while (done < into.byteLength) {
    const wanted = Math.min(pageBytes - ((position + done) % pageBytes), into.byteLength - done);
    const bytes = await readPage(file, into.subarray(done, done + wanted), position + done);
    done += bytes;
    if (bytes < wanted) break;
  }
  return done;
}

async function readPage(file: JournalFile, into: Buffer, position: number): Promise<number> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      return await file.read(into, position);
    } catch {
      await sleep(10 * (attempt + 1));
    }
  }
  into.fill(0);
  return into.byteLength;
}
