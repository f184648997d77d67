/**
 * @module CheckpointWalk: checkpoints beside a walk over the log, each compared when the log has
 * its size: those of the log's own file in its order, and those that were received elsewhere in
 * the order of their sizes.
 */
import { checkpointsIn } from "./checkpoint.ts";
import type { AuditCheckpoint, CheckpointKey } from "./checkpoint.ts";

/** A checkpoint, and the size of the one before it where the order has a meaning; else 0. */
export interface FiledCheckpoint {
  readonly checkpoint: AuditCheckpoint;
  readonly sizeBefore: number;
}

/** The checkpoints that are not compared yet. */
export interface CheckpointWalk {
  /** Checkpoints that were taken. */
  readonly count: number;
  /** Notes of received files that are there in part: they cover nothing. */
  readonly cut: number;
  /** Size at which the next checkpoint is due; infinite without one. */
  readonly dueSize: number;
  /** Takes a checkpoint that is due where the log has this size; undefined where none is. */
  due(size: number): Promise<FiledCheckpoint | undefined>;
}

/**
 * The log's own file; a missing one has no checkpoint. One writer, which holds the log, appends to
 * it after the records, so that its sizes grow: a smaller size after a larger one means that the
 * file was edited, or that the log was cut and grew again. A cut note is damage as well, since each
 * was durable before the next one.
 */
export async function ownCheckpoints(path: string, key: CheckpointKey): Promise<CheckpointWalk> {
  const rest = checkpointsIn(path, key);
  let next = await rest.next();
  let sizeBefore = 0;
  let count = 0;
  const dueAt = (): number => {
    if (next.done === true) return Number.POSITIVE_INFINITY;
    // What has no size is reported at once.
    return "size" in next.value ? next.value.size : 0;
  };
  return {
    get count() {
      return count;
    },
    cut: 0,
    get dueSize() {
      return dueAt();
    },
    due: async (size) => {
      if (next.done === true || dueAt() > size) return undefined;
      const found = { checkpoint: next.value, sizeBefore };
      count += 1;
      if ("size" in next.value) sizeBefore = next.value.size;
      next = await rest.next();
      return found;
    },
  };
}

/**
 * Files that were received elsewhere; a bucket has one for each checkpoint. Their order and their
 * repeats have no meaning: a slow receiver stores an earlier note after a later one, and a start
 * sends the newest one again. They are collected first, a size and a root each, so that one pass
 * over the log compares every root.
 */
export async function receivedCheckpoints(
  paths: readonly string[],
  key: CheckpointKey,
): Promise<CheckpointWalk> {
  const all: { readonly at: number; readonly checkpoint: AuditCheckpoint }[] = [];
  let cut = 0;
  for (const path of paths) {
    let at = 0;
    for await (const checkpoint of checkpointsIn(path, key)) {
      if (checkpoint.of === "cut") cut += 1;
      if (checkpoint.of === "cut" || checkpoint.of === "other") continue;
      // What has no size is reported after the one before it.
      if ("size" in checkpoint) at = checkpoint.size;
      all.push({ at, checkpoint });
    }
  }
  all.sort((one, other) => one.at - other.at);
  let count = 0;
  return {
    get count() {
      return count;
    },
    cut,
    get dueSize() {
      return all[count]?.at ?? Number.POSITIVE_INFINITY;
    },
    due: async (size) => {
      const next = all[count];
      if (next === undefined || next.at > size) return undefined;
      count += 1;
      return { checkpoint: next.checkpoint, sizeBefore: 0 };
    },
  };
}
