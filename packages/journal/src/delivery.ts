/**
 * @module Delivery: writes rows to the store and confirms them by reading them back. It retries
 * everything that may recover, without limit: an unreachable store, a missing table, a full disk,
 * a timeout with unknown outcome, a reported success whose rows cannot be found. Only
 * `store_rejected_row` is permanent; the rows are then halved until the refused ones are isolated,
 * and all others are stored.
 */
import type { EvidenceWriter, PreparedBatch } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { evidenceBatch } from "./batch.ts";
import type { BatchPart } from "./batch.ts";
import type { JournalClock } from "./clock.ts";

/** The methods of a store that the drain needs. */
export type DrainStore = Pick<EvidenceWriter, "append" | "readBack" | "appendPrepared">;

/** The store, and the limits of retrying. */
export interface StoreCallOptions {
  readonly store: DrainStore;
  readonly clock: JournalClock;
  /** Returns 0 to below 1. */
  readonly random: () => number;
  /** A call without an answer in this time counts as failed; its outcome stays unknown. */
  readonly callTimeoutMs: number;
  /** Aborts all waiting; calls in progress then reject with `store_closed`. */
  readonly signal: AbortSignal;
  /** Attempts per batch before the error is thrown; absent: no limit. */
  readonly attemptsMax?: number;
  readonly onOutcome: (outcome: DeliveryOutcome) => void;
}

/**
 * Result of one attempt. `store_unverified`: the store reported success and the rows were not
 * found.
 */
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
 * Stores the rows of a part from `from` up to and without `to`, and resolves to the positions of
 * permanently refused rows. `mayBeThere`: read back before sending.
 */
export async function deliver(
  options: StoreCallOptions,
  part: BatchPart,
  range: { readonly from: number; readonly to: number; readonly mayBeThere: boolean },
): Promise<readonly number[]> {
  const { from, to, mayBeThere } = range;
  const batch = evidenceBatch(part, from, to);
  const { batchId, receivedAt } = batch;
  const send = (): Promise<void> => options.store.append(batch);
  if (await ship(options, { batchId, receivedAt, rows: to - from, send }, mayBeThere)) return [];
  if (to - from === 1) return [from];
  const middle = from + Math.floor((to - from) / 2);
  const left = await deliver(options, part, { from, to: middle, mayBeThere });
  const right = await deliver(options, part, { from: middle, to, mayBeThere });
  return [...left, ...right];
}

/** Stores a prepared part; false when the store refuses one of its rows. */
export function deliverPrepared(
  options: StoreCallOptions,
  prepared: PreparedBatch,
  mayBeThere: boolean,
): Promise<boolean> {
  const { batchId, receivedAt, events: rows } = prepared;
  const send = (): Promise<void> => options.store.appendPrepared(prepared);
  return ship(options, { batchId, receivedAt, rows, send }, mayBeThere);
}

/** Rows under one id, and the function that sends them. */
interface Shipment {
  readonly batchId: string;
  readonly receivedAt: string;
  readonly rows: number;
  readonly send: () => Promise<void>;
}

/**
 * Retries until the store holds the shipment (true) or permanently refuses one of its rows
 * (false).
 */
async function ship(
  options: StoreCallOptions,
  shipment: Shipment,
  mayBeThere: boolean,
): Promise<boolean> {
  for (let attempt = 0; ; attempt += 1) {
    const code = await tryOnce(options, shipment, mayBeThere || attempt > 0);
    options.onOutcome({ code, events: shipment.rows });
    if (code === undefined) return true;
    if (code === "store_rejected_row") return false;
    if (attempt + 1 >= (options.attemptsMax ?? Infinity)) throw new CodedError(code);
    await options.clock.sleep(retryDelayMs(attempt, options.random), options.signal);
    if (options.signal.aborted) throw new CodedError("store_closed");
  }
}

async function tryOnce(
  options: StoreCallOptions,
  shipment: Shipment,
  lookFirst: boolean,
): Promise<Code | undefined> {
  try {
    if (lookFirst && (await isHeld(options, shipment))) return undefined;
    await withTimeout(options, shipment.send);
    return (await isHeld(options, shipment)) ? undefined : "store_unverified";
  } catch (error) {
    // An error without a code is no statement about the rows, so it is retried.
    return CodedError.is(error) ? error.code : "store_unavailable";
  }
}

/** True when the store holds the complete shipment: manifest and every row. */
async function isHeld(options: StoreCallOptions, shipment: Shipment): Promise<boolean> {
  const { batchId, receivedAt, rows } = shipment;
  const held = await withTimeout(options, () => options.store.readBack(batchId, receivedAt));
  return held.complete && held.rows >= rows;
}

async function withTimeout<T>(options: StoreCallOptions, call: () => Promise<T>): Promise<T> {
  const settled = new AbortController();
  const late = options.clock.sleep(options.callTimeoutMs, settled.signal).then((): T => {
    throw new CodedError("store_unavailable");
  });
  // A synchronous throw becomes a rejection, so that the timeout is always cleared.
  const answer = new Promise<T>((resolve) => resolve(call()));
  try {
    return await Promise.race([answer, late]);
  } finally {
    settled.abort();
    // The loser of the race has no other handler.
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
