/**
 * @module Journal: acknowledged means durable. Frames are appended to segments and synced in groups
 * before `append` resolves; they leave only when a checkpoint says that the store provably holds
 * them. The collector stands on it between the door and the store, the exporter uses the same code
 * as its disk spool. It knows nothing of what a payload means, and nothing here is a number of tries
 * after which data is given up.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import {
  advanceBacklog,
  backlogBytes,
  drainedSegments,
  headOf,
  oldestPendingAtMs,
} from "./backlog.ts";
import type { Backlog, JournalPosition } from "./backlog.ts";
import { readCheckpoint, writeCheckpoint } from "./checkpoint-file.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import { systemClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { openDamageLedger } from "./damage.ts";
import type { DamageLedger } from "./damage.ts";
import { lockDirectory } from "./directory-lock.ts";
import type { DirectoryLock } from "./directory-lock.ts";
import { isNoSpace, nodeFileSystem } from "./file-system.ts";
import type { JournalFileSystem } from "./file-system.ts";
import { frameHeaderBytes, framePayloadBytesMax } from "./frame.ts";
import { readBacklog } from "./journal-reader.ts";
import type { JournalFrame } from "./journal-reader.ts";
import { systemProcesses } from "./owner.ts";
import type { Processes } from "./owner.ts";
import { openQuarantine } from "./quarantine.ts";
import type { Quarantine, QuarantineInput, QuarantineRecord } from "./quarantine.ts";
import { recover } from "./recovery.ts";
import type { Recovered } from "./recovery.ts";
import { openReserve } from "./reserve.ts";
import type { Reserve } from "./reserve.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import type { SegmentWriter } from "./segment-writer.ts";

/** Something an operator may want to know: a content-free code and how often. */
export interface JournalEvent {
  readonly code: Code;
  readonly count: number;
  readonly lostFrames?: number;
  readonly lostSpans?: number;
}

export interface JournalOptions {
  /** Created when it is not there. One process at a time uses it. */
  readonly directory: string;
  /** Bound of everything on the disk, in bytes; default 4 GiB. Beyond it: `journal_full`. */
  readonly bytesMax?: number;
  /** Bytes after which a new segment begins; default 32 MiB, at most a quarter of the bound. */
  readonly segmentBytes?: number;
  /**
   * How long a group waits for company, and the bytes at which it waits no longer; default 0 ms and
   * 256 KiB. While one group syncs the next one forms anyway, so waiting buys fewer syncs on a slow
   * disk and costs latency on a fast one.
   */
  readonly groupCommitMs?: number;
  readonly groupCommitBytes?: number;
  readonly fileSystem?: JournalFileSystem;
  readonly clock?: JournalClock;
  readonly processes?: Processes;
  readonly heartbeatMs?: number;
  /** Disk space held back for checkpoints on a full disk; default 256 KiB. */
  readonly reserveBytes?: number;
  /** Called synchronously; must not throw. */
  readonly onEvent?: (event: JournalEvent) => void;
  /** Test seam: false plants the bug "checksums are not looked at", which the suites must catch. */
  readonly verifyChecksums?: boolean;
}

/** Counts and state; `pending` is acknowledged and not checkpointed. */
export interface JournalStats {
  readonly pendingFrames: number;
  readonly pendingSpans: number;
  readonly pendingBytes: number;
  /** Bytes of all files that count toward the bound. */
  readonly diskBytes: number;
  readonly bytesMax: number;
  readonly segments: number;
  /** Damaged ranges ever set aside here, and acknowledged frames that were lost with them. */
  readonly corruptRanges: number;
  readonly lostFrames: number;
  readonly quarantinedSpans: number;
  readonly quarantinedRecords: number;
  /** ISO 8601 UTC. */
  readonly oldestPendingAt?: string;
  readonly healthy: boolean;
  /** Why appends are refused at the moment. */
  readonly failure?: Code;
  /** Since this process opened it. */
  readonly appendedFrames: number;
  readonly appendedSpans: number;
  readonly groups: number;
  readonly acknowledgedThrough: number;
  readonly drainedThrough: number;
}

