/**
 * @module Journal: acknowledged means durable. Frames are appended to segments and synced in
 * groups before `append` resolves; they are removed only after a checkpoint that the store holds
 * them. The collector puts it between receiver and store, the exporter uses the same code as its
 * disk spool. Payloads are opaque to it, and no retry limit ever discards data.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { advanceBacklog, backlogBytes, drainedAt, drainedSegments, headOf } from "./backlog.ts";
import type { JournalPosition } from "./backlog.ts";
import { promoteCheckpoint, readCheckpoint, writeCheckpoint } from "./checkpoint-file.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import { systemClock } from "./clock.ts";
import type { Journal, JournalOptions } from "./contract.ts";
import { openDamageRecord } from "./damage.ts";
import type { DamageRecord } from "./damage.ts";
import { lockDirectory } from "./directory-lock.ts";
import { isNoSpace, nodeFileSystem } from "./file-system.ts";
import { frameHeaderBytes, framePayloadBytesMax } from "./frame.ts";
import type { JournalParts } from "./journal-parts.ts";
import { readBacklog } from "./journal-reader.ts";
import type { JournalFrame } from "./journal-reader.ts";
import { journalStats } from "./journal-stats.ts";
import { openQuarantine } from "./quarantine.ts";
import { recover, removeDrained } from "./recovery.ts";
import type { Recovered } from "./recovery.ts";
import { filesOf, loseSegment } from "./lost-segment.ts";
import { openReserve } from "./reserve.ts";
import { createSegmentWriter } from "./segment-writer.ts";

const defaults = {
  bytesMax: 4 * 1024 ** 3,
  segmentBytes: 32 * 1024 ** 2,
  groupCommitMs: 0,
  groupCommitBytes: 256 * 1024,
  heartbeatMs: 2_000,
  reserveBytes: 256 * 1024,
  noteEveryMs: 1_000,
} as const;

/**
 * Opens the journal of a directory and recovers its content. Rejects with `journal_locked` while
 * another process uses it, `store_version_newer` when a newer version wrote it, `journal_failed`
 * when the directory cannot be used; damage never prevents opening.
 */
export async function openJournal(given: JournalOptions): Promise<Journal> {
  const options: JournalOptions = { ...given, onEvent: undisturbed(given.onEvent) };
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
    heartbeatMs,
    ...(options.processes === undefined ? {} : { processes: options.processes }),
    onLost: () => {
      state.lostOwnership = true;
      options.onEvent?.({ code: "journal_locked", count: 1 });
    },
    onWait: () => options.onEvent?.({ code: "journal_owner_silent", count: 1 }),
  }).catch((cause: unknown) => {
    throw new CodedError("journal_failed", { cause });
  });
  if (lock === undefined) throw new CodedError("journal_locked");
  try {
    return await openLocked(options, { fileSystem, clock, directory, lock, lostOwnership: state });
  } catch (error) {
    await lock.release();
    throw CodedError.is(error) ? error : new CodedError("journal_failed", { cause: error });
  }
}

/** A listener's error must not count as a disk error. */
function undisturbed<A extends unknown[]>(
  listener: ((...args: A) => void) | undefined,
): (...args: A) => void {
  return (...args) => {
    try {
      listener?.(...args);
    } catch {
      // The listener's own error; this code has no one to report it to.
    }
  };
}

