/**
 * @module FileCheck: reads the evidence file as a whole in a thread, beside the store that has it
 * open: the engine holds the event loop, for as long as it takes to read the file once.
 */
import { Worker } from "node:worker_threads";

import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { WholeRead } from "../evidence-store.ts";
import type { EvidenceFileState } from "./evidence-check.ts";

/** Result of the thread. */
export type FileCheckResult = { readonly look: EvidenceFileState } | { readonly code: Code };

/**
 * Reads the file of this directory.
 * @throws CodedError `store_corrupt` where it is damaged, and the store's other errors
 */
export async function readFileWhole(directory: string, signal?: AbortSignal): Promise<WholeRead> {
  const answer = await lookInThread(directory, signal);
  if ("code" in answer) throw new CodedError(answer.code);
  const { look } = answer;
  if (look.found === "rows_damaged") return { damagedRoots: look.traces };
  // Rows that are gone are found by a comparison of turns with them.
  if (look.found === "whole" || look.found === "rows_missing") return { damagedRoots: [] };
  throw new CodedError("store_corrupt", { field: "sqlite 11" });
}

const source: boolean = import.meta.url.endsWith(".ts");
/** Rows are read in slices. */
const heapMegabytesMax = 256;

function lookInThread(directory: string, signal?: AbortSignal): Promise<FileCheckResult> {
  const module = new URL(`./file-check-thread.${source ? "ts" : "js"}`, import.meta.url);
  const worker = new Worker(module, {
    workerData: directory,
    execArgv: source ? ["--conditions=@turnproof/source"] : [],
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytesMax },
  });
  worker.unref();
  const end = (): void => void worker.terminate();
  signal?.addEventListener("abort", end, { once: true });
  return new Promise<FileCheckResult>((resolve, reject) => {
    const fail = (): void => reject(new CodedError("store_unavailable"));
    worker.once("message", resolve);
    worker.once("error", fail);
    worker.once("exit", fail);
  }).finally(() => {
    signal?.removeEventListener("abort", end);
    end();
  });
}
