/** @module ThreadHandle: a thread that answers requests, started again when it ended. */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";

import { threadLimits } from "../config/thread-limits.ts";
import type { Parts } from "../parts.ts";
import { connectCalls } from "./calls.ts";
import type { Calls, Handlers } from "./calls.ts";
import { pieceCall } from "./following-bodies.ts";
import type { ThreadStart, Reported } from "./thread-link.ts";
import { withinTime } from "./within-time.ts";

/** Most pending requests of one thread; further ones are refused. */
const waitingMax = 64;
/** A request that takes longer is aborted. */
const answerMsMax = 120_000;
/** A thread that does not answer within this time after that is ended: it hangs. */
const aliveMsMax = 10_000;
const heapMegabytesMax = 1_024;

/** Ends a thread that answers nothing; the other requests of one that does go on. */
async function endHanging(worker: Worker, calls: Calls): Promise<void> {
  const alive = calls.request("started", null).then(
    () => true,
    () => true,
  );
  const hangs = sleep(aliveMsMax, false, { ref: false });
  if (!(await Promise.race([alive, hangs]))) await worker.terminate();
}

/** One thread, restarted when it ended. */
export class ReadingThread {
  readonly #start: () => ThreadStart;
  readonly #handlers: Handlers;
  readonly #parts: Parts;
  readonly #state: { readonly closed: boolean };
  #worker: Worker;
  #calls: Calls;
  #requested = 0;
  #making = 0;
  #started = false;

  constructor(
    start: () => ThreadStart,
    handlers: Handlers,
    parts: Parts,
    state: { readonly closed: boolean },
  ) {
    this.#start = start;
    this.#handlers = handlers;
    this.#parts = parts;
    this.#state = state;
    [this.#worker, this.#calls] = this.#open();
  }

  /** Requests without an answer yet. */
  get requested(): number {
    return this.#requested;
  }

  /** Bodies of which it makes a piece now. */
  get making(): number {
    return this.#making;
  }

  /** True once it has opened its parts; before that a request waits for them. */
  get started(): boolean {
    return this.#started;
  }

  notify(reported: Reported): void {
    // A thread that ended is started again with the present state.
    void this.#calls.request("notify", reported).catch(() => {});
  }

  async request<T>(name: string, argument: unknown): Promise<T> {
    if (this.#requested > waitingMax) throw new CodedError("overloaded");
    const [worker, calls] = [this.#worker, this.#calls];
    const isPiece = name === pieceCall;
    this.#requested += 1;
    if (isPiece) this.#making += 1;
    try {
      return await withinTime((signal) => calls.request<T>(name, argument, { signal }), {
        answerMsMax,
        late: () => void endHanging(worker, calls),
      });
    } finally {
      this.#requested -= 1;
      if (isPiece) this.#making -= 1;
    }
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #open(): [Worker, Calls] {
    const start = this.#start();
    const module = start.role === "judge" ? "./judging-thread.js" : "./reading-thread.js";
    const worker = new Worker(new URL(module, import.meta.url), {
      workerData: start,
      resourceLimits: threadLimits(heapMegabytesMax),
    });
    worker.unref();
    const calls = connectCalls(worker, this.#handlers);
    this.#started = false;
    const started = (): void => void (this.#started = this.#worker === worker);
    // A worker that ends before it has started is reported by its `error` and `exit` below.
    void calls.request("started", null).then(started, () => {});
    worker.on("error", (error: unknown) => {
      const name = error instanceof Error ? error.name : "unknown";
      this.#parts.log.error("reader_ended", { error_type: name });
    });
    worker.once("exit", () => {
      calls.end();
      this.#started = false;
      if (this.#state.closed) return;
      // An immediate restart would be a busy loop where it cannot start.
      setTimeout(() => {
        if (!this.#state.closed) [this.#worker, this.#calls] = this.#open();
      }, 250).unref();
    });
    return [worker, calls];
  }
}