async function openLocked(
  options: JournalOptions,
  held: Pick<JournalParts, "fileSystem" | "clock" | "directory" | "lock"> & {
    readonly lostOwnership: { lostOwnership: boolean };
  },
): Promise<Journal> {
  const { fileSystem, clock, directory, lock } = held;
  const names = await fileSystem.list(directory);
  const found = await readCheckpoint(fileSystem, directory, names);
  const damage = openDamageRecord(fileSystem, directory, names, () => clock.now());
  const recovered = await recover({
    fileSystem,
    directory,
    names,
    found,
    damage,
    verifyChecksums: options.verifyChecksums !== false,
    beforeChanges: () => promoteCheckpoint(fileSystem, directory, found),
  });
  const { checkpoint } = recovered;
  const quarantine = await openQuarantine(fileSystem, directory, names);
  const { reserveBytes = defaults.reserveBytes } = options;
  const reserve = openReserve(fileSystem, directory, names, reserveBytes);
  await reserve.refill();
  const bytesMax = options.bytesMax ?? defaults.bytesMax;
  const listeners = new Set<() => void>();
  const { drainedSpans: spansBefore } = checkpoint;
  const segmentBytes = Math.min(options.segmentBytes ?? defaults.segmentBytes, bytesMax / 4);
  const writer = createSegmentWriter({
    fileSystem,
    directory,
    clock,
    segmentBytes,
    backlog: recovered.backlog,
    groupCommitMs: options.groupCommitMs ?? defaults.groupCommitMs,
    groupCommitBytes: options.groupCommitBytes ?? defaults.groupCommitBytes,
    nextSequence: recovered.nextSequence,
    previousBase: recovered.newestBase,
    spansThrough: () => spansBefore + recovered.backlog.appended.spans,
    onEvent: (code) => options.onEvent?.({ code, count: 1 }),
    onDurable: () => {
      for (const listener of listeners) listener();
    },
  });
  report(options, recovered, damage);
  const idle = { closed: false, released: false, lostSpans: 0, tail: Promise.resolve() };
  const state = Object.assign(held.lostOwnership, { checkpoint, ...idle });
  const parts: JournalParts = {
    options,
    fileSystem,
    clock,
    directory,
    bytesMax,
    writer,
    damage,
    quarantine,
    reserve,
    lock,
    listeners,
    stop: new AbortController(),
    state,
    backlog: recovered.backlog,
    damaged: recovered.damaged,
    spansBefore,
  };
  return startJournal(parts, found.checkpoint);
}

async function startJournal(parts: JournalParts, found: Checkpoint): Promise<Journal> {
  const { checkpoint } = parts.state;
  // From here on totals are without what was lost, so that it is counted once, and the last note is
  // not that of a clean stop. A disk that refuses this refuses frames as well, with its own error.
  const isMoved = checkpoint.drainedThrough !== found.drainedThrough;
  if (parts.damaged.spans > 0 || isMoved || checkpoint.closed) {
    await inOrder(parts, () => save(parts, {})).catch(() => undefined);
  }
  await removeDrained(parts, parts.backlog);
  noteAcknowledged(parts);
  return createJournal(parts);
}

/**
 * Notes what was acknowledged, a moment after it was: a segment that is destroyed as a whole does
 * not show what it held. A disk that refuses the note refuses frames as well, with its own error.
 */
function noteAcknowledged(parts: JournalParts): void {
  const { clock, options, state, stop } = parts;
  let waiting = false;
  parts.listeners.add(() => {
    if (waiting) return;
    waiting = true;
    void clock
      .sleep(options.noteEveryMs ?? defaults.noteEveryMs, stop.signal)
      .then(() => {
        waiting = false;
        const noted = state.checkpoint.acknowledgedThrough >= parts.backlog.acknowledgedThrough;
        return state.closed || noted ? undefined : inOrder(parts, () => save(parts, {}));
      })
      // The next note follows the next frame.
      .catch(() => undefined);
  });
}

function report(options: JournalOptions, recovered: Recovered, damage: DamageRecord): void {
  const { newRanges, newLostFrames, tornBytes, duplicateFrames, missingSegments } = recovered;
  const emit = options.onEvent ?? (() => undefined);
  if (newRanges > 0) {
    const atLeast = recovered.damaged.isLowerBound ? { atLeast: true as const } : {};
    const counts = { count: newRanges, lostFrames: newLostFrames, ...atLeast };
    emit({ code: "journal_corrupt", ...counts, ...filesOf(damage) });
  }
  if (tornBytes > 0) emit({ code: "journal_torn", count: tornBytes });
  if (duplicateFrames > 0) emit({ code: "journal_duplicate", count: duplicateFrames });
  if (missingSegments > 0) emit({ code: "journal_segment_missing", count: missingSegments });
}

