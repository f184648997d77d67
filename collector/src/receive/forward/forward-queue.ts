/**
 * @module ForwardQueue: spans that wait for the other endpoint, in a journal of their own. What
 * finds no room, and what is damaged, is counted as lost.
 */
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import type { Journal, StoredFrames } from "@turnproof/journal";
import { codeOf } from "@turnproof/semconv";

import type { Log } from "../../log.ts";
import { decodeFrame, encodeFrame } from "../otlp/frame-codec.ts";
import { ForwardAccount, asideName } from "./forward-account.ts";

/** An open queue. */
export interface ForwardQueue {
  readonly journal: Journal;
  readonly account: ForwardAccount;
  /**
   * Queues the spans of a stored batch; resolves when they are durable or counted as lost. Frames
   * of a batch that was here before, and that the receiver stores again, are passed over.
   */
  stored(batch: StoredFrames): Promise<void>;
  close(): Promise<void>;
}

/** Directory of forwarding in a data directory. */
export const forwardFolder = (dataDir: string): string => join(dataDir, "forward");

/** Directory of the queue's segments in {@link forwardFolder}. */
export const queueFolder = (directory: string): string => join(directory, "queue");

/** How often a queue without room is logged, with the spans since the line before. */
const lineMs = 60_000;

/** Where the queue is, its bound, and its log. */
export interface ForwardQueueOptions {
  readonly directory: string;
  readonly bytesMax: number;
  readonly log: Pick<Log, "warn" | "error">;
  /** A clock in milliseconds, which a test sets. */
  readonly clock?: () => number;
}

/** Opens the queue. @throws CodedError of the journal */
export async function openForwardQueue(options: ForwardQueueOptions): Promise<ForwardQueue> {
  const { directory, bytesMax, log, clock = () => performance.now() } = options;
  const notForwarded = notForwardedLog(log, clock);
  const account = new ForwardAccount(directory);
  if (account.isDamaged) log.error("forward_account_damaged", { path: join(directory, asideName) });
  const journal = await openJournal({
    directory: queueFolder(directory),
    bytesMax,
    onEvent: ({ code, count, lostSpans = 0 }) => {
      if (lostSpans > 0) void account.lose("damaged", lostSpans);
      log.warn("forward_queue", { code, count });
    },
  });
  account.settle(journal.stats().drainedThrough);
  /** Queues a frame without its refused rows; returns the spans that found no room. */
  const add = async (
    frame: StoredFrames["frames"][number],
    rows: readonly number[],
  ): Promise<number> => {
    const payload = rows.length === 0 ? frame.payload : without(frame.payload, rows);
    const spans = Math.max(0, frame.spans - rows.length);
    try {
      await journal.append({ payload, spans });
      return 0;
    } catch (error) {
      const code = codeOf(error);
      notForwarded.add(code, spans);
      return spans;
    }
  };
  return {
    journal,
    account,
    async stored({ frames, refused }) {
      const lost = await Promise.all(
        frames.map(async (frame, index) =>
          account.has(frame) ? 0 : add(frame, refused.get(index) ?? []),
        ),
      );
      notForwarded.write();
      // One write for the batch: an endpoint that is away must not cost a write for each frame.
      await account.entered(
        frames,
        lost.reduce((sum, spans) => sum + spans, 0),
      );
    },
    async close() {
      await journal.close();
      await account.close();
    },
  };
}

interface NotForwardedLog {
  add(code: string, spans: number): void;
  /** Writes the line where one is due. */
  write(): void;
}

/** A line at once, then one for all that was given up since, a minute after it at the earliest. */
function notForwardedLog(log: Pick<Log, "warn">, clock: () => number): NotForwardedLog {
  let since: { readonly code: string; readonly frames: number; readonly spans: number } | undefined;
  let writtenAt = -Infinity;
  return {
    add(code, spans) {
      since = { code, frames: (since?.frames ?? 0) + 1, spans: (since?.spans ?? 0) + spans };
    },
    write() {
      if (since === undefined || clock() - writtenAt < lineMs) return;
      log.warn("not_forwarded", since);
      writtenAt = clock();
      since = undefined;
    },
  };
}

/** The payload without some of its rows. */
function without(payload: Uint8Array, rows: readonly number[]): Uint8Array {
  const refused = new Set(rows);
  return encodeFrame(decodeFrame(payload).filter((_event, at) => !refused.has(at)));
}
