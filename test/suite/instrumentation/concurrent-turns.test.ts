/**
 * @module 1,000 concurrent turns in one process and three threads: random awaits, every kind of
 * timer, streams that are read in turns and given up in the middle, throws, and jobs handed over by
 * carrier. Each event is under its own turn, and every parent is a span of the same turn.
 */
import { EventEmitter, once } from "node:events";
import { setImmediate as immediate, setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { TraceContext, withTurn } from "@turnproof/instrumentation";
import type { Turn } from "@turnproof/instrumentation";
import { afterAll, beforeAll, expect, test } from "vitest";

import { seeded } from "../semconv/corpus-random.ts";
import type { Job } from "./job-worker.ts";
import { plainSpan } from "./plain-span.ts";
import type { PlainSpan } from "./plain-span.ts";

const turns = Number(process.env["TURNPROOF_TURNS"] ?? 1_000);
const exporter = new InMemorySpanExporter();
let workers: Worker[] = [];

beforeAll(() => {
  trace.setGlobalTracerProvider(
    new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }),
  );
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const execArgv = ["-C", "@turnproof/source"];
  workers = [1, 2, 3].map(
    () => new Worker(new URL("./job-worker.ts", import.meta.url), { execArgv }),
  );
});
afterAll(async () => {
  trace.disable();
  context.disable();
  await Promise.all(workers.map((worker) => worker.terminate()));
});

/** One heartbeat for all: listeners are called in the context of the emitter. */
const beat = new EventEmitter().setMaxListeners(0);
const random = seeded(20_261_121);

/** Waits in one of many ways. */
async function pause(): Promise<void> {
  const way = Math.floor(random() * 6);
  if (way === 0) await wait(random() * 6);
  else if (way === 1) await immediate();
  else if (way === 2) await new Promise<void>((resolve) => queueMicrotask(resolve));
  else if (way === 3) await new Promise<void>((resolve) => process.nextTick(resolve));
  else if (way === 4) await once(beat, "beat");
  else {
    await Promise.resolve()
      .then(() => wait(random() * 3))
      .finally(() => {});
  }
}

/** A stream that waits before every chunk. */
async function* words(count: number): AsyncGenerator<string, void, undefined> {
  for (let at = 0; at < count; at++) {
    await pause();
    yield `word ${at}`;
  }
}

/** A model's stream, read to its end or given up, while a tool runs beside it. */
async function answer(turn: Turn, n: number): Promise<void> {
  const givesUp = n % 5 === 0;
  await turn.modelCall({ model: "m" }, async (call) => {
    const tool = turn.toolCall({ name: "lookup" }, async (step) => {
      await pause();
      if (n % 7 === 0) throw new RangeError("secret");
      await step.result({ outcome: "success" });
    });
    const failed = tool.then(
      () => false,
      () => true,
    );
    let read = 0;
    for await (const word of call.stream(words(4))) {
      if (word !== "" && ++read === 2 && givesUp) break;
      await pause();
    }
    await turn.supplied({ count: n });
    if (!givesUp) await call.respond({ usage: { outputTokens: read } });
    expect(await failed).toBe(n % 7 === 0);
  });
}

/**
 * One turn: an answer, a host's nested work, and a job handed to a thread and done here as well.
 */
async function play(n: number): Promise<void> {
  const identity = {
    agentId: "helper",
    userId: `user_${n % 50}`,
    threadId: `thread_${n}`,
    turnId: `turn_${n}`,
  };
  await withTurn(identity, async (turn) => {
    await pause();
    const recorder = turn.recorder();
    const host = recorder.span("host.outer", async () => {
      await pause();
      expect(TraceContext.active()?.identity.turnId).toBe(identity.turnId);
      await recorder.span("host.inner", async (span) => {
        await pause();
        const job: Job = {
          carrier: span.toCarrier(),
          userId: identity.userId,
          delays: [random() * 5, random() * 5, random() * 5],
        };
        workers[n % workers.length]?.postMessage(job);
        await pause();
      });
    });
    await Promise.all([answer(turn, n), host]);
  });
}

/** What the threads recorded. */
async function jobsDone(): Promise<PlainSpan[]> {
  const answers = workers.map(async (worker) => {
    const stated = once(worker, "message") as Promise<[PlainSpan[] | { failed: string }]>;
    worker.postMessage("end");
    const [spans] = await stated;
    if (!Array.isArray(spans)) throw new Error(spans.failed);
    return spans;
  });
  return (await Promise.all(answers)).flat();
}

test(`${turns} concurrent turns keep their events to themselves, in threads too`, async () => {
  const beating = setInterval(() => beat.emit("beat"), 1);
  try {
    await Promise.all(Array.from({ length: turns }, (_, n) => play(n)));
  } finally {
    clearInterval(beating);
  }
  const here = exporter.getFinishedSpans().map(plainSpan);
  const there = await jobsDone();
  expect(there).toHaveLength(turns * 2);
  const byTurn = Map.groupBy([...here, ...there], ({ turnId }) => String(turnId));
  expect(byTurn.size).toBe(turns);
  for (let n = 0; n < turns; n++) {
    const own = byTurn.get(`turn_${n}`) ?? [];
    const only = (of: (span: PlainSpan) => unknown): unknown[] => [...new Set(own.map(of))];
    expect(own.map((span) => span.name).toSorted()).toEqual(
      [
        "chat m",
        "execute_tool lookup",
        "host.inner",
        "host.outer",
        "invoke_agent helper",
        "job.inner",
        "job.outer",
        "turnproof.memory.supply",
      ].toSorted(),
    );
    expect(only((span) => span.traceId)).toHaveLength(1);
    expect(only((span) => span.userId)).toEqual([`user_${n % 50}`]);
    expect(only((span) => span.threadId)).toEqual([`thread_${n}`]);
    const called = (name: string): PlainSpan | undefined => own.find((span) => span.name === name);
    expect(called("turnproof.memory.supply")?.supplied).toBe(n);
    expect(called("chat m")?.status).toBe(n % 5 === 0 ? "unknown" : "success");
    expect(called("execute_tool lookup")?.status).toBe(n % 7 === 0 ? "error" : "success");
    const parents: Readonly<Record<string, string>> = {
      "chat m": "invoke_agent helper",
      "execute_tool lookup": "chat m",
      "turnproof.memory.supply": "chat m",
      "host.outer": "invoke_agent helper",
      "host.inner": "host.outer",
      "job.outer": "host.inner",
      "job.inner": "job.outer",
    };
    for (const [name, parent] of Object.entries(parents)) {
      expect([n, name, called(name)?.parentSpanId]).toEqual([n, name, called(parent)?.spanId]);
    }
  }
});
