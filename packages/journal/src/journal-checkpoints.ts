/** @module JournalCheckpoints: writes the checkpoints of an open journal, one after the other. */
import { CodedError } from "@turnproof/semconv";

import { writeCheckpoint } from "./checkpoint-file.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import { isNoSpace } from "./file-system.ts";
import type { JournalParts } from "./journal-parts.ts";
import { unlinkDrained } from "./remove-drained.ts";

/** Serializes the writes of checkpoints, plans and quarantine. */
export function inOrder<T>(parts: JournalParts, work: () => Promise<T>): Promise<T> {
  const result = parts.state.tail.then(() => {
    if (parts.state.released) throw new CodedError("journal_failed");
    return work();
  });
  // The caller receives the failure; the next work starts all the same.
  parts.state.tail = result.catch(() => undefined);
  return result;
}

/** Notes what is drained, as where all that was before the next pending frame is lost. */
export async function saveDrained(parts: JournalParts): Promise<void> {
  const { drainedThrough, drained } = parts.backlog;
  const plan = parts.state.checkpoint.plan.filter((end) => end > drainedThrough);
  await save(parts, { drainedThrough, drainedSpans: parts.spansBefore + drained.spans, plan });
  await unlinkDrained(parts);
}

/** Writes the next checkpoint, with this change. */
export async function save(parts: JournalParts, change: Partial<Checkpoint>): Promise<void> {
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