/** A durable queue of opaque payloads. */
export interface Journal {
  /**
   * Resolves after fdatasync. Rejects with `journal_full` (bound or disk), `journal_failed` or
   * `body_too_large`; then the frame will never be delivered as acknowledged. The payload must not
   * be changed until then.
   */
  append(frame: {
    readonly payload: Uint8Array;
    readonly spans: number;
  }): Promise<{ readonly sequence: number }>;
  /** Pending frames in order, up to the newest acknowledged one, in bounded memory. */
  read(from?: JournalPosition): AsyncIterable<JournalFrame>;
  /**
   * Everything up to and including this frame is in the store and was read back. Durable before it
   * resolves; then whole segments are unlinked. A position costs nothing; a sequence is looked up.
   */
  checkpoint(through: JournalPosition | number): Promise<void>;
  /** Makes the ends of batches durable before they are sent, see the drain. */
  plan(ends: readonly number[]): Promise<void>;
  /** Ends of batches that may have been sent and were not checkpointed, ascending. */
  planned(): readonly number[];
  quarantine(input: QuarantineInput): Promise<void>;
  quarantined(): AsyncIterable<QuarantineRecord>;
  /** Forgets a record that was replayed. */
  releaseQuarantined(id: string): Promise<void>;
  /** Calls the listener after each group that became durable; returns how to stop it. */
  onDurable(listener: () => void): () => void;
  stats(): JournalStats;
  /** Waits for what was appended, writes how far acknowledgement came, gives the directory free. */
  close(): Promise<void>;
}

const defaults = {
  bytesMax: 4 * 1024 ** 3,
  segmentBytes: 32 * 1024 ** 2,
  groupCommitMs: 0,
  groupCommitBytes: 256 * 1024,
  heartbeatMs: 2_000,
  reserveBytes: 256 * 1024,
} as const;

/** Everything an open journal is made of. */
interface Parts {
  readonly options: JournalOptions;
  readonly fileSystem: JournalFileSystem;
  readonly clock: JournalClock;
  readonly directory: string;
  readonly bytesMax: number;
  readonly backlog: Backlog;
  readonly writer: SegmentWriter;
  readonly damage: DamageLedger;
  readonly quarantine: Quarantine;
  readonly reserve: Reserve;
  readonly lock: DirectoryLock;
  readonly listeners: Set<() => void>;
  readonly state: { checkpoint: Checkpoint; lostOwnership: boolean; closed: boolean };
}

/**
 * Opens the journal of a directory and recovers what is there. Rejects with `journal_locked` while
 * another process uses it, `store_version_newer` when a newer version wrote it, `journal_failed`
 * when the directory cannot be used at all; damage never stops it.
 */
export async function openJournal(options: JournalOptions): Promise<Journal> {
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const clock = options.clock ?? systemClock;
  const { directory } = options;
  const state = { lostOwnership: false };
  await fileSystem.makeDirectory(directory).catch((cause: unknown) => {
    throw new CodedError("journal_failed", { cause });
  });
  const heartbeatMs = options.heartbeatMs ?? defaults.heartbeatMs;
  const lock = await lockDirectory({
    fileSystem,
    directory,
    clock,
    processes: options.processes ?? systemProcesses,
    heartbeatMs,
    silenceMs: heartbeatMs * 5,
    onLost: () => {
      state.lostOwnership = true;
      options.onEvent?.({ code: "journal_locked", count: 1 });
    },
  });
  try {
    return await openLocked(options, { fileSystem, clock, directory, lock, lostOwnership: state });
  } catch (error) {
    await lock.release();
    throw CodedError.is(error) ? error : new CodedError("journal_failed", { cause: error });
  }
}

