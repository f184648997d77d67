/** @module Exporter call: one export as a promise that always settles, in time or as late. */
import { exportDone } from "../gate/sdk-shapes.ts";
import type { ExportAnswer, ReadableSpanLike, SpanExporterLike } from "../gate/sdk-shapes.ts";
import type { RequestExporter, TraceRequest } from "../wire/trace-request.ts";

/** What became of an export. */
export type CallResult = "done" | "failed" | "late";

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
    const done = (answer: ExportAnswer): void => {
      clearTimeout(timer);
      resolve(answer.code === exportDone ? "done" : "failed");
    };
    try {
      call(done);
    } catch {
      done({ code: 1 });
    }
  });
}

/** Resolves when the work is done, has failed, or the time is over: true when it was done. */
export async function within(work: Promise<unknown>, timeoutMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, timeoutMs));
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
