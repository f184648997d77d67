/**
 * @module EventStream: a server-sent event stream that ends with its reader, its session, its
 * account or the collector. The last event has the reason; a failure is a code only.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { streamSSE } from "hono/streaming";
import type { SSEStreamingApi } from "hono/streaming";
import { codeOf } from "@turnproof/semconv";

import type { StreamHolder } from "../access/streams.ts";
import type { Parts } from "../parts.ts";
import { principalOf } from "./environment.ts";
import type { AppContext } from "./environment.ts";

/** How long a reader may take for the last event before its connection is closed. */
const endingMsMax = 1_000;

/** Owner of the request's stream. */
export function holderOf(c: AppContext): StreamHolder {
  const credential = c.get("credential");
  const session = c.get("session")?.id;
  return {
    principal: principalOf(c),
    ...(credential === undefined ? {} : { credential }),
    ...(session === undefined ? {} : { session }),
  };
}

/**
 * Answers with a stream. `run` writes it and stops when the signal aborts; pending work at that
 * time, writes included, is not waited for.
 *
 * @throws CodedError `streams_full`
 */
export function eventStream(
  c: AppContext,
  parts: Parts,
  run: (stream: SSEStreamingApi, signal: AbortSignal) => Promise<void>,
): Response {
  const held = parts.streams.hold(holderOf(c));
  const response = streamSSE(c, async (stream) => {
    const left = new AbortController();
    stream.onAbort(() => left.abort());
    const signal = AbortSignal.any([held.signal, left.signal]);
    const ended = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener("abort", () => resolve(), { once: true });
    });
    const running = run(stream, signal).catch((error: unknown) => failed(stream, error));
    await Promise.race([running, ended]);
    held.release();
    const ending = sendEnd(stream, reasonOf(held.signal)).then(() => stream.close());
    const late = await Promise.race([ending, sleep(endingMsMax, "late", { ref: false })]);
    if (late === "late") c.env?.outgoing?.destroy();
  });
  // The helper sets `no-cache`, which allows a cache to store the response.
  response.headers.set("Cache-Control", "no-store");
  return response;
}

/** The code for the reader; none when the collector closes, after which a reader reconnects. */
function reasonOf(signal: AbortSignal): string | undefined {
  const reason: unknown = signal.aborted ? signal.reason : undefined;
  return typeof reason === "string" ? reason : undefined;
}

async function sendEnd(stream: SSEStreamingApi, code: string | undefined): Promise<void> {
  if (code === undefined || stream.aborted) return;
  await stream.writeSSE({ event: "end", data: JSON.stringify({ code }) });
}

async function failed(stream: SSEStreamingApi, error: unknown): Promise<void> {
  const code = codeOf(error);
  await stream.writeSSE({ event: "error", data: JSON.stringify({ code }) });
}
