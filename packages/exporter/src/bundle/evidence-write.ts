/**
 * @module Evidence write: writes one batch to a store, with retries where the error is retryable;
 * also the clock and the batch id.
 */
import type { EvidenceBatch, EvidenceWriter, TurnEvent } from "@turnproof/evidence";
import { CodedError, isoTime } from "@turnproof/semconv";
import { sha256Hex } from "@turnproof/semconv/fingerprint";

import { untraced } from "../processor/untraced.ts";

/** The part of a store that accepts evidence. */
export type EvidenceTaker = Pick<EvidenceWriter, "append">;

const retryMs = 50;

/** The clock of this process, ISO 8601 UTC with microseconds. */
export function microsecondsNow(): string {
  const now = performance.timeOrigin + performance.now();
  const micros = Math.floor((now % 1) * 1_000);
  const text = isoTime(now);
  return `${text.slice(0, -1)}${String(micros).padStart(3, "0")}Z`;
}

/** A batch whose id is a hash of its content: the same events sent again are the same batch. */
export function batchOf(events: readonly TurnEvent[], receivedAt: string): EvidenceBatch {
  let lines = "";
  for (const event of events) {
    const { received_at: _, ...stated } = event;
    lines += `${JSON.stringify(stated)}\n`;
  }
  return { batchId: sha256Hex(lines), receivedAt, events };
}

/** Appends the batch. Rejects with `write_failed`, with the store's own error as its cause. */
export async function writeBatch(
  store: EvidenceTaker,
  batch: EvidenceBatch,
  attemptsMax: number,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await untraced(() => store.append(batch));
      return;
    } catch (error) {
      if (attempt >= attemptsMax || !CodedError.is(error) || !error.retryable) {
        throw new CodedError("write_failed", { cause: error });
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs * 2 ** attempt));
    }
  }
}