function createJournal(parts: JournalParts): Journal {
  const { clock, quarantine, reserve, state } = parts;
  return {
    append: (frame) => appendFrame(parts, frame),
    read: (from) => readPending(parts, from),
    checkpoint: (through) => inOrder(parts, () => checkpointThrough(parts, through)),
    plan: (ends) => inOrder(parts, () => save(parts, { plan: ends })),
    planned: () => state.checkpoint.plan.filter((end) => end > parts.backlog.drainedThrough),
    quarantine: (input) =>
      inOrder(parts, async () => {
        assertUsable(parts);
        if (!(await reserve.spend(() => quarantine.add(input, clock.now())))) return;
        parts.options.onEvent?.({ code: "journal_quarantined", count: input.spans });
      }),
    quarantined: () => quarantine.read(),
    releaseQuarantined: (id) => inOrder(parts, () => quarantine.remove(id)),
    onDurable(listener) {
      const safe = undisturbed(listener);
      parts.listeners.add(safe);
      return () => void parts.listeners.delete(safe);
    },
    stats: () => journalStats(parts),
    losses: () => parts.damage.losses(),
    async close() {
      if (state.closed) return;
      state.closed = true;
      parts.stop.abort();
      await parts.writer.close();
      await inOrder(parts, async () => {
        // Without this checkpoint the next start drains some frames twice, under their tokens.
        await save(parts, { closed: true }).catch(() => undefined);
        // The next owner may read as soon as the lock is released.
        state.released = true;
      });
      await parts.lock.release();
    },
  };
}

/** Serializes the writes of checkpoints, plans and quarantine. */
function inOrder<T>(parts: JournalParts, work: () => Promise<T>): Promise<T> {
  const result = parts.state.tail.then(() => {
    if (parts.state.released) throw new CodedError("journal_failed");
    return work();
  });
  // The caller receives the failure; the next work starts all the same.
  parts.state.tail = result.catch(() => undefined);
  return result;
}

function assertUsable(parts: JournalParts): void {
  if (parts.state.lostOwnership) throw new CodedError("journal_locked");
  if (parts.state.closed) throw new CodedError("journal_failed");
}

async function appendFrame(
  parts: JournalParts,
  frame: { readonly payload: Uint8Array; readonly spans: number },
): Promise<{ readonly sequence: number }> {
  assertUsable(parts);
  const { payload, spans } = frame;
  if (!Number.isInteger(spans) || spans < 0 || spans > 0xffff_ffff) {
    throw new CodedError("record_invalid", { field: "spans" });
  }
  if (payload.byteLength > framePayloadBytesMax) throw new CodedError("body_too_large");
  const bytes = frameHeaderBytes + payload.byteLength;
  const taken =
    backlogBytes(parts.backlog) + parts.quarantine.bytes() + parts.writer.waitingBytes();
  if (taken + bytes > parts.bytesMax) throw new CodedError("journal_full");
  const sequence = await new Promise<number>((resolve, reject) => {
    parts.writer.push({ payload, spans, resolve, reject });
  });
  return { sequence };
}

function readPending(parts: JournalParts, from?: JournalPosition): AsyncIterable<JournalFrame> {
  return readBacklog({
    fileSystem: parts.fileSystem,
    directory: parts.directory,
    backlog: parts.backlog,
    damage: parts.damage,
    verifyChecksums: parts.options.verifyChecksums !== false,
    onMissing: async (run, at) => {
      if (!(await loseSegment(parts, run, at))) return;
      // A reader waits for no checkpoint, which may be the one that reads.
      const saved = inOrder(parts, () => saveDrained(parts));
      // The next checkpoint has it as well.
      saved.catch(() => undefined);
    },
    onDamage: (lostFrames, lostSpans) => {
      parts.state.lostSpans += lostSpans;
      const { files = [] } = filesOf(parts.damage);
      const count = Math.max(1, files.length);
      const place = files.length === 0 ? {} : { files };
      parts.options.onEvent?.({ code: "journal_corrupt", count, lostFrames, lostSpans, ...place });
    },
    ...(from === undefined ? {} : { from }),
  });
}