async function openLocked(
  options: JournalOptions,
  held: Pick<Parts, "fileSystem" | "clock" | "directory" | "lock"> & {
    readonly lostOwnership: { lostOwnership: boolean };
  },
): Promise<Journal> {
  const { fileSystem, clock, directory, lock } = held;
  const names = await fileSystem.list(directory);
  const checkpoint = await readCheckpoint(fileSystem, directory, names);
  const damage = openDamageLedger(fileSystem, directory, names);
  const verifyChecksums = options.verifyChecksums !== false;
  const recovered = await recover({
    ...{ fileSystem, directory, names, checkpoint, damage, verifyChecksums },
  });
  const quarantine = await openQuarantine(fileSystem, directory, names);
  const reserve = openReserve(
    fileSystem,
    directory,
    names,
    options.reserveBytes ?? defaults.reserveBytes,
  );
  await reserve.refill();
  const bytesMax = options.bytesMax ?? defaults.bytesMax;
  const listeners = new Set<() => void>();
  const segmentBytes = Math.min(options.segmentBytes ?? defaults.segmentBytes, bytesMax / 4);
  const writer = createSegmentWriter({
    ...{ fileSystem, directory, clock, segmentBytes },
    backlog: recovered.backlog,
    groupCommitMs: options.groupCommitMs ?? defaults.groupCommitMs,
    groupCommitBytes: options.groupCommitBytes ?? defaults.groupCommitBytes,
    nextSequence: recovered.nextSequence,
    previousBase: recovered.newestBase,
    onEvent: (code) => options.onEvent?.({ code, count: 1 }),
    onDurable: () => {
      for (const listener of listeners) listener();
    },
  });
  report(options, recovered);
  const state = Object.assign(held.lostOwnership, { checkpoint, closed: false });
  return createJournal({
    ...{ options, fileSystem, clock, directory, bytesMax, writer, damage, quarantine, reserve },
    ...{ lock, listeners, state, backlog: recovered.backlog },
  });
}

function report(options: JournalOptions, recovered: Recovered): void {
  const { newRanges, newLostFrames, tornBytes, duplicateFrames, missingSegments } = recovered;
  const emit = options.onEvent ?? (() => undefined);
  if (newRanges > 0) emit({ code: "journal_corrupt", count: newRanges, lostFrames: newLostFrames });
  if (tornBytes > 0) emit({ code: "journal_torn", count: tornBytes });
  if (duplicateFrames > 0) emit({ code: "journal_duplicate", count: duplicateFrames });
  if (missingSegments > 0) emit({ code: "journal_segment_missing", count: missingSegments });
}

