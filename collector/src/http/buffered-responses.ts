/**
 * @module BufferedResponses: bounds the large answers that are in memory as a whole, from their
 * request until their reader has taken the last byte. A reader that takes a byte at a time holds
 * one of them, and not the memory of as many as it has sockets (faults H10).
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { MiddlewareHandler } from "hono";

import type { Streams } from "../access/streams.ts";
import type { Endpoints } from "./endpoint.ts";
import { principalOf } from "./environment.ts";
import type { AppContext, AppEnv } from "./environment.ts";
import { holderOf } from "./event-stream.ts";
import { breakOff } from "./following-answers.ts";

/** Most at one time, of one principal and of all together. */
export interface BufferedResponseBounds {
  readonly perPrincipalMax: number;
  readonly allMax: number;
}

const defaults: BufferedResponseBounds = { perPrincipalMax: 3, allMax: 4 };

/**
 * Answers 503 `overloaded` to a request of such an endpoint beyond the bounds. Like a stream, the
 * answer ends with its session or its account.
 */
export function bufferedResponses(
  endpoints: Endpoints,
  streams: Pick<Streams, "hold">,
  { perPrincipalMax, allMax }: BufferedResponseBounds = defaults,
): MiddlewareHandler<AppEnv> {
  const held = new Map<string, number>();
  let all = 0;
  return async function bufferedResponses(c, next) {
    if (endpoints[c.get("route")]?.whole !== true) return next();
    const { name } = principalOf(c);
    const own = held.get(name) ?? 0;
    if (own >= perPrincipalMax || all >= allMax) throw new CodedError("overloaded");
    const stream = streams.hold(holderOf(c));
    stream.signal.addEventListener("abort", () => {
      // When the collector closes it ends in the time for requests in progress.
      if (stream.signal.reason === ("session_ended" satisfies Code)) breakOff(c);
    });
    held.set(name, own + 1);
    all += 1;
    const taken = takenOf(c);
    const release = (): void => {
      const left = (held.get(name) ?? 1) - 1;
      if (left === 0) held.delete(name);
      else held.set(name, left);
      all -= 1;
      stream.release();
    };
    try {
      await next();
    } finally {
      // One whose reader left is still being made until here.
      void taken.then(release);
    }
  };
}

/** Resolves when the reader has the answer or is gone; at once where there is no connection. */
function takenOf({ env }: AppContext): Promise<void> {
  const { outgoing } = env ?? {};
  if (outgoing === undefined || outgoing.destroyed) return Promise.resolve();
  return new Promise((resolve) => outgoing.once("close", resolve));
}
