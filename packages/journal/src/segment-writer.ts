/**
 * @module Segment writer: makes groups of frames durable, one write and one fdatasync per group.
 * While a sync runs, arrivals form the next group. A file that failed once is never written or
 * synced again (a second fsync after an error may succeed without the data): the group goes, under
 * new sequences, to a new segment. When that fails too, it is refused and the writer is unhealthy
 * until a probe finds the disk working.
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

/** A frame that waits to be written. */
export interface WaitingFrame {
  readonly payload: Uint8Array;
  readonly spans: number;
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: CodedError) => void;
}

/** Directory, sizes and callbacks of the writer. */
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
  /** Spans of all acknowledged frames, since the directory was made. */
  readonly spansThrough: () => number;
  readonly onEvent: (code: "journal_failed" | "disk_full" | "journal_healed") => void;
  readonly onDurable: () => void;
}

/** The one writer of a directory's segments. */
export interface SegmentWriter {
  push(frame: WaitingFrame): void;
  /** Bytes that wait for a group. */
  waitingBytes(): number;
  /** The code with which frames are refused, or undefined while the disk works. */
  failure(): "journal_failed" | "disk_full" | undefined;
  /** Base of the segment being written, or of the newest one. */
  activeBase(): number;
  /** Segment that must not be unlinked, or undefined. */
  active(): Segment | undefined;
  /** Ends the active segment when no write is in progress; true when it did. */
  retire(): Promise<boolean>;
  /** The next group goes to a new segment. */
  leave(): void;
  groups(): number;
  /** Waits for pending frames, then refuses everything. */
  close(): Promise<void>;
}

interface ActiveSegment {
  readonly segment: Segment;
  readonly file: JournalFile;
}

interface WriterState {
  readonly options: SegmentWriterOptions;
  readonly stop: AbortController;
  buffer: Buffer;
  queue: WaitingFrame[];
  queuedBytes: number;
  next: number;
  base: number;
  active: ActiveSegment | undefined;
  isLeft: boolean;
  failure: "journal_failed" | "disk_full" | undefined;
  working: Promise<void> | undefined;
  groups: number;
}

const probeEveryMs = 500;
const bufferBytes = 1024 * 1024;
const headBytes = frameHeaderBytes + encodeHead({ previousEnd: 0, previousBase: 0 }).byteLength;

/** Opens its first segment with the first group. */
export function createSegmentWriter(options: SegmentWriterOptions): SegmentWriter {
  const state: WriterState = {
    options,
    stop: new AbortController(),
    buffer: Buffer.alloc(0),
    queue: [],
    queuedBytes: 0,
    next: options.nextSequence,
    base: options.previousBase,
    active: undefined,
    isLeft: false,
    failure: undefined,
    working: undefined,
    groups: 0,
  };
  return {
    push(frame) {
      if (state.stop.signal.aborted || state.failure !== undefined) {
        frame.reject(new CodedError(state.failure ?? "journal_failed"));
        return;
      }
      state.queue.push(frame);
      state.queuedBytes += frameHeaderBytes + frame.payload.byteLength;
      start(state);
    },
    waitingBytes: () => state.queuedBytes,
    failure: () => state.failure,
    activeBase: () => state.base,
    active: () => state.active?.segment,
    async retire() {
      if (state.working !== undefined || state.active === undefined) return false;
      await seal(state, false);
      return true;
    },
    leave: () => void (state.isLeft = true),
    groups: () => state.groups,
    async close() {
      state.stop.abort();
      while (state.working !== undefined) await state.working;
      await seal(state, false);
    },
  };
}

function start(state: WriterState): void {
  // One turn of the event loop collects the appends of the same tick.
  state.working ??= Promise.resolve()
    .then(() => work(state))
    .finally(() => {
      state.working = undefined;
      if (state.queue.length > 0) start(state);
    });
}

async function work(state: WriterState): Promise<void> {
  const { groupCommitMs, groupCommitBytes, clock } = state.options;
  while (state.queue.length > 0) {
    if (groupCommitMs > 0 && state.queuedBytes < groupCommitBytes) {
      await clock.sleep(groupCommitMs, state.stop.signal, true);
    }
    const group = state.queue;
    const bytes = state.queuedBytes;
    state.queue = [];
    await commit(state, group, bytes);
    state.queuedBytes -= bytes;
  }
}

async function commit(
  state: WriterState,
  group: readonly WaitingFrame[],
  bytes: number,
): Promise<void> {
  for (let attempt = 0; attempt < 2 && state.failure === undefined; attempt += 1) {
    try {
      const first = await writeGroup(state, group, bytes);
      group.forEach((frame, index) => frame.resolve(first + index));
      state.options.onDurable();
      return;
    } catch (error) {
      await seal(state, true);
      // A full disk has no room for a second attempt either.
      if (isNoSpace(error)) fail(state, "disk_full");
      else if (attempt === 1) fail(state, "journal_failed");
    }
  }
  for (const frame of group) frame.reject(new CodedError(state.failure ?? "journal_failed"));
}

