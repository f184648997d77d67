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
      const thread = new BodyThread(options.settings);
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

/** One worker thread; should it die of a body, that body is refused and a new one takes over. */
class BodyThread {
  private readonly settings: MapperSettings;
  private readonly waitingTasks = new Map<number, Waiting>();
  private worker: Worker | undefined;
  private nextId = 0;

  constructor(settings: MapperSettings) {
    this.settings = settings;
  }

  get waiting(): number {
    return this.waitingTasks.size;
  }

  run(body: IngestBody): Promise<IngestOutcome> {
    const worker = (this.worker ??= this.start());
    const id = this.nextId++;
    return new Promise((resolve, reject) => {
      this.waitingTasks.set(id, { resolve, reject });
      const task: ThreadTask = { id, body };
      worker.postMessage(task, [body.bytes.buffer as ArrayBuffer]);
    });
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
  }

  private start(): Worker {
    const source = import.meta.url.endsWith(".ts");
    const worker = new Worker(new URL(`./ingest-thread.${source ? "ts" : "js"}`, import.meta.url), {
      workerData: this.settings,
      execArgv: source ? ["--conditions=@turnproof/source"] : [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
    });
    worker.unref();
    worker.on("message", (answer: ThreadAnswer) => this.settle(answer));
    const died = (): void => {
      if (this.worker === worker) this.worker = undefined;
      for (const { reject } of this.waitingTasks.values()) reject(new CodedError("internal_error"));
      this.waitingTasks.clear();
    };
    worker.on("error", died);
    worker.on("exit", died);
    return worker;
  }

  private settle(answer: ThreadAnswer): void {
    const waiting = this.waitingTasks.get(answer.id);
    this.waitingTasks.delete(answer.id);
    if ("outcome" in answer) waiting?.resolve(answer.outcome);
    else waiting?.reject(new CodedError(answer.code));
  }
}
