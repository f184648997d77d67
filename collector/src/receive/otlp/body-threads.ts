/**
 * @module Body threads: where a body is processed. A small one stays on the event loop, because
 * transferring it costs more than processing it; a large one goes to a thread, so that no request
 * delays the others (faults R17).
 */
import { Worker } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { threadLimits } from "../../config/thread-limits.ts";
import { turnShare } from "../../http/turn-share.ts";
import { inflate } from "./inflate.ts";
import { ingestBody } from "./ingest-body.ts";
import type { IngestBody, IngestPart } from "./ingest-body.ts";
import type { BodyProcessor, KeepPart } from "./intake.ts";
import { scanProtobuf } from "./scan-protobuf.ts";
import { compileSourceTables } from "./source-tables.ts";
import { createSpanMapper } from "./span-mapper.ts";
import type { MapperSettings } from "./span-mapper.ts";

/** Input of a thread. */
export interface ThreadTask {
  readonly id: number;
  readonly body: IngestBody;
}

/** Result of a thread: a part, and whether more parts follow; or a refusal. */
export type ThreadAnswer =
  | { readonly id: number; readonly part: IngestPart; readonly more: boolean }
  | { readonly id: number; readonly code: Code };

/** Start data of a thread. */
export interface ThreadData {
  readonly settings: MapperSettings;
  /** One of {@link partLatch}; a thread waits here until its part is durable. */
  readonly latch: Int32Array;
}

/** States of a thread's latch. */
export const partLatch = { shut: 0, open: 1, stop: 2 } as const;

/** Options of distributing bodies. */
export interface BodyThreadsOptions {
  readonly settings: MapperSettings;
  /**
   * Number of threads, started with the first large body; with 0 everything runs on the event
   * loop.
   */
  readonly threads: number;
  /** Module that a thread runs; default `ingest-thread`. */
  readonly module?: URL;
  /** Longest wait of a body before a thread takes it, in milliseconds; default 5,000. */
  readonly queueMsMax?: number;
}

/** A processor that must be closed. */
export interface BodyThreads extends BodyProcessor {
  close(): Promise<void>;
}

/** Size above which a body goes to a thread, as received and when compressed. */
const inlineBytesMax = 262_144;
const inlineCompressedBytesMax = 16_384;
/** A client that is answered 503 by then sends again; one that waits longer gives up by itself. */
const queueMsMaxDefault = 5_000;
/** Bodies that a thread has: the one in work, and the next, so that it does not wait for it. */
const handedMax = 2;
/**
 * Most items that are mapped on the event loop: some milliseconds. A small body may have
 * thousands.
 */
const inlineItemsMax = 1_024;
/** Most objects of JSON: a span with its attributes has twenty to forty. */
const inlineObjectsMax = 20 * inlineItemsMax;
/** A smaller body cannot have that many items; an item without ids costs nothing. */
const countedBytesMin = 28 * inlineItemsMax;
/** Heap of a thread: enough for one part of the largest spans. */
const heapMegabytesMax = 512;

/** Makes the processor. */
export function createBodyThreads(options: BodyThreadsOptions): BodyThreads {
  const tables = compileSourceTables();
  const mapSpan = createSpanMapper(options.settings);
  const threads: BodyThread[] = [];
  const share = turnShare();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => share(() => void work().then(resolve, reject)));
  return {
    async run(body, keep) {
      const most = body.coding === "identity" ? inlineBytesMax : inlineCompressedBytesMax;
      if (options.threads === 0) return here(body, keep);
      if (body.bytes.byteLength > most) return handOver(body, keep);
      return inTurn(async () => {
        // A small body may decompress to a large one; the decompressed size decides where it is
        // processed.
        const plain = inflated(body, inlineBytesMax);
        if (plain === undefined) return handOver(body, keep);
        return isDense(plain) ? handOver(plain, keep) : here(plain, keep);
      });
    },
    async close() {
      await Promise.all(threads.splice(0).map((thread) => thread.close()));
    },
  };

  async function here(body: IngestBody, keep: KeepPart): Promise<IngestPart> {
    const full: IngestPart[] = [];
    const last = ingestBody(body, tables, mapSpan, (part) => void full.push(part));
    for (const part of full) await keep(part);
    return last;
  }

  /** To an idle thread, to a new one, or to the one with the fewest tasks. */
  function handOver(body: IngestBody, keep: KeepPart): Promise<IngestPart> {
    const idle = threads.find((thread) => thread.waiting === 0);
    if (idle !== undefined) return idle.run(body, keep);
    if (threads.length < options.threads) {
      const thread = new BodyThread(options);
      threads.push(thread);
      return thread.run(body, keep);
    }
    const [least] = threads.toSorted((a, b) => a.waiting - b.waiting);
    return (least as BodyThread).run(body, keep);
  }
}

/** The body without its coding; undefined where it has more bytes then. */
function inflated(body: IngestBody, bytesMax: number): IngestBody | undefined {
  if (body.coding === "identity") return body;
  const { buffer, byteOffset, byteLength } = body.bytes;
  try {
    const bytes = inflate(Buffer.from(buffer, byteOffset, byteLength), body.coding, bytesMax);
    return { ...body, bytes, coding: "identity" };
  } catch (error) {
    // The bound of all bodies is larger: the thread checks it.
    if (CodedError.is(error) && error.code === "otlp_inflate_limit") return undefined;
    throw error;
  }
}

