/**
 * @module ReadQueue: which thread answers a request, and when. A large trace keeps a thread busy
 * for seconds, and whatever else that thread answers then waits. So a read that is known to be
 * large runs alone on the last thread, one of unknown size is the only one of its kind on a thread,
 * and waiting reads take turns by principal (faults R17).
 */
import { createReadSizes } from "./read-sizes.ts";
import type { ReadSize } from "./read-sizes.ts";
import { FairQueue } from "./fair-queue.ts";
import type { LineBounds } from "./fair-queue.ts";

/** Options of the queue. */
export interface ReadQueueOptions extends LineBounds {
  /** Number of threads. */
  readonly threads: number;
  /** True where the thread of this index has started; the others start when they are needed. */
  readonly started: (thread: number) => boolean;
  /** Number of bodies of which the thread of this index makes a piece now. */
  readonly making: (thread: number) => number;
  /** CPU from which a read is large, milliseconds. */
  readonly largeCpuMs: number;
}

/** A read that needs a thread. */
export interface ReadRequest {
  /** Path and parameters: reads of one address cost alike. */
  readonly address: string;
  readonly principal: string;
  /** Aborts when its connection is gone. */
  readonly signal?: AbortSignal;
}

/** A read that may begin. */
export interface ReadPlace {
  /** Index of the thread. */
  readonly thread: number;
  /** Ends the read; `cpuMs` is what it took of its thread, undefined where that is not known. */
  readonly end: (cpuMs?: number) => void;
}

/** The queue. */
export interface ReadQueue {
  /**
   * Waits for a thread.
   * @throws CodedError `overloaded` where too many wait, at the end of the longest wait, or where
   *   the reader is gone
   */
  enter(read: ReadRequest): Promise<ReadPlace>;
}

interface Thread {
  running: number;
  /** Reads that began in all. */
  begun: number;
  /** The read that is large, or may be: at most one. */
  single: ReadSize | null;
}

/** Opens a queue. */
export function createReadQueue(options: ReadQueueOptions): ReadQueue {
  const threads: Thread[] = Array.from({ length: options.threads }, () => {
    return { running: 0, begun: 0, single: null };
  });
  const sizes = createReadSizes(options.largeCpuMs);
  const line = new FairQueue<string, ReadPlace>(options);
  const placeOf = (address: string): ReadPlace | undefined => {
    const size = sizes.of(address);
    const at = threadFor(threads, size, options);
    const thread = threads[at ?? -1];
    if (at === undefined || thread === undefined) return undefined;
    thread.running += 1;
    thread.begun += 1;
    const { running, begun } = thread;
    if (size !== "small") thread.single = size;
    const end = (cpuMs?: number): void => {
      // The CPU of others that ran meanwhile is in the figure.
      const isAlone = running === 1 && thread.begun === begun;
      thread.running -= 1;
      if (size !== "small") thread.single = null;
      if (cpuMs !== undefined) sizes.measured(address, { cpuMs, isAlone });
      line.admit(placeOf);
    };
    return { thread: at, end };
  };
  return {
    async enter({ principal, address, signal }) {
      // A place that is free now is one that no waiting read can take.
      return placeOf(address) ?? (await line.enter(principal, address, signal));
    },
  };
}

/** A thread that may begin a read of this size now, if any. */
function threadFor(
  threads: readonly Thread[],
  size: ReadSize,
  { started, making }: Pick<ReadQueueOptions, "started" | "making">,
): number | undefined {
  const last = threads.length - 1;
  if (size === "large") return threads[last]?.single === null ? last : undefined;
  const rank = ({ running, single }: Thread, at: number): number => {
    // A small read waits behind a large one only where there is no other thread.
    const behind = single === null ? 0 : single === "large" ? 1_000_000 : 1_000;
    // A thread that has to start first takes half a second.
    return running + making(at) + behind + (at === 0 || started(at) ? 0 : 100);
  };
  let best: number | undefined;
  for (const [at, thread] of threads.entries()) {
    if (size === "unknown" && thread.single !== null) continue;
    // Of equal ones the last: the first is left to small reads.
    const rest = best === undefined ? undefined : rank(threads[best] as Thread, best);
    const own = rank(thread, at);
    if (rest === undefined || own < rest || (own === rest && size === "unknown")) best = at;
  }
  return best;
}
