/**
 * @module Checkpoint file: up to which frame the store has confirmed the journal, up to which
 * frames were acknowledged, and the boundaries of batches in flight. Written to a temporary file,
 * synced and renamed, then the directory is synced; the previous one is kept. Reading takes the
 * furthest sound one of the three files: each was true when it was written.
 */
import { join } from "node:path";

import type { JournalFileSystem } from "./file-system.ts";
import { encodeFrame, frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";

/** Sequences are inclusive; 0 is before the first frame. */
export interface Checkpoint {
  /** Incremented with each write, to order two files with the same sequence. */
  readonly generation: number;
  readonly drainedThrough: number;
  readonly acknowledgedThrough: number;
  /** First sequence of the segment that contains `acknowledgedThrough`. */
  readonly activeBase: number;
  /** Last sequences of batches that may be in flight and are not checkpointed, ascending. */
  readonly plan: readonly number[];
  /** Spans of all frames up to `drainedThrough`, since the directory was made. */
  readonly drainedSpans: number;
  /** The same up to `acknowledgedThrough`; undefined in files of earlier versions. */
  readonly acknowledgedSpans: number | undefined;
  /** True for the last one before a clean stop: nothing was acknowledged after it. */
  readonly closed: boolean;
}

/** The checkpoint of an empty directory. */
const noCheckpoint: Checkpoint = {
  generation: 0,
  drainedThrough: 0,
  acknowledgedThrough: 0,
  activeBase: 0,
  plan: [],
  drainedSpans: 0,
  acknowledgedSpans: undefined,
  closed: false,
};

/** Names of the newest checkpoint and of the one before it. */
export const checkpointNames = {
  current: "checkpoint",
  previous: "checkpoint.previous",
} as const;

const { current, previous } = checkpointNames;
const temporary = "checkpoint.next";
const allNames: readonly string[] = [current, previous, temporary];

/** Makes the checkpoint durable before it resolves. */
export async function writeCheckpoint(
  fileSystem: JournalFileSystem,
  directory: string,
  checkpoint: Checkpoint,
  nowMs: number,
): Promise<void> {
  const names = await fileSystem.list(directory);
  if (names.includes(temporary)) await fileSystem.unlink(join(directory, temporary));
  const file = await fileSystem.open(join(directory, temporary), "create");
  try {
    await file.write(encodeCheckpoint(checkpoint, nowMs), 0);
    await file.sync();
  } finally {
    await file.close();
  }
  if (names.includes(current)) {
    await fileSystem.rename(join(directory, current), join(directory, previous));
  }
  await fileSystem.rename(join(directory, temporary), join(directory, current));
  await fileSystem.syncDirectory(directory);
}

function encodeCheckpoint(checkpoint: Checkpoint, nowMs: number): Buffer {
  const payload = Buffer.from(
    JSON.stringify({
      generation: checkpoint.generation,
      acknowledged_through: checkpoint.acknowledgedThrough,
      active_base: checkpoint.activeBase,
      plan: checkpoint.plan,
      drained_spans: checkpoint.drainedSpans,
      acknowledged_spans: checkpoint.acknowledgedSpans,
      closed: checkpoint.closed,
    }),
  );
  const fields = { kind: frameKind.checkpoint, spans: 0, lag: 0, appendedAtMs: nowMs };
  return encodeFrame({ ...fields, sequence: checkpoint.drainedThrough }, payload);
}

/** A checkpoint and the name of its file. */
export interface FoundCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly name: string;
}

/**
 * False where the newest checkpoint is damaged or gone: segments before those that are there may
 * have been drained since the found one.
 */
export function isNewest({ checkpoint, name }: FoundCheckpoint): boolean {
  return checkpoint.generation > 0 && name !== previous;
}

/** The furthest sound checkpoint; a damaged or missing one is not an error. */
export async function readCheckpoint(
  fileSystem: JournalFileSystem,
  directory: string,
  names: readonly string[],
): Promise<FoundCheckpoint> {
  let best: FoundCheckpoint = { checkpoint: noCheckpoint, name: current };
  for (const name of allNames) {
    if (!names.includes(name)) continue;
    const checkpoint = await readOne(fileSystem, join(directory, name));
    if (checkpoint !== undefined && isFurther(checkpoint, best.checkpoint)) {
      best = { checkpoint, name };
    }
  }
  return best;
}

/**
 * Renames a checkpoint that was found under another name. The next write removes the other names
 * before it is durable itself, and with them the ends of batches that were sent. Never rejects: a
 * disk that refuses this does not stop a start.
 */
export async function promoteCheckpoint(
  fileSystem: JournalFileSystem,
  directory: string,
  { name }: FoundCheckpoint,
): Promise<void> {
  if (name === current) return;
  try {
    await fileSystem.rename(join(directory, name), join(directory, current));
    await fileSystem.syncDirectory(directory);
  } catch {
    // At worst a batch gets other boundaries, and readers remove the duplicates.
  }
}

function isFurther(a: Checkpoint, b: Checkpoint): boolean {
  if (a.drainedThrough !== b.drainedThrough) return a.drainedThrough > b.drainedThrough;
  return a.generation > b.generation;
}

async function readOne(
  fileSystem: JournalFileSystem,
  path: string,
): Promise<Checkpoint | undefined> {
  const file = await fileSystem.open(path, "read");
  try {
    for await (const items of scanFrames(file, { from: 0, to: await file.size() })) {
      for (const item of items) {
        if (!isFrame(item) || item.kind !== frameKind.checkpoint) continue;
        const body = JSON.parse(item.payload.toString()) as Record<string, unknown>;
        return {
          generation: wholeNumber(body["generation"]),
          drainedThrough: item.sequence,
          acknowledgedThrough: wholeNumber(body["acknowledged_through"]),
          activeBase: wholeNumber(body["active_base"]),
          plan: Array.isArray(body["plan"]) ? body["plan"].map(wholeNumber) : [],
          drainedSpans: wholeNumber(body["drained_spans"]),
          acknowledgedSpans:
            body["acknowledged_spans"] === undefined
              ? undefined
              : wholeNumber(body["acknowledged_spans"]),
          closed: body["closed"] === true,
        };
      }
    }
    return undefined;
  } finally {
    await file.close();
  }
}

function wholeNumber(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : 0;
}
