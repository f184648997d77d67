/**
 * @module JudgingThread: entry point of the thread that writes the turns of stored events and
 * judges them. It loads nothing that only answers need.
 */
import { parentPort, workerData } from "node:worker_threads";

import type { StoredFrames } from "@turnproof/journal";
import { turnRecorder } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import { serverOf } from "../backend/backend.ts";
import { draftJudge } from "../judge/judge-drafts.ts";
import { startJudge } from "../judge/judge.ts";
import { openLoadedContracts } from "../judge/loaded-contracts.ts";
import { recordFrames } from "../receive/record-frames.ts";
import type { RecordBatch } from "../receive/record-frames.ts";
import { connectCalls } from "./calls.ts";
import type { Port } from "./calls.ts";
import { collectedWhenIdle } from "./idle-collection.ts";
import { damageOver, logOver, openThreadStores } from "./thread-link.ts";
import type { ThreadStart, Reported } from "./thread-link.ts";

const start = workerData as ThreadStart & { readonly reported: Reported };
let reported = start.reported;

const begun = Promise.withResolvers<RecordBatch>();
const worked = collectedWhenIdle();
const calls = connectCalls(parentPort as Port, {
  notify: async (given: Reported) => {
    reported = given;
    return { value: null };
  },
  started: async () => {
    await begun.promise;
    return { value: null };
  },
  stored: async (batch: StoredFrames) => {
    const record = await begun.promise;
    await worked(() => record(batch));
    return { value: null };
  },
});

async function begin(): Promise<RecordBatch> {
  const { config } = start;
  const { store } = await openThreadStores(
    start,
    calls,
    damageOver(calls, () => reported),
  );
  const contracts = await openLoadedContracts(config);
  const recorder = turnRecorder(store, collectorScope(), {
    bytesMax: config.judgeBytesMax,
    draft: draftJudge(config, contracts),
  });
  // A thread whose parent is gone has no alerts to wake.
  const onSettled = (sinceMs: number): void =>
    void calls.request("judged", sinceMs).catch(() => {});
  const parts = {
    config,
    contracts,
    log: logOver(calls),
    store,
    recorder,
    server: serverOf(config) ?? null,
    ingest: {
      mark: () => reported.mark,
      report: () => reported.report,
      losses: () => reported.losses,
    },
    now: Date.now,
  };
  startJudge(parts, { onSettled });
  return recordFrames(recorder);
}

begun.resolve(begin());
