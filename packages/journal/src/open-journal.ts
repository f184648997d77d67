/**
 * @module OpenJournal: opens a journal's directory: lock, checkpoint, recovery, writer. Damage
 * never prevents it.
 */
import { CodedError } from "@turnproof/semconv";

import { promoteCheckpoint, readCheckpoint } from "./checkpoint-file.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import { systemClock } from "./clock.ts";
import type { Journal, JournalOptions } from "./contract.ts";
import { openDamageRecord } from "./damage.ts";
import type { DamageRecord } from "./damage.ts";
import { lockDirectory } from "./directory-lock.ts";
import { nodeFileSystem } from "./file-system.ts";
import type { JournalParts } from "./journal-parts.ts";
import { openQuarantine } from "./quarantine.ts";
import { recover } from "./recovery.ts";
import { removeDrained } from "./remove-drained.ts";
import type { Recovered } from "./recovery.ts";
import { filesOf } from "./lost-segment.ts";
import { openReserve } from "./reserve.ts";
import { createSegmentWriter } from "./segment-writer.ts";
import { journalFailed } from "./system-failure.ts";
import { undisturbed } from "./undisturbed.ts";
import { inOrder, save } from "./journal-checkpoints.ts";
import { createJournal } from "./journal.ts";

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
 * with path and reason when the directory cannot be used; damage never prevents opening.
 */
export async function openJournal(given: JournalOptions): Promise<Journal> {
  const options: JournalOptions = { ...given, onEvent: undisturbed(given.onEvent) };
  const fileSystem = options.fileSystem ?? nodeFileSystem;
  const clock = options.clock ?? systemClock;
  const { directory } = options;
  const state = { lostOwnership: false };
  await fileSystem.makeDirectory(directory).catch((cause: unknown) => {
    throw journalFailed(cause, directory);
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
    throw journalFailed(cause, directory);
  });
  if (lock === undefined) throw new CodedError("journal_locked");
  try {
    return await openLocked(options, { fileSystem, clock, directory, lock, lostOwnership: state });
  } catch (error) {
    await lock.release();
    throw CodedError.is(error) ? error : journalFailed(error, directory);
  }
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
  reportRecovery(options, recovered, damage);
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

/** Emits what a recovery found. */
function reportRecovery(options: JournalOptions, recovered: Recovered, damage: DamageRecord): void {
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