/** Places the frames, writes and syncs them, and only then records them as acknowledged. */
async function writeGroup(
  state: WriterState,
  group: readonly WaitingFrame[],
  bytes: number,
): Promise<number> {
  const { backlog, clock } = state.options;
  const { segment, file } = await activeFor(state, bytes);
  const first = state.next;
  state.next += group.length;
  const appendedAtMs = clock.now();
  const offset = segment.bytes;
  const end = await writeFrames(state, file, group, { offset, first, appendedAtMs });
  await file.sync();
  state.groups += 1;
  segment.bytes = end;
  const frames = group.length;
  const spans = group.reduce((sum, frame) => sum + frame.spans, 0);
  const extension = { offset, end, first, last: first + frames - 1, frames, spans, appendedAtMs };
  extendBacklog(backlog, segment, extension);
  return first;
}

/** Writes through one buffer, large payloads directly; resolves to the offset after the last. */
async function writeFrames(
  state: WriterState,
  file: JournalFile,
  group: readonly WaitingFrame[],
  place: { readonly offset: number; readonly first: number; readonly appendedAtMs: number },
): Promise<number> {
  if (state.buffer.byteLength === 0) state.buffer = Buffer.allocUnsafe(bufferBytes);
  const { buffer } = state;
  const { acknowledgedThrough } = state.options.backlog;
  let at = place.offset;
  let filled = 0;
  const flush = async (): Promise<void> => {
    if (filled === 0) return;
    await file.write(buffer.subarray(0, filled), at);
    at += filled;
    filled = 0;
  };
  for (const [index, { payload, spans }] of group.entries()) {
    const sequence = place.first + index;
    const lag = sequence - acknowledgedThrough;
    const fields = { kind: frameKind.data, spans, sequence, lag, appendedAtMs: place.appendedAtMs };
    if (filled + frameHeaderBytes + payload.byteLength > bufferBytes) await flush();
    filled = writeHeader(buffer, filled, fields, payload);
    if (filled + payload.byteLength <= bufferBytes) {
      buffer.set(payload, filled);
      filled += payload.byteLength;
      continue;
    }
    await flush();
    await file.write(payload, at);
    at += payload.byteLength;
  }
  await flush();
  return at;
}

async function activeFor(state: WriterState, bytes: number): Promise<ActiveSegment> {
  const taken = state.active?.segment.bytes ?? 0;
  // A group larger than a segment gets its own.
  const isFull = taken > headBytes && taken + bytes > state.options.segmentBytes;
  if (isFull || state.isLeft) await seal(state, false);
  state.active ??= await openSegment(state);
  return state.active;
}

async function openSegment(state: WriterState): Promise<ActiveSegment> {
  const { fileSystem, directory, backlog, clock } = state.options;
  const base = state.next;
  const name = segmentName(base);
  const path = join(directory, name);
  const head = {
    previousEnd: backlog.acknowledgedThrough + 1,
    previousBase: state.base,
    spansBefore: state.options.spansThrough(),
  };
  const fields = { kind: frameKind.segment, spans: 0, lag: 0, appendedAtMs: clock.now() };
  const bytes = encodeFrame({ ...fields, sequence: base }, encodeHead(head));
  const file = await fileSystem.open(path, "create");
  try {
    await file.write(bytes, 0);
    await file.sync();
    await fileSystem.syncDirectory(directory);
  } catch (error) {
    // The name may be taken already, so the next attempt uses another.
    state.next += 1;
    await file.close().catch(() => undefined);
    await fileSystem.unlink(path).catch(() => undefined);
    throw error;
  }
  const segment: Segment = { name, base, bytes: bytes.byteLength };
  state.base = base;
  backlog.segments.set(name, segment);
  return { segment, file };
}

async function seal(state: WriterState, truncate: boolean): Promise<void> {
  const ended = state.active;
  state.active = undefined;
  state.isLeft = false;
  if (ended === undefined) return;
  // Frees the space of an unacknowledged tail; recovery ignores it either way.
  if (truncate) await ended.file.truncate(ended.segment.bytes).catch(() => undefined);
  await ended.file.close().catch(() => undefined);
}

function fail(state: WriterState, code: "journal_failed" | "disk_full"): void {
  state.failure = code;
  state.options.onEvent(code);
  void probe(state);
}

/** Checks periodically whether a new segment can be made; a synced head is proof enough. */
async function probe(state: WriterState): Promise<void> {
  while (state.failure !== undefined) {
    await state.options.clock.sleep(probeEveryMs, state.stop.signal);
    await state.working;
    if (state.stop.signal.aborted) return;
    try {
      state.active ??= await openSegment(state);
      state.failure = undefined;
      state.options.onEvent("journal_healed");
    } catch {
      // Still failing; the next check follows.
    }
  }
}