/** Notes what is drained, as where all that was before the next pending frame is lost. */
async function saveDrained(parts: JournalParts): Promise<void> {
  const { drainedThrough, drained } = parts.backlog;
  const plan = parts.state.checkpoint.plan.filter((end) => end > drainedThrough);
  await save(parts, { drainedThrough, drainedSpans: parts.spansBefore + drained.spans, plan });
  await unlinkDrained(parts);
}

async function checkpointThrough(
  parts: JournalParts,
  through: JournalPosition | number,
): Promise<void> {
  const { backlog, state } = parts;
  const position = typeof through === "number" ? await locate(parts, through) : through;
  if (position.sequence <= backlog.drainedThrough) return;
  const plan = state.checkpoint.plan.filter((end) => end > position.sequence);
  // Frames that were lost after it end with it: without their segment they would be lost anew.
  const { through: drainedThrough, totals } = drainedAt(backlog, position);
  const drainedSpans = parts.spansBefore + totals.spans;
  await save(parts, { drainedThrough, drainedSpans, plan });
  advanceBacklog(backlog, position);
  await unlinkDrained(parts);
}

async function locate(parts: JournalParts, through: number): Promise<JournalPosition> {
  let position = headOf(parts.backlog);
  for await (const frame of readPending(parts)) {
    if (frame.sequence > through) break;
    position = frame.position;
  }
  return position;
}

async function save(parts: JournalParts, change: Partial<Checkpoint>): Promise<void> {
  // The last checkpoint is written while the journal accepts nothing else.
  if (parts.state.lostOwnership) throw new CodedError("journal_locked");
  const { fileSystem, directory, state } = parts;
  const checkpoint: Checkpoint = {
    ...state.checkpoint,
    generation: state.checkpoint.generation + 1,
    acknowledgedThrough: parts.backlog.acknowledgedThrough,
    acknowledgedSpans: parts.spansBefore + parts.backlog.appended.spans,
    activeBase: parts.writer.activeBase(),
    closed: false,
    ...change,
  };
  const write = (): Promise<void> =>
    writeCheckpoint(fileSystem, directory, checkpoint, parts.clock.now());
  await parts.reserve.spend(write).catch((cause: unknown) => {
    throw new CodedError(isNoSpace(cause) ? "disk_full" : "journal_failed", { cause });
  });
  state.checkpoint = checkpoint;
}

async function unlinkDrained(parts: JournalParts): Promise<void> {
  const { backlog, fileSystem, directory, writer } = parts;
  let removed = 0;
  for (const segment of drainedSegments(backlog)) {
    if (segment === writer.active() && !(await retireActive(parts, segment.bytes))) continue;
    // It may have been written to while the previous one was removed.
    if (!drainedSegments(backlog).includes(segment)) continue;
    await fileSystem.unlink(join(directory, segment.name)).catch(() => undefined);
    backlog.segments.delete(segment.name);
    removed += 1;
  }
  if (removed === 0) return;
  // Segments that come back after a power cut are drained again, under their tokens.
  await fileSystem.syncDirectory(directory).catch(() => undefined);
  await parts.reserve.refill();
}

/** A small drained segment stays active: a new file costs more than its space. */
async function retireActive(parts: JournalParts, bytes: number): Promise<boolean> {
  return bytes >= Math.min(1024 * 1024, parts.bytesMax / 8) && parts.writer.retire();
}
