/** @module Exporter call: one export as a promise that always settles, in time or as late. */
import { exportDone, exportFailed } from "../gate/sdk-shapes.ts";
import type { ExportAnswer, ReadableSpanLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { RequestExporter, TraceRequest } from "../wire/trace-request.ts";

/** Result of an export; `refused`: the receiver will refuse these spans again. */
export type CallResult = "done" | "failed" | "late" | "refused";

/**
 * HTTP statuses that concern the body itself. Any other refusal, such as a wrong token or path,
 * can be corrected, so the spans are kept.
 */
const refusedStatuses: ReadonlySet<unknown> = new Set([400, 413, 422]);

/** Exports the spans; never rejects, and stops waiting after `timeoutMs`. */
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
    // The process stays alive for a caller that waits, for as long as the deadline allows, and not
    // otherwise.
    timer.unref?.();
    const done = (answer: ExportAnswer): void => {
      clearTimeout(timer);
      resolve(answer.code === exportDone ? "done" : failureOf(answer));
    };
    guarded(() => call(done), done);
  });
}

/**
 * Calls an exporter. A throw, or the rejection of an asynchronous one, counts as a failure;
 * unhandled it would end the process.
 */
export function guarded(call: () => unknown, done: (answer: ExportAnswer) => void): void {
  const failed = (): void => done({ code: exportFailed });
  try {
    void Promise.resolve(call()).catch(failed);
  } catch {
    failed();
  }
}

/** The SDK's transport puts the HTTP status into the code of its error. */
function failureOf({ error }: ExportAnswer): CallResult {
  const status = (error as { readonly code?: unknown } | undefined)?.code;
  return refusedStatuses.has(status) ? "refused" : "failed";
}

/**
 * Resolves when the work is done, has failed, or the time is over: true when it was done. Keeps
 * the process alive meanwhile, unless `holds` is false.
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