function createJournal(parts: Parts): Journal {
  const { backlog, clock, fileSystem, directory, quarantine, reserve, state, writer } = parts;
  let tail: Promise<unknown> = Promise.resolve();

  /** Checkpoints, plans and quarantine write one after another. */
  function inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = tail.then(work);
    tail = result.catch(() => undefined);
    return result;
  }

  function assertUsable(): void {
    if (state.lostOwnership) throw new CodedError("journal_locked");
    if (state.closed) throw new CodedError("journal_failed");
  }

  async function save(change: Partial<Checkpoint>): Promise<void> {
    assertUsable();
    const checkpoint: Checkpoint = {
      ...state.checkpoint,
      generation: state.checkpoint.generation + 1,
      acknowledgedThrough: backlog.acknowledgedThrough,
      activeBase: writer.activeBase(),
      ...change,
    };
    const write = (): Promise<void> =>
      writeCheckpoint(fileSystem, directory, checkpoint, clock.now());
    await reserve.spend(write).catch((cause: unknown) => {
      throw new CodedError(isNoSpace(cause) ? "journal_full" : "journal_failed", { cause });
    });
    state.checkpoint = checkpoint;
  }

  async function locate(through: JournalPosition | number): Promise<JournalPosition> {
    if (typeof through !== "number") return through;
    let position = headOf(backlog);
    for await (const frame of read()) {
      if (frame.sequence > through) break;
      position = frame.position;
    }
    return position;
  }

  async function unlinkDrained(): Promise<void> {
    const active = writer.active();
    let removed = 0;
    for (const segment of drainedSegments(backlog)) {
      if (segment === active && !(await retireActive(segment.bytes))) continue;
      // It may have been written to while the one before it was removed.
      if (!drainedSegments(backlog).includes(segment)) continue;
      await fileSystem.unlink(join(directory, segment.name)).catch(() => undefined);
      backlog.segments.delete(segment.name);
      removed += 1;
    }
    if (removed === 0) return;
    await fileSystem.syncDirectory(directory).catch(() => undefined);
    await reserve.refill();
  }

  /** A small drained segment goes on being written: a new file costs more than the space. */
  async function retireActive(bytes: number): Promise<boolean> {
    return bytes >= Math.min(1024 * 1024, parts.bytesMax / 8) && writer.retire();
  }

  function read(from?: JournalPosition): AsyncIterable<JournalFrame> {
    return readBacklog({
      ...{ fileSystem, directory, backlog, damage: parts.damage },
      verifyChecksums: parts.options.verifyChecksums !== false,
      onDamage: (lostFrames, lostSpans) =>
        parts.options.onEvent?.({ code: "journal_corrupt", count: 1, lostFrames, lostSpans }),
      ...(from === undefined ? {} : { from }),
    });
  }

  return {
    async append({ payload, spans }) {
      assertUsable();
      if (payload.byteLength > framePayloadBytesMax) throw new CodedError("body_too_large");
      const bytes = frameHeaderBytes + payload.byteLength;
      const taken = backlogBytes(backlog) + quarantine.bytes() + writer.waitingBytes();
      if (taken + bytes > parts.bytesMax) throw new CodedError("journal_full");
      const sequence = await new Promise<number>((resolve, reject) => {
        writer.push({ payload, spans, resolve, reject });
      });
      return { sequence };
    },
    read,
    checkpoint: (through) =>
      inOrder(async () => {
        const position = await locate(through);
        if (position.sequence <= backlog.drainedThrough) return;
        const plan = state.checkpoint.plan.filter((end) => end > position.sequence);
        await save({ drainedThrough: position.sequence, plan });
        advanceBacklog(backlog, position);
        await unlinkDrained();
      }),
    plan: (ends) => inOrder(() => save({ plan: ends })),
    planned: () => state.checkpoint.plan.filter((end) => end > backlog.drainedThrough),
    quarantine: (input) =>
      inOrder(async () => {
        assertUsable();
        const added = await reserve.spend(() => quarantine.add(input, clock.now()));
        if (!added) return;
        parts.options.onEvent?.({ code: "journal_quarantined", count: input.spans });
      }),
    quarantined: () => quarantine.read(),
    releaseQuarantined: (id) => inOrder(() => quarantine.remove(id)),
    onDurable(listener) {
      parts.listeners.add(listener);
      return () => parts.listeners.delete(listener);
    },
    stats: () => journalStats(parts),
    async close() {
      if (state.closed) return;
      await writer.close();
      await inOrder(() => save({})).catch(() => undefined);
      state.closed = true;
      await parts.lock.release();
    },
  };
}

function journalStats(parts: Parts): JournalStats {
  const { backlog, writer, quarantine, damage } = parts;
  const oldest = oldestPendingAtMs(backlog);
  const failure = parts.state.lostOwnership ? "journal_locked" : writer.failure();
  return {
    pendingFrames: backlog.appended.frames - backlog.drained.frames,
    pendingSpans: backlog.appended.spans - backlog.drained.spans,
    pendingBytes: backlog.appended.bytes - backlog.drained.bytes,
    diskBytes: backlogBytes(backlog) + quarantine.bytes(),
    bytesMax: parts.bytesMax,
    segments: backlog.segments.size,
    corruptRanges: damage.ranges(),
    lostFrames: damage.lostFrames(),
    quarantinedSpans: quarantine.spans(),
    quarantinedRecords: quarantine.records(),
    ...(oldest === undefined ? {} : { oldestPendingAt: new Date(oldest).toISOString() }),
    healthy: failure === undefined,
    ...(failure === undefined ? {} : { failure }),
    appendedFrames: backlog.appended.frames,
    appendedSpans: backlog.appended.spans,
    groups: writer.groups(),
    acknowledgedThrough: backlog.acknowledgedThrough,
    drainedThrough: backlog.drainedThrough,
  };
}
