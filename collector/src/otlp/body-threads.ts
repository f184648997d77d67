/**
 * @module Body threads: where a body is worked on. A small one stays on the event loop, because
 * handing it over costs more than it does; a large one goes to a thread, so that no request makes
 * the others wait (faults R17).
 */
import { Worker } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { inflate } from "./inflate.ts";
import { ingestBody } from "./ingest-body.ts";
import type { IngestBody, IngestOutcome } from "./ingest-body.ts";
import type { BodyProcessor } from "./receive.ts";
import { compileSourceTables } from "./source-tables.ts";
import { createSpanMapper } from "./span-mapper.ts";
import type { MapperSettings } from "./span-mapper.ts";

/** What a thread is asked. */
export interface ThreadTask {
  readonly id: number;
  readonly body: IngestBody;
}

/** What a thread answers. */
export type ThreadAnswer =
  | { readonly id: number; readonly outcome: IngestOutcome }
  | { readonly id: number; readonly code: Code };

/** How bodies are spread. */
export interface BodyThreadsOptions {
  readonly settings: MapperSettings;
  /** Threads, started when the first large body comes; 0 works on everything on the event loop. */
  readonly threads: number;
  /** Bytes above which a body goes to a thread, as they arrive and when they are compressed. */
  readonly inlineBytesMax?: number;
  readonly inlineCompressedBytesMax?: number;
  /** Module that a thread runs; default `ingest-thread`. */
  readonly module?: URL;
}

/** A processor that must be closed. */
export interface BodyThreads extends BodyProcessor {
  close(): Promise<void>;
}

const defaults = { inlineBytesMax: 262_144, inlineCompressedBytesMax: 16_384 } as const;
/** Heap of a thread: what 50,000 of the richest spans need, and no more. */
const heapMegabytesMax = 512;

/** Makes the processor. */
export function createBodyThreads(options: BodyThreadsOptions): BodyThreads {
  const tables = compileSourceTables();
  const mapSpan = createSpanMapper(options.settings);
  const inlineMax = options.inlineBytesMax ?? defaults.inlineBytesMax;
  const compressedMax = options.inlineCompressedBytesMax ?? defaults.inlineCompressedBytesMax;
  const threads: BodyThread[] = [];
  return {
    async run(body) {
      const most = body.coding === "identity" ? inlineMax : compressedMax;
      if (options.threads === 0) return ingestBody(body, tables, mapSpan);
      if (body.bytes.byteLength > most) return handOver(body);
      if (body.coding === "identity") return ingestBody(body, tables, mapSpan);
      // A small body may hide a large one; what came out decides where the rest is done.
      const bytes = inflate(Buffer.from(body.bytes), body.coding);
      const plain: IngestBody = { ...body, bytes, coding: "identity" };
      if (bytes.byteLength <= inlineMax) return ingestBody(plain, tables, mapSpan);
      return handOver({ ...plain, bytes: new Uint8Array(bytes) });
    },
    async close() {
      await Promise.all(threads.splice(0).map((thread) => thread.close()));
    },
  };

  /** To a thread that waits, to a new one, or to the one with the least to do. */
  function handOver(body: IngestBody): Promise<IngestOutcome> {
    const idle = threads.find((thread) => thread.waiting === 0);
    if (idle !== undefined) return idle.run(body);
    if (threads.length < options.threads) {
      const thread = new BodyThread(options);
      threads.push(thread);
      return thread.run(body);
    }
    const [least] = threads.toSorted((a, b) => a.waiting - b.waiting);
    return (least as BodyThread).run(body);
  }
}

interface Waiting {
  readonly resolve: (outcome: IngestOutcome) => void;
  readonly reject: (error: CodedError) => void;
}

/**
 * One worker thread after another. The body that one dies of is refused for good, because it would
 * kill the next one as well; those that waited behind it may come again.
 */
class BodyThread {
  private readonly options: BodyThreadsOptions;
  private running: RunningThread | undefined;

  constructor(options: BodyThreadsOptions) {
    this.options = options;
  }

  get waiting(): number {
    return this.running?.waiting.size ?? 0;
  }

  run(body: IngestBody): Promise<IngestOutcome> {
    if (this.running === undefined || this.running.gone) {
      this.running = startThread(this.options);
    }
    const { waiting, worker } = this.running;
    return new Promise((resolve, reject) => {
      const id = nextTask++;
      waiting.set(id, { resolve, reject });
      const task: ThreadTask = { id, body };
      worker.postMessage(task, [body.bytes.buffer as ArrayBuffer]);
    });
  }

  async close(): Promise<void> {
    await this.running?.worker.terminate();
  }
}

let nextTask = 0;

/** A worker, and its own tasks: the end of another one is no matter of theirs. */
interface RunningThread {
  readonly worker: Worker;
  /** In the order in which they are worked on. */
  readonly waiting: Map<number, Waiting>;
  gone: boolean;
}

const source: boolean = import.meta.url.endsWith(".ts");

function startThread(options: BodyThreadsOptions): RunningThread {
  const standard = new URL(`./ingest-thread.${source ? "ts" : "js"}`, import.meta.url);
  const worker = new Worker(options.module ?? standard, {
    workerData: options.settings,
    execArgv: source ? ["--conditions=@turnproof/source"] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  worker.unref();
  const thread: RunningThread = { worker, waiting: new Map(), gone: false };
  const { waiting } = thread;
  worker.on("message", (answer: ThreadAnswer) => {
    const asked = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ("outcome" in answer) asked?.resolve(answer.outcome);
    else asked?.reject(new CodedError(answer.code));
  });
  const died = (): void => {
    thread.gone = true;
    let code: Code = "internal_error";
    for (const { reject } of waiting.values()) {
      reject(new CodedError(code));
      code = "overloaded";
    }
    waiting.clear();
  };
  worker.on("error", died);
  worker.on("exit", died);
  return thread;
}
