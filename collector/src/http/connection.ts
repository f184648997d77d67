/**
 * @module Connection: a socket of a listener with its requests, and which of several is the least
 * useful (faults H10).
 */
import type { Socket } from "node:net";

/** A request in progress. */
export interface Work {
  /** True once its last byte has arrived. */
  readonly complete: () => boolean;
  /** True while its reader leaves bytes of the answer unread; absent where answers are small. */
  readonly unread?: () => boolean;
  /** Answers that it came too slowly or that there is no room, and ends it. */
  readonly cut: (code: "request_too_slow" | "overloaded") => void;
}

/** A request, and when it began. */
export interface Task extends Work {
  readonly since: number;
  readonly readBefore: number;
}

/** A socket and its requests. */
export interface Connection {
  readonly socket: Socket;
  readonly openedAt: number;
  readonly tasks: Set<Task>;
  /** When the latest request began or ended; 0 before the first. */
  since: number;
  /** Bytes that were read when the latest request ended. */
  readAt: number;
  /** The latest request was answered before its last byte came; the rest of it is dropped. */
  isDropping: boolean;
}

/** A socket younger than this is about to send its request. */
export const youngMs = 500;

/**
 * The idle one to close, oldest first: of those within, one that never sent a request, else the
 * longest idle; of those that are refused, one that was answered. Those younger than `sparedMs`
 * stay.
 */
export function leastUseful(
  among: ReadonlySet<Connection>,
  sparedMs: number,
  before: "unasked" | "answered",
): Connection | undefined {
  const now = performance.now();
  let least: Connection | undefined;
  for (const one of among) {
    if (one.tasks.size > 0 || one.socket.destroyed) continue;
    if (now - Math.max(one.openedAt, one.since) < sparedMs) continue;
    if (before === "answered" && one.since === 0) continue;
    // A set is in order of arrival, so the first without a request is the oldest.
    if (least === undefined || one.since < least.since) least = one;
    if (least.since === 0) break;
  }
  return least;
}

/**
 * Ends the request that has been waiting for the longest time for its peer: to send, or to read.
 */
export function cutUnfinished(among: ReadonlySet<Connection>): boolean {
  let slowest: Task | undefined;
  for (const { tasks } of among) {
    for (const task of tasks) {
      const waits = !task.complete() || task.unread?.() === true;
      if (waits && task.since < (slowest?.since ?? Number.POSITIVE_INFINITY)) slowest = task;
    }
  }
  if (slowest === undefined || performance.now() - slowest.since < youngMs) return false;
  slowest.cut("overloaded");
  return true;
}
