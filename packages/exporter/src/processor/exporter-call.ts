/** @module Exporter call: one export as a promise that always settles, in time or as late. */
import { exportDone, exportFailed } from "../gate/sdk-shapes.ts";
import type { ExportAnswer, ReadableSpanLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { RequestExporter, TraceRequest } from "../wire/trace-request.ts";

/** What became of an export; `refused`: the receiver will say no to these spans again. */
export type CallResult = "done" | "failed" | "late" | "refused";

/**
 * Answers that speak of the body itself. Any other refusal, such as a wrong token or path, is
 * something that people mend, and no reason to give spans up.
 */
const refusedStatuses: ReadonlySet<unknown> = new Set([400, 413, 422]);

/** Exports the spans; never rejects, and an answer after `timeoutMs` is not waited for. */
export function callExporter<S>(
  exporter: SpanExporterLike<S>,
  spans: readonly ReadableSpanLike[],
  timeoutMs: number,
): Promise<CallResult> {
  return answered((done) => exporter.export([...spans] as unknown as S[], done), timeoutMs);
}

/** Exports a request of ours; otherwise as {@link callExporter}. */
export function sendRequest<S>(
  exporter: RequestExporter<S>,
  request: TraceRequest,
  timeoutMs: number,
): Promise<CallResult> {
  return answered((done) => exporter.exportRequest(request, done), timeoutMs);
}

function answered(
  call: (done: (answer: ExportAnswer) => void) => void,
  timeoutMs: number,
): Promise<CallResult> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve("late"), timeoutMs);
    // Who waits for the answer holds the process for as long as it will wait, and nobody else.
    timer.unref?.();
    const done = (answer: ExportAnswer): void => {
      clearTimeout(timer);
      resolve(answer.code === exportDone ? "done" : failureOf(answer));
    };
    guarded(() => call(done), done);
  });
}

/**
 * Calls an exporter. One that throws, or that is asynchronous and rejects, has failed; nobody else
 * would catch it, and Node ends a process for it.
 */
export function guarded(call: () => unknown, done: (answer: ExportAnswer) => void): void {
  const failed = (): void => done({ code: exportFailed });
  try {
    void Promise.resolve(call()).catch(failed);
  } catch {
    failed();
  }
}

/** The SDK's transport gives the HTTP status as the code of its error. */
function failureOf({ error }: ExportAnswer): CallResult {
  const status = (error as { readonly code?: unknown } | undefined)?.code;
  return refusedStatuses.has(status) ? "refused" : "failed";
}

/**
 * Resolves when the work is done, has failed, or the time is over: true when it was done. The
 * process does not end meanwhile, unless `holds` is false.
 */
export async function within(
  work: Promise<unknown>,
  timeoutMs: number,
  holds: boolean = true,
): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, timeoutMs));
    if (!holds) timer.unref?.();
  });
  try {
    return await Promise.race([
      work.then(
        () => true,
        () => false,
      ),
      over,
    ]);
  } finally {
    clearTimeout(timer);
  }
}
