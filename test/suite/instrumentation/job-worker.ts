/**
 * @module Job worker: a thread that takes jobs by carrier, works on many of them at once, and sends
 * back what its own exporter was given.
 */
import { setTimeout as wait } from "node:timers/promises";
import { parentPort } from "node:worker_threads";

import { context, trace } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { forWorker, ObservabilityRecorder, otelSink } from "@turnproof/instrumentation";

import { plainSpan } from "./plain-span.ts";

/** One job: whose it is, and under which turn it runs. */
export interface Job {
  readonly carrier: Readonly<Record<string, string>>;
  readonly userId: string;
  readonly delays: readonly number[];
}

const exporter = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
trace.setGlobalTracerProvider(provider);
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

async function work({ carrier, userId, delays }: Job): Promise<void> {
  const sink = otelSink();
  const turn = await forWorker(carrier, { sink, expected: { userId } });
  await turn.with(async () => {
    const recorder = new ObservabilityRecorder(sink, turn);
    await wait(delays[0]);
    await recorder.span("job.outer", async () => {
      await wait(delays[1]);
      await recorder.span("job.inner", () => wait(delays[2]));
    });
  });
}

const jobs: Promise<void>[] = [];
parentPort?.on("message", (message: Job | "end") => {
  if (message !== "end") {
    jobs.push(work(message));
    return;
  }
  void Promise.all(jobs).then(
    () => parentPort?.postMessage(exporter.getFinishedSpans().map(plainSpan)),
    (error: unknown) => parentPort?.postMessage({ failed: String(error) }),
  );
});
