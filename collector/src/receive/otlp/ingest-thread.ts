/**
 * @module Ingest thread: the worker of the body threads. Each thread has its own tables, memo and
 * mapper; bodies and payloads are transferred, a part at a time.
 */
import { parentPort, workerData } from "node:worker_threads";

import { codeOf } from "@turnproof/semconv";

import { partLatch } from "./body-threads.ts";
import type { ThreadAnswer, ThreadData, ThreadTask } from "./body-threads.ts";
import { freeAtOnce } from "./free-at-once.ts";
import { ingestBody } from "./ingest-body.ts";
import type { IngestPart } from "./ingest-body.ts";
import { compileSourceTables } from "./source-tables.ts";
import { createSpanMapper } from "./span-mapper.ts";

const { settings, latch } = workerData as ThreadData;
const tables = compileSourceTables();
const mapSpan = createSpanMapper(settings);

function post(id: number, part: IngestPart, more: boolean): void {
  const { payload: made, events } = part;
  // A small payload is in Node's buffer pool, and one without events is a constant: both stay here.
  const isOwn = events > 0 && made.byteLength === made.buffer.byteLength;
  const payload = isOwn ? made : new Uint8Array(made);
  const answer: ThreadAnswer = { id, part: { ...part, payload }, more };
  parentPort?.postMessage(answer, [payload.buffer as ArrayBuffer]);
}

/** The body was cancelled. */
class Stopped extends Error {}

parentPort?.on("message", ({ id, body }: ThreadTask) => {
  try {
    const last = ingestBody(body, tables, mapSpan, (part) => {
      post(id, part, true);
      // The next part is built when this one is durable: memory does not grow with the body.
      Atomics.wait(latch, 0, partLatch.shut);
      if (Atomics.exchange(latch, 0, partLatch.shut) === partLatch.stop) throw new Stopped();
    });
    post(id, last, false);
  } catch (error) {
    if (error instanceof Stopped) return;
    const code = codeOf(error);
    const answer: ThreadAnswer = { id, code };
    parentPort?.postMessage(answer);
  } finally {
    freeAtOnce(body.bytes);
  }
});
