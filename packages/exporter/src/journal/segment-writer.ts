/**
 * @module Segment writer: makes groups of frames durable, one write and one fdatasync per group for
 * everybody who waits. While a sync runs, arrivals form the next group. A file that failed once is
 * never written or synced again (a second fsync after an error may succeed without the data): the
 * group goes, under fresh sequences, to a new segment; when that fails too it is refused and the
 * writer is unhealthy until a probe finds the disk well again.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { extendBacklog } from "./backlog.ts";
import type { Backlog, Segment } from "./backlog.ts";
import type { JournalClock } from "./clock.ts";
import { isNoSpace } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { encodeFrame, frameHeaderBytes, frameKind, writeHeader } from "./frame.ts";
import { encodeHead, segmentName } from "./segment-name.ts";

/** A frame on its way in. */
export interface WaitingFrame {
  readonly payload: Uint8Array;
  readonly spans: number;
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: CodedError) => void;
}

export interface SegmentWriterOptions {
  readonly fileSystem: JournalFileSystem;
  readonly directory: string;
  readonly backlog: Backlog;
  readonly clock: JournalClock;
  readonly segmentBytes: number;
  readonly groupCommitMs: number;
  readonly groupCommitBytes: number;
  /** First sequence that was never used. */
  readonly nextSequence: number;
  readonly previousBase: number;
  readonly onEvent: (code: "journal_failed" | "journal_full" | "journal_healed") => void;
  readonly onDurable: () => void;
}

/** The one writer of a directory's segments. */
export interface SegmentWriter {
  push(frame: WaitingFrame): void;
  /** Bytes that wait for a group. */
  waitingBytes(): number;
  /** The code for which frames are refused, or undefined while the disk is well. */
  failure(): "journal_failed" | "journal_full" | undefined;
  nextSequence(): number;
  /** Base of the segment being written, or of the newest one. */
  activeBase(): number;
  /** Segment that must not be unlinked, or undefined. */
  active(): Segment | undefined;
  /** Ends the segment being written, when nothing is on its way; true when it did. */
  retire(): Promise<boolean>;
  groups(): number;
  /** Waits for what was pushed, then refuses everything. */
  close(): Promise<void>;
}

interface ActiveSegment {
  readonly segment: Segment;
  readonly file: JournalFile;
}

const probeEveryMs = 500;
const bufferBytes = 1024 * 1024;
const headBytes = frameHeaderBytes + encodeHead({ previousEnd: 0, previousBase: 0 }).byteLength;

