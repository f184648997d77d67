/**
 * @module Delivery: brings rows into the store and believes it only when it has read them back. It
 * tries for ever on everything that may heal: an unreachable store, a missing table, a full disk, a
 * timeout whose outcome nobody knows, a success that cannot be found afterwards. Only
 * `store_rejected_row` is final; then the rows are halved until the ones that are refused stand
 * alone, and all others are stored.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import type { EvidenceBatch, EvidenceWriter } from "@turnproof/store";

import { evidenceBatch } from "./batch.ts";
import type { BatchPart } from "./batch.ts";
import type { JournalClock } from "./clock.ts";

/** The two methods of a store that the drain needs. */
export type DrainStore = Pick<EvidenceWriter, "append" | "readBack">;

/** The store, and how patient to be with it. */
export interface DeliveryOptions {
  readonly store: DrainStore;
  readonly clock: JournalClock;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** A call without an answer by then counts as failed; its outcome stays unknown. */
  readonly callTimeoutMs: number;
  /** Ends waiting; what was begun then rejects with `store_closed`. */
  readonly signal: AbortSignal;
  /** Tries per batch before the error is thrown; absent: no limit. */
  readonly attemptsMax?: number;
  readonly onOutcome: (outcome: DeliveryOutcome) => void;
}

/** One try: stored, or why not. `store_unverified`: the store said yes and the rows were not there. */
export interface DeliveryOutcome {
  readonly code: Code | undefined;
  readonly events: number;
}

const retryFirstMs = 500;
const retryMaxMs = 30_000;

/** Full jitter: anything up to a ceiling that doubles from 0.5 s to 30 s. */
export function retryDelayMs(attempt: number, random: () => number): number {
  return random() * Math.min(retryMaxMs, retryFirstMs * 2 ** Math.min(attempt, 16));
}

/**
 * Stores the rows of a part from `from` up to and without `to` and resolves to the positions of
 * those that the store refuses for ever. `mayBeThere`: look before sending.
 */
export async function deliver(
  options: DeliveryOptions,
  part: BatchPart,
  range: { readonly from: number; readonly to: number; readonly mayBeThere: boolean },
): Promise<readonly number[]> {
  const { from, to } = range;
  const batch = evidenceBatch(part, from, to);
  for (let attempt = 0; ; attempt += 1) {
    const code = await tryOnce(options, batch, range.mayBeThere || attempt > 0);
    options.onOutcome({ code, events: to - from });
    if (code === undefined) return [];
    if (code === "store_rejected_row") break;
    if (attempt + 1 >= (options.attemptsMax ?? Infinity)) throw new CodedError(code);
    await options.clock.sleep(retryDelayMs(attempt, options.random), options.signal);
    if (options.signal.aborted) throw new CodedError("store_closed");
  }
  if (to - from === 1) return [from];
  const middle = from + Math.floor((to - from) / 2);
  const { mayBeThere } = range;
  const left = await deliver(options, part, { from, to: middle, mayBeThere });
  const right = await deliver(options, part, { from: middle, to, mayBeThere });
  return [...left, ...right];
}

async function tryOnce(
  options: DeliveryOptions,
  batch: EvidenceBatch,
  lookFirst: boolean,
): Promise<Code | undefined> {
  const { store } = options;
  try {
    if (lookFirst && (await isHeld(options, batch))) return undefined;
    await withTimeout(options, () => store.append(batch));
    return (await isHeld(options, batch)) ? undefined : "store_unverified";
  } catch (error) {
    // An error without a code says nothing about the rows, so it may heal.
    return CodedError.is(error) ? error.code : "store_unavailable";
  }
}

/** True when the store holds the whole batch: manifest and every row. */
async function isHeld(options: DeliveryOptions, batch: EvidenceBatch): Promise<boolean> {
  const { store } = options;
  const held = await withTimeout(options, () => store.readBack(batch.batchId, batch.receivedAt));
  return held.complete && held.rows >= batch.events.length;
}

async function withTimeout<T>(options: DeliveryOptions, call: () => Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = options.clock.sleep(options.callTimeoutMs, settled.signal).then((): T => {
    throw new CodedError("store_unavailable");
  });
  const answer = call();
  try {
    return await Promise.race([answer, late]);
  } finally {
    settled.abort();
    // Whichever comes second has nobody waiting for it.
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
