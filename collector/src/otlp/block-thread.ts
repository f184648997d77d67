/**
 * @module Block thread: the side of the drain that makes frames ready for the store, off the event
 * loop: decoding them and building an engine's blocks takes as long as receiving them did, and no
 * request is to wait for it (design 8: build blocks in a worker). Payloads are shared, not copied;
 * blocks come back by transfer.
 */
import { Worker } from "node:worker_threads";

import type { PreparedFrames, SentFrame } from "@turnproof/exporter/journal";

/** What the thread is asked. */
export interface BlockTask {
  readonly id: number;
  readonly frames: readonly SentFrame[];
}

/** What the thread answers; null when it could not. */
export interface BlockAnswer {
  readonly id: number;
  readonly prepared: PreparedFrames | null;
}

/** Makes frames ready; started with the first ones. */
export interface BlockThread {
  /** Undefined when the thread died of them. */
  prepare(frames: readonly SentFrame[]): Promise<PreparedFrames | undefined>;
  close(): Promise<void>;
}

/** Heap of the thread: the events of one frame at a time, and the dictionaries of a block. */
const heapMegabytesMax = 512;

/** A thread that starts with the first frames. */
export function createBlockThread(): BlockThread {
  const waiting = new Map<number, (prepared: PreparedFrames | undefined) => void>();
  let worker: Worker | undefined;
  let nextId = 0;
  const settle = ({ id, prepared }: BlockAnswer): void => {
    waiting.get(id)?.(prepared ?? undefined);
    waiting.delete(id);
  };
  function start(): Worker {
    const source = import.meta.url.endsWith(".ts");
    const started = new Worker(new URL(`./block-worker.${source ? "ts" : "js"}`, import.meta.url), {
      execArgv: source ? ["--conditions=@turnproof/source"] : [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    });
    started.unref();
    started.on("message", settle);
    const died = (): void => {
      if (worker === started) worker = undefined;
      for (const resolve of waiting.values()) resolve(undefined);
      waiting.clear();
    };
    started.on("error", died);
    started.on("exit", died);
    return started;
  }
  return {
    prepare(frames) {
      const id = nextId++;
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        const sent = frames.map(({ sequence, payload, spans, appendedAtMs }) => {
          return { sequence, payload, spans, appendedAtMs };
        });
        const task: BlockTask = { id, frames: sent };
        (worker ??= start()).postMessage(task);
      });
    },
    async close() {
      await worker?.terminate();
    },
  };
}