export function createSegmentWriter(options: SegmentWriterOptions): SegmentWriter {
  const { fileSystem, directory, backlog, clock } = options;
  let buffer = Buffer.alloc(0);
  const stop = new AbortController();
  let queue: WaitingFrame[] = [];
  let queuedBytes = 0;
  let next = options.nextSequence;
  let base = options.previousBase;
  let active: ActiveSegment | undefined;
  let failure: "journal_failed" | "journal_full" | undefined;
  let working: Promise<void> | undefined;
  let groups = 0;

  async function openSegment(): Promise<ActiveSegment> {
    const name = segmentName(next);
    const path = join(directory, name);
    const segment: Segment = { name, base: next, bytes: 0 };
    const head = { previousEnd: backlog.acknowledgedThrough + 1, previousBase: base };
    const fields = { kind: frameKind.segment, spans: 0, lag: 0, appendedAtMs: clock.now() };
    const bytes = encodeFrame({ ...fields, sequence: next }, encodeHead(head));
    const file = await fileSystem.open(path, "create");
    try {
      await file.write(bytes, 0);
      await file.sync();
      await fileSystem.syncDirectory(directory);
    } catch (error) {
      next += 1;
      await file.close().catch(() => undefined);
      await fileSystem.unlink(path).catch(() => undefined);
      throw error;
    }
    segment.bytes = bytes.byteLength;
    base = next;
    backlog.segments.set(name, segment);
    return { segment, file };
  }

  async function seal(truncate: boolean): Promise<void> {
    const ended = active;
    active = undefined;
    if (ended === undefined) return;
    // Gives the space of an unacknowledged tail back; recovery ignores it either way.
    if (truncate) await ended.file.truncate(ended.segment.bytes).catch(() => undefined);
    await ended.file.close().catch(() => undefined);
  }

  async function activeFor(bytes: number): Promise<ActiveSegment> {
    const taken = active?.segment.bytes ?? 0;
    // A group larger than a segment gets one to itself.
    if (taken > headBytes && taken + bytes > options.segmentBytes) await seal(false);
    active ??= await openSegment();
    return active;
  }

  /** Places the frames, writes and syncs them, and only then books them as acknowledged. */
  async function writeGroup(group: readonly WaitingFrame[], bytes: number): Promise<number> {
    const { segment, file } = await activeFor(bytes);
    if (buffer.byteLength === 0) buffer = Buffer.allocUnsafe(bufferBytes);
    const first = next;
    next += group.length;
    const appendedAtMs = clock.now();
    const start = segment.bytes;
    let flushed = start;
    let filled = 0;
    let spans = 0;
    const flush = async (): Promise<void> => {
      if (filled === 0) return;
      await file.write(buffer.subarray(0, filled), flushed);
      flushed += filled;
      filled = 0;
    };
    for (const [index, frame] of group.entries()) {
      const sequence = first + index;
      const lag = sequence - backlog.acknowledgedThrough;
      const fields = { kind: frameKind.data, spans: frame.spans, sequence, lag, appendedAtMs };
      if (filled + frameHeaderBytes + frame.payload.byteLength > bufferBytes) await flush();
      filled = writeHeader(buffer, filled, fields, frame.payload);
      spans += frame.spans;
      if (filled + frame.payload.byteLength <= bufferBytes) {
        buffer.set(frame.payload, filled);
        filled += frame.payload.byteLength;
        continue;
      }
      await flush();
      await file.write(frame.payload, flushed);
      flushed += frame.payload.byteLength;
    }
    await flush();
    await file.sync();
    groups += 1;
    segment.bytes = flushed;
    const last = first + group.length - 1;
    const frames = group.length;
    const extension = { offset: start, end: flushed, first, last, frames, spans, appendedAtMs };
    extendBacklog(backlog, segment, extension);
    return first;
  }

  async function commit(group: readonly WaitingFrame[], bytes: number): Promise<void> {
    for (let attempt = 0; attempt < 2 && failure === undefined; attempt += 1) {
      try {
        const first = await writeGroup(group, bytes);
        group.forEach((frame, index) => frame.resolve(first + index));
        options.onDurable();
        return;
      } catch (error) {
        await seal(true);
        // A full disk has no room for a second try either.
        if (isNoSpace(error)) fail("journal_full");
        else if (attempt === 1) fail("journal_failed");
      }
    }
    for (const frame of group) frame.reject(new CodedError(failure ?? "journal_failed"));
  }

  function fail(code: "journal_failed" | "journal_full"): void {
    failure = code;
    options.onEvent(code);
    void probe();
  }

  /** Looks now and then whether a new segment can be made; a synced head is proof enough. */
  async function probe(): Promise<void> {
    while (failure !== undefined && !stop.signal.aborted) {
      await clock.sleep(probeEveryMs, stop.signal);
      if (stop.signal.aborted) return;
      await working;
      try {
        active ??= await openSegment();
        failure = undefined;
        options.onEvent("journal_healed");
      } catch {
        // Still ill; the next look follows.
      }
    }
  }

  async function work(): Promise<void> {
    while (queue.length > 0) {
      if (options.groupCommitMs > 0 && queuedBytes < options.groupCommitBytes) {
        await clock.sleep(options.groupCommitMs, stop.signal, true);
      }
      const group = queue;
      const bytes = queuedBytes;
      queue = [];
      await commit(group, bytes);
      queuedBytes -= bytes;
    }
  }

  function start(): void {
    // One turn of the loop gathers the appends of the same tick.
    working ??= Promise.resolve()
      .then(work)
      .finally(() => {
        working = undefined;
        if (queue.length > 0) start();
      });
  }

  return {
    push(frame) {
      if (stop.signal.aborted || failure !== undefined) {
        frame.reject(new CodedError(failure ?? "journal_failed"));
        return;
      }
      queue.push(frame);
      queuedBytes += frameHeaderBytes + frame.payload.byteLength;
      start();
    },
    waitingBytes: () => queuedBytes,
    failure: () => failure,
    nextSequence: () => next,
    activeBase: () => base,
    active: () => active?.segment,
    async retire() {
      if (working !== undefined || active === undefined) return false;
      await seal(false);
      return true;
    },
    groups: () => groups,
    async close() {
      stop.abort();
      while (working !== undefined) await working;
      await seal(false);
    },
  };
}
