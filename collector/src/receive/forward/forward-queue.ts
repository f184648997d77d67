/**
 * @module ForwardQueue: spans that wait for the other endpoint, in a journal of their own. What
 * finds no room, and what is damaged, is counted as lost.
 */
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import type { Journal, StoredFrames } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";

import type { Log } from "../../log.ts";
import { decodeFrame, encodeFrame } from "../otlp/frame-codec.ts";
import { openForwardLosses } from "./forward-losses.ts";
import type { ForwardLosses } from "./forward-losses.ts";

/** An open queue. */
export interface ForwardQueue {
  readonly journal: Journal;
  readonly losses: ForwardLosses;
  /** Queues the spans of a stored batch; resolves when they are durable or counted as lost. */
  stored(batch: StoredFrames): Promise<void>;
}

/** Directory of forwarding in a data directory. */
export const forwardFolder = (dataDir: string): string => join(dataDir, "forward");

/** Directory of the queue's segments in {@link forwardFolder}. */
export const queueFolder = (directory: string): string => join(directory, "queue");

/** Opens the queue. @throws CodedError of the journal */
export async function openForwardQueue(options: {
  readonly directory: string;
  readonly bytesMax: number;
  readonly log: Pick<Log, "warn">;
}): Promise<ForwardQueue> {
  const { directory, bytesMax, log } = options;
  const losses = openForwardLosses(join(directory, "losses.json"));
  const journal = await openJournal({
    directory: queueFolder(directory),
    bytesMax,
    onEvent: ({ code, count, lostSpans = 0 }) => {
      losses.add("damaged", lostSpans);
      log.warn("forward_queue", { code, count });
    },
  });
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
      const code = CodedError.is(error) ? error.code : "internal_error";
      log.warn("not_forwarded", { code, spans });
      return spans;
    }
  };
  return {
    journal,
    losses,
    async stored({ frames, refused }) {
      const lost = await Promise.all(
        frames.map((frame, index) => add(frame, refused.get(index) ?? [])),
      );
      // One write for the batch: an endpoint that is away must not cost a write for each frame.
      losses.add(
        "queue_full",
        lost.reduce((sum, spans) => sum + spans, 0),
      );
    },
  };
}

/** The payload without some of its rows. */
function without(payload: Uint8Array, rows: readonly number[]): Uint8Array {
  const refused = new Set(rows);
  return encodeFrame(decodeFrame(payload).filter((_event, at) => !refused.has(at)));
}
