/** @module ReadingThread: entry point of a reading or judging thread. */
import { parentPort, workerData } from "node:worker_threads";

import { collectorScope, readingOf } from "../access/grants.ts";
import type { Principal } from "../access/principal.ts";
import { startJudge } from "../judge/judge.ts";
import type { EventQuery } from "@turnproof/evidence";
import type { StoredFrames } from "@turnproof/journal";
import { turnRecorder } from "@turnproof/store";
import type { SliceOptions } from "@turnproof/store";

import { draftJudge } from "../judge/judge-drafts.ts";
import { recordFrames } from "../receive/record-frames.ts";

import { connectCalls } from "./calls.ts";
import type { Port } from "./calls.ts";
import { createReadingApp } from "./reading-app.ts";
import type { PassedRequest } from "../http/environment.ts";
import { openThreadParts } from "./thread-parts.ts";
import type { ThreadStart, Told } from "./thread-parts.ts";

const start = workerData as ThreadStart & { readonly told: Told };
let told = start.told;

const begun = Promise.withResolvers<Awaited<ReturnType<typeof begin>>>();
const calls = connectCalls(parentPort as Port, {
  tell: async (given: Told) => {
    told = given;
    return { value: null };
  },
  answer: async (passed: PassedRequest) => {
    const answer = await (await begun.promise).answer(passed);
    return { value: answer, transfer: [answer.body] };
  },
  stored: async (batch: StoredFrames) => {
    const { record } = await begun.promise;
    await record(batch);
    return { value: null };
  },
  page: async (asked: {
    readonly principal: Principal;
    readonly query: EventQuery;
    readonly options: Omit<SliceOptions, "signal">;
  }) => {
    const { parts } = await begun.promise;
    const { scope, query } = readingOf(asked.principal, asked.query);
    return { value: await parts.store.page(scope, query, asked.options) };
  },
});

async function begin() {
  const parts = await openThreadParts(start, calls, () => told);
  const isJudge = start.role === "judge";
  const bytesMax = isJudge ? parts.config.judgeBytesMax : 0;
  const draft = isJudge ? draftJudge(parts.config) : undefined;
  const recorder = turnRecorder(parts.patient, collectorScope(), { bytesMax, draft });
  if (isJudge) startJudge({ ...parts, store: parts.patient, recorder });
  return { parts, record: recordFrames(recorder), answer: createReadingApp(parts) };
}

begun.resolve(begin());
