/**
 * @module Replay: sends quarantined rows to the store again, for the command that an operator runs
 * after fixing the cause. A row leaves the quarantine when it was read back from the store.
 */
import { createHash } from "node:crypto";

import type { DecodedFrame, DecodeFrame } from "./batch.ts";
import { assembleBatch } from "./batch.ts";
import { systemClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { deliver } from "./delivery.ts";
import type { DrainStore } from "./delivery.ts";
import type { Journal } from "./contract.ts";
import type { QuarantineRecord } from "./quarantine.ts";

/** How payloads are read, and the limits of retrying. */
export interface ReplayOptions {
  readonly decode: DecodeFrame;
  readonly callTimeoutMs?: number;
  /** Attempts per record before the store's code is thrown; default 5. */
  readonly attemptsMax?: number;
  readonly clock?: JournalClock;
  readonly random?: () => number;
}

/** Counts of spans. */
export interface ReplayResult {
  readonly replayed: number;
  readonly remaining: number;
}

/**
 * Rejects with the store's code when it cannot be reached; rows replayed before that stay
 * replayed.
 */
export async function replayQuarantine(
  journal: Journal,
  store: DrainStore,
  options: ReplayOptions,
): Promise<ReplayResult> {
  let replayed = 0;
  for await (const record of journal.quarantined()) {
    const rest = await replayRecord(record, store, options);
    if (rest === undefined) continue;
    if (rest.length > 0 && rest.length === record.rows?.length) continue;
    if (rest.length > 0) {
      const { code, payload } = record;
      await journal.quarantine({ code, payload, rows: rest, spans: rest.length });
    }
    await journal.releaseQuarantined(record.id);
    replayed += record.spans - rest.length;
  }
  return { replayed, remaining: journal.stats().quarantinedSpans };
}

/** Rows that are still refused, or undefined when the payload still cannot be read. */
async function replayRecord(
  record: QuarantineRecord,
  store: DrainStore,
  options: ReplayOptions,
): Promise<readonly number[] | undefined> {
  const totals = { frames: 0, spans: 0, bytes: 0 };
  const position = { sequence: 0, segment: "", offset: 0, totals };
  // The digest of a replay must differ from that of the batch in which the row was refused.
  const payload = createHash("sha256").update(`replay/${record.id}`).digest();
  const frame = { sequence: 0, payload, spans: record.spans, appendedAtMs: 0, position };
  const chosen: number[] = [];
  const batch = await assembleBatch([frame], position, async (): Promise<DecodedFrame> => {
    const decoded = await options.decode(record.payload, frame);
    const events = decoded.events.filter((_, row) => {
      const take = record.rows === null || record.rows.includes(row);
      if (take) chosen.push(row);
      return take;
    });
    return { ...decoded, events };
  });
  if (batch.unreadable.length > 0) return undefined;
  const rest: number[] = [];
  for (const part of batch.parts) {
    const refused = await deliver(
      {
        store,
        clock: options.clock ?? systemClock,
        random: options.random ?? Math.random,
        callTimeoutMs: options.callTimeoutMs ?? 60_000,
        signal: new AbortController().signal,
        attemptsMax: options.attemptsMax ?? 5,
        onOutcome: () => undefined,
      },
      part,
      { from: 0, to: part.events.length, mayBeThere: true },
    );
    for (const index of refused) rest.push(chosen[part.origins[index]?.[1] ?? 0] ?? 0);
  }
  return rest;
}
