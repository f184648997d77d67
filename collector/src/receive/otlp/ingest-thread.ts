/**
 * @module Ingest thread: the other side of the body threads. One thread has its own tables, memo
 * and mapper; it gets bodies by transfer and gives payloads back the same way, a part at a time.
 */
import { parentPort, workerData } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";

import { partGate } from "./body-threads.ts";
import type { ThreadAnswer, ThreadData, ThreadTask } from "./body-threads.ts";
import { ingestBody } from "./ingest-body.ts";
import type { IngestPart } from "./ingest-body.ts";
import { compileSourceTables } from "./source-tables.ts";
import { createSpanMapper } from "./span-mapper.ts";

const { settings, gate } = workerData as ThreadData;
const tables = compileSourceTables();
const mapSpan = createSpanMapper(settings);

function post(id: number, part: IngestPart, more: boolean): void {
  // A small payload lies in Node's pool, which cannot be given away.
  const payload = new Uint8Array(part.payload);
  const answer: ThreadAnswer = { id, part: { ...part, payload }, more };
  parentPort?.postMessage(answer, [payload.buffer]);
}

/** The body is not wanted any more. */
class Stopped extends Error {}

parentPort?.on("message", ({ id, body }: ThreadTask) => {
  try {
    const last = ingestBody(body, tables, mapSpan, (part) => {
      post(id, part, true);
      // The next part is made when this one is durable: memory does not grow with the body.
      Atomics.wait(gate, 0, partGate.shut);
      if (Atomics.exchange(gate, 0, partGate.shut) === partGate.stop) throw new Stopped();
    });
    post(id, last, false);
  } catch (error) {
    if (error instanceof Stopped) return;
    const code = CodedError.is(error) ? error.code : "internal_error";
    const answer: ThreadAnswer = { id, code };
    parentPort?.postMessage(answer);
  }
});
