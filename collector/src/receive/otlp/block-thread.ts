/**
 * @module Block thread: the part of the drain that prepares frames for the store, off the event
 * loop: decoding them and building an engine's blocks takes as long as receiving them did, and
 * must not delay requests. Payloads are in shared memory.
 * When a thread dies or does not answer in time, its frames are prepared on the event loop, and
 * the next ones get a new thread.
 */
import { Worker } from "node:worker_threads";

import type { PreparedFrames, SentFrame } from "@turnproof/journal";

import { threadLimits } from "../../config/thread-limits.ts";

/** What the store accepts: blocks of its engine, or rows of bundles. */
export type PreparedForm = "blocks" | "rows";

/** Input of the thread. */
export interface BlockTask {
  readonly id: number;
  readonly form: PreparedForm;
  readonly frames: readonly SentFrame[];
}

/** Result of the thread; null when it failed. */
export interface BlockAnswer {
  readonly id: number;
  readonly prepared: PreparedFrames | null;
}

/** Prepares frames; started with the first ones. */
export interface BlockThread {
  /**
   * Undefined when the thread died of them, was too slow, or is closed; without a form, and for few
   * spans of which rows are wanted.
   */
  prepare(
    frames: readonly SentFrame[],
    form: PreparedForm | undefined,
  ): Promise<PreparedFrames | undefined>;
  /** Ends the thread; pending calls return undefined, and it does not start again. */
  close(): Promise<void>;
}

/** Module and timeout of the thread. */
export interface BlockThreadOptions {
  /** Default: `block-worker`. */
  readonly module?: URL;
  /** Timeout of a thread's answer in milliseconds; default 30,000. */
  readonly answerMsMax?: number;
}

/** Heap of the thread: the events of one frame at a time, and the dictionaries of a block. */
const heapMegabytesMax = 512;
/** A block of 50,000 spans takes a second or two; on an overloaded machine ten times that. */
const answerMsDefault = 30_000;

/** Spans of which the event loop packs the rows: some milliseconds, and without a thread. */
const smallSpansMax = 512;

const source: boolean = import.meta.url.endsWith(".ts");

/** A thread that starts with the first frames. */
export function createBlockThread(options: BlockThreadOptions = {}): BlockThread {
  const answerMsMax = options.answerMsMax ?? answerMsDefault;
  let running: RunningThread | undefined;
  let nextId = 0;
  let closed = false;
  return {
    async prepare(frames, form) {
      if (closed || form === undefined) return undefined;
      if (form === "rows" && isSmall(frames)) return undefined;
      if (running === undefined || running.gone) running = new RunningThread(options.module);
      const sent = frames.map(({ sequence, payload, spans, appendedAtMs }) => {
        return { sequence, payload, spans, appendedAtMs };
      });
      return running.request({ id: nextId++, form, frames: sent }, answerMsMax);
    },
    async close() {
      closed = true;
      await running?.end();
    },
  };
}

function isSmall(frames: readonly SentFrame[]): boolean {
  return frames.reduce((sum, { spans }) => sum + spans, 0) <= smallSpansMax;
}

/** One worker and its pending calls; the exit of another worker does not affect them. */
class RunningThread {
  gone = false;
  private readonly worker: Worker;
  private readonly waiting = new Map<number, (prepared: PreparedFrames | undefined) => void>();

  constructor(module: URL | undefined) {
    const standard = new URL(`./block-worker.${source ? "ts" : "js"}`, import.meta.url);
    this.worker = new Worker(module ?? standard, {
      execArgv: source ? ["--conditions=@turnproof/source"] : [],
      resourceLimits: threadLimits(heapMegabytesMax),
    });
    this.worker.unref();
    this.worker.on("message", ({ id, prepared }: BlockAnswer) => {
      this.settle(id, prepared ?? undefined);
    });
    for (const end of ["error", "exit", "messageerror"]) {
      this.worker.on(end, () => void this.end());
    }
  }

  /** Undefined when the thread ends, or times out: it is then ended. */
  async request(task: BlockTask, answerMsMax: number): Promise<PreparedFrames | undefined> {
    const answer = Promise.withResolvers<PreparedFrames | undefined>();
    this.waiting.set(task.id, answer.resolve);
    const late = setTimeout(() => void this.end(), answerMsMax);
    late.unref();
    try {
      this.worker.postMessage(task);
      return await answer.promise;
    } finally {
      clearTimeout(late);
      this.waiting.delete(task.id);
    }
  }

  /** Ends it at any point; pending calls get no result. */
  async end(): Promise<void> {
    this.gone = true;
    for (const id of this.waiting.keys()) this.settle(id, undefined);
    await this.worker.terminate();
  }

  private settle(id: number, prepared: PreparedFrames | undefined): void {
    this.waiting.get(id)?.(prepared);
    this.waiting.delete(id);
  }
}
