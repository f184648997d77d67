/**
 * @module CheckpointWalk: the checkpoints of many files beside a walk over the log, each compared
 * when the log has its size. A bucket has a file for each checkpoint, so that files are many.
 */
import { stat } from "node:fs/promises";

import { ifThere } from "../../config/data-files.ts";
import { checkpointsIn } from "./checkpoint.ts";
import type { AuditCheckpoint, CheckpointKey } from "./checkpoint.ts";

/** A checkpoint, and the size of the one before it in its file. */
export interface FiledCheckpoint {
  readonly checkpoint: AuditCheckpoint;
  readonly sizeBefore: number;
}

/** Files up to this are read at once, so that none of them stays open. */
const smallBytesMax = 65_536;

/** One file, from its next checkpoint on. */
interface OpenFile {
  readonly rest: AsyncGenerator<AuditCheckpoint> | Iterator<AuditCheckpoint>;
  next: AuditCheckpoint;
  sizeBefore: number;
}

/** The next checkpoint of each file, by the size at which it is compared. */
export class CheckpointWalk {
  /** The file whose checkpoint is compared first is the last one. */
  readonly #files: OpenFile[] = [];
  count = 0;

  private constructor() {}

  /** Opens the files. A missing file has no checkpoint. */
  static async open(paths: readonly string[], key: CheckpointKey): Promise<CheckpointWalk> {
    const walk = new CheckpointWalk();
    for (const path of paths) {
      const size = (await ifThere(stat(path), path))?.size ?? 0;
      const all = checkpointsIn(path, key);
      const rest = size > smallBytesMax ? all : (await gathered(all)).values();
      const { value, done } = await rest.next();
      if (done !== true) walk.#insert({ rest, next: value, sizeBefore: 0 });
    }
    return walk;
  }

  /** Size at which the next checkpoint is due; infinite without one. */
  get dueSize(): number {
    const file = this.#files.at(-1);
    return file === undefined ? Number.POSITIVE_INFINITY : dueAt(file);
  }

  /** Takes a checkpoint that is due where the log has this size; undefined where none is. */
  async due(size: number): Promise<FiledCheckpoint | undefined> {
    const file = this.#files.at(-1);
    if (file === undefined || dueAt(file) > size) return undefined;
    this.#files.pop();
    this.count += 1;
    const { next: checkpoint, sizeBefore } = file;
    if ("size" in checkpoint) file.sizeBefore = checkpoint.size;
    const { value, done } = await file.rest.next();
    if (done !== true) {
      file.next = value;
      this.#insert(file);
    }
    return { checkpoint, sizeBefore };
  }

  #insert(file: OpenFile): void {
    let [from, to] = [0, this.#files.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      const other = this.#files[middle];
      if (other !== undefined && dueAt(other) > dueAt(file)) from = middle + 1;
      else to = middle;
    }
    this.#files.splice(from, 0, file);
  }
}

/** What has no size is reported at once. */
function dueAt({ next }: OpenFile): number {
  return "size" in next ? next.size : 0;
}

async function gathered(all: AsyncIterable<AuditCheckpoint>): Promise<readonly AuditCheckpoint[]> {
  const some: AuditCheckpoint[] = [];
  for await (const one of all) some.push(one);
  return some;
}
