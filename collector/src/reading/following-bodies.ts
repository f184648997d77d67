/**
 * @module FollowingBodies: bodies of answers that a reading thread makes after their status and
 * headers were sent, piece by piece as the client takes them. So a client knows the cursor of an
 * export's next part while this one is written.
 */
import { randomUUID } from "node:crypto";

import { CodedError } from "@turnproof/semconv";

import type { Calls, Handlers } from "./calls.ts";

/** Name of the call that makes a body's next pieces. */
export const pieceCall = "piece";

/** Pieces are small: a call returns several, until they have these bytes or took this long. */
const [callBytes, callMs] = [2 ** 20, 20];

/** A body's pieces in the thread that makes them. */
type Pieces = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

/** The bodies that a thread has begun. */
export interface FollowingBodies {
  /** Keeps a body until it is taken, and returns its id. */
  hold(pieces: Pieces): string;
  readonly handlers: Handlers;
}

/** Keeps bodies in a reading thread. */
export function createFollowingBodies(): FollowingBodies {
  const held = new Map<string, Pieces>();
  return {
    hold(pieces) {
      // Not a count: a thread that was started again has none of the bodies before it.
      const id = randomUUID();
      held.set(id, pieces);
      return id;
    },
    handlers: {
      [pieceCall]: async (id: string) => {
        try {
          const pieces = held.get(id);
          if (pieces === undefined) throw new CodedError("overloaded");
          const own = await nextOf(pieces);
          if (own.length === 0) held.delete(id);
          return { value: own, transfer: own.map(({ buffer }) => buffer) };
        } catch (error) {
          held.delete(id);
          throw error;
        }
      },
      leave: async (id: string) => {
        const pieces = held.get(id);
        held.delete(id);
        await pieces?.cancel();
        return { value: null };
      },
    },
  };
}

/** The next pieces, none at the end of the body. */
async function nextOf(pieces: Pieces): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const next: Uint8Array<ArrayBuffer>[] = [];
  const until = performance.now() + callMs;
  let bytes = 0;
  do {
    const { value } = await pieces.read();
    if (value === undefined) break;
    next.push(ownBytes(value));
    bytes += value.length;
  } while (bytes < callBytes && performance.now() < until);
  return next;
}

/** The bytes in a buffer of their own, which can be transferred. */
function ownBytes(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}

/**
 * The body in the main thread. One call is read ahead; a failure breaks the transfer, so that a
 * part of a body never looks whole.
 */
export function followingBody(
  calls: Pick<Calls, "request">,
  id: string,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    async pull(controller) {
      const next = await calls.request<readonly Uint8Array<ArrayBuffer>[]>(pieceCall, id);
      if (next.length === 0) controller.close();
      for (const piece of next) controller.enqueue(piece);
    },
    async cancel() {
      // A thread that ended holds no body.
      await calls.request("leave", id).catch(() => {});
    },
  });
}
