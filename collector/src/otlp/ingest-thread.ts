/**
 * @module Ingest thread: the other side of the body threads. One thread has its own tables, memo
 * and mapper; it gets bodies by transfer and gives payloads back the same way.
 */
import { parentPort, workerData } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";

import { ingestBody } from "./ingest-body.ts";
import type { ThreadAnswer, ThreadTask } from "./body-threads.ts";
import { compileSourceTables } from "./source-tables.ts";
import { createSpanMapper } from "./span-mapper.ts";
import type { MapperSettings } from "./span-mapper.ts";

const tables = compileSourceTables();
const mapSpan = createSpanMapper(workerData as MapperSettings);

parentPort?.on("message", ({ id, body }: ThreadTask) => {
  let answer: ThreadAnswer;
  const transfer: ArrayBuffer[] = [];
  try {
    const outcome = ingestBody(body, tables, mapSpan);
    // A small payload lies in Node's pool, which cannot be given away.
    const payload = new Uint8Array(outcome.payload);
    transfer.push(payload.buffer);
    answer = { id, outcome: { ...outcome, payload } };
  } catch (error) {
    answer = { id, code: CodedError.is(error) ? error.code : "internal_error" };
  }
  parentPort?.postMessage(answer, transfer);
});