/** True for a body of many items. */
function isDense({ bytes, encoding, signal }: IngestBody): boolean {
  if (bytes.byteLength < countedBytesMin) return false;
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (encoding === "json") return objectsIn(view) > inlineObjectsMax;
  return scanProtobuf(view, signal).items > inlineItemsMax;
}

/** Objects in JSON, and braces in its texts. */
function objectsIn(json: Buffer): number {
  let count = 0;
  for (let at = json.indexOf(0x7b); at !== -1; at = json.indexOf(0x7b, at + 1)) count += 1;
  return count;
}

interface Waiting {
  readonly keep: KeepPart;
  readonly resolve: (last: IngestPart) => void;
  readonly reject: (error: unknown) => void;
}

/** A body that no thread has yet. */
interface Queued extends Waiting {
  readonly body: IngestBody;
  readonly timer: NodeJS.Timeout;
}

/**
 * One worker thread after another, with a queue before it that is bounded in time. A body that
 * kills a thread is permanently refused, because it would kill the next one as well; one that the
 * thread had besides may be sent again, and those in the queue go to the next thread.
 */
class BodyThread {
  private readonly options: BodyThreadsOptions;
  private readonly queue = new Set<Queued>();
  private running: RunningThread | undefined;

  constructor(options: BodyThreadsOptions) {
    this.options = options;
  }

  get waiting(): number {
    return (this.running?.waiting.size ?? 0) + this.queue.size;
  }

  /** @throws CodedError `overloaded` where no thread takes it in time */
  run(body: IngestBody, keep: KeepPart): Promise<IngestPart> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.queue.delete(queued);
        reject(new CodedError("overloaded"));
      }, this.options.queueMsMax ?? queueMsMaxDefault);
      const queued: Queued = { body, keep, resolve, reject, timer };
      this.queue.add(queued);
      this.handNext();
    });
  }

  private handNext(): void {
    for (const queued of this.queue) {
      if (this.running === undefined || this.running.gone) {
        this.running = startThread(this.options, () => this.handNext());
      }
      const { waiting, worker } = this.running;
      if (waiting.size >= handedMax) return;
      this.queue.delete(queued);
      clearTimeout(queued.timer);
      const id = nextTask++;
      waiting.set(id, queued);
      const { body } = queued;
      const bytes = owned(body.bytes);
      const task: ThreadTask = { id, body: { ...body, bytes } };
      worker.postMessage(task, [bytes.buffer]);
    }
  }

  async close(): Promise<void> {
    for (const { reject, timer } of this.queue) {
      clearTimeout(timer);
      reject(new CodedError("overloaded"));
    }
    this.queue.clear();
    if (this.running === undefined) return;
    this.running.closing = true;
    await this.running.worker.terminate();
  }
}

let nextTask = 0;

/** Bytes that fill their buffer, so that it can be transferred. */
function owned(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const whole = bytes.byteLength === bytes.buffer.byteLength;
  return whole ? (bytes as Uint8Array<ArrayBuffer>) : new Uint8Array(bytes);
}

/** A worker, and its own tasks; the exit of another worker does not affect them. */
interface RunningThread {
  readonly worker: Worker;
  /** In the order of processing. */
  readonly waiting: Map<number, Waiting>;
  gone: boolean;
  /** Ended by us: no body is the cause. */
  closing: boolean;
}

const source: boolean = import.meta.url.endsWith(".ts");

/** @param freed called when it has room for another body, or has ended */
function startThread(options: BodyThreadsOptions, freed: () => void): RunningThread {
  const standard = new URL(`./ingest-thread.${source ? "ts" : "js"}`, import.meta.url);
  const latch = new Int32Array(new SharedArrayBuffer(4));
  const data: ThreadData = { settings: options.settings, latch };
  const worker = new Worker(options.module ?? standard, {
    workerData: data,
    execArgv: source ? ["--conditions=@turnproof/source"] : [],
    resourceLimits: threadLimits(heapMegabytesMax),
  });
  worker.unref();
  const thread: RunningThread = { worker, waiting: new Map(), gone: false, closing: false };
  const { waiting } = thread;
  worker.on("message", (answer: ThreadAnswer) => {
    const requested = waiting.get(answer.id);
    if ("part" in answer && answer.more) {
      const keeping =
        requested?.keep(answer.part) ?? Promise.reject(new CodedError("internal_error"));
      keeping.then(
        () => letOn(latch, partLatch.open),
        (error: unknown) => {
          waiting.delete(answer.id);
          requested?.reject(error);
          letOn(latch, partLatch.stop);
          freed();
        },
      );
      return;
    }
    waiting.delete(answer.id);
    if ("part" in answer) requested?.resolve(answer.part);
    else requested?.reject(new CodedError(answer.code));
    freed();
  });
  const died = (): void => {
    thread.gone = true;
    let code: Code = thread.closing ? "overloaded" : "internal_error";
    for (const { reject } of waiting.values()) {
      reject(new CodedError(code));
      code = "overloaded";
    }
    waiting.clear();
    freed();
  };
  worker.on("error", died);
  worker.on("exit", died);
  return thread;
}

function letOn(latch: Int32Array, state: number): void {
  Atomics.store(latch, 0, state);
  Atomics.notify(latch, 0);
}
