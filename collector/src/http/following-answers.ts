/**
 * @module FollowingAnswers: answers whose body is made after their headers were sent. A failure
 * resets the connection: half of a file then looks whole to no reader, behind a proxy neither, and
 * the log has a code in place of the error's text (faults W9).
 */
import { codeOf } from "@turnproof/semconv";
import type { MiddlewareHandler } from "hono";

import type { Log } from "../log.ts";
import type { AppContext, AppEnv } from "./environment.ts";

/** Watches each body that follows its headers. */
export function followingAnswers(log: Log): MiddlewareHandler<AppEnv> {
  return async function followingAnswers(c, next) {
    await next();
    const { body } = c.res;
    const { outgoing } = c.env ?? {};
    if (c.get("bodyFollows") !== true || body === null || outgoing === undefined) return;
    const failed = (error: unknown): void => {
      // Its reader has left.
      if (outgoing.destroyed) return;
      const code = reasonOf(error);
      log.warn("answer_broken_off", {
        code,
        route: c.get("route"),
        request_id: c.get("requestId"),
      });
      breakOff(c);
    };
    const { status, headers } = c.res;
    c.res = undefined;
    c.res = new Response(watched(body, failed), { status, headers });
  };
}

/** A code: of the end of a session, of a collector that stops, or of a failure. */
function reasonOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof DOMException && error.name === "AbortError" ? "stopping" : codeOf(error);
}

/**
 * Resets the connection of a request, so that no part of its answer looks whole. A connection that
 * is closed in order ends the body of an HTTP/1.0 answer, which a proxy may have requested.
 */
export function breakOff({ env }: AppContext): void {
  const { outgoing } = env ?? {};
  outgoing?.socket?.resetAndDestroy();
  outgoing?.destroy();
}

function watched(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  failed: (error: unknown) => void,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          // The server cancels this stream when the connection has closed. An error would be
          // written to the reader and to the standard error.
          failed(error);
        }
      },
      async cancel(reason) {
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}
