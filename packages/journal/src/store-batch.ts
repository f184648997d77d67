/**
 * @module StoreBatch: brings one batch of frames into the store: as prepared rows where it can be,
 * else row by row. What the store refuses goes to quarantine.
 */
import { assembleBatch } from "./batch.ts";
import type { PreparedFrames, StoredFrames } from "./batch.ts";
import { deliver, deliverPrepared } from "./delivery.ts";
import type { StoreCallOptions } from "./delivery.ts";
import type { Gathered } from "./gather.ts";
import type { Flow } from "./drain-flow.ts";
import { drainDefaults, setFailure, persistently } from "./drain-flow.ts";

/** Stores a batch; returns the rows of it that went to quarantine. */
export async function storeBatch(
  flow: Flow,
  batch: Gathered,
  mayBeThere: boolean,
): Promise<StoredFrames["refused"]> {
  const { options } = flow;
  const delivery: StoreCallOptions = {
    store: options.store,
    clock: flow.clock,
    random: flow.random,
    callTimeoutMs: options.callTimeoutMs ?? drainDefaults.callTimeoutMs,
    signal: flow.stop.signal,
    onOutcome: ({ code, events }) => {
      if (code === undefined) flow.counts.storedEvents += events;
      if (code !== undefined && code !== "store_rejected_row") {
        flow.counts.retries += 1;
        flow.concurrency.failed();
      }
      if (code === "store_unverified") flow.counts.unverified += 1;
      setFailure(flow, code === "store_rejected_row" ? undefined : code);
    },
  };
  const { frames, through, prepared } = batch;
  const stored = await storePrepared(delivery, prepared, mayBeThere);
  const refused = new Map<number, number[]>();
  if (stored === prepared?.parts.length && prepared.unreadable.length === 0) return refused;
  // A refused row or an unreadable frame: this path finds which one.
  const assembled = batch.assembled ?? (await assembleBatch(frames, through, options.decode));
  for (const part of assembled.parts.slice(stored)) {
    const range = { from: 0, to: part.events.length, mayBeThere };
    for (const position of await deliver(delivery, part, range)) {
      const [frame, row] = part.origins[position] ?? [0, 0];
      refused.set(frame, [...(refused.get(frame) ?? []), row]);
    }
  }
  for (const [index, rows] of refused) {
    const frame = frames[index];
    if (frame === undefined) continue;
    const input = { code: "store_rejected_row", payload: frame.payload, spans: rows.length };
    await persistently(flow, () => options.journal.quarantine({ ...input, rows }));
    flow.counts.quarantinedEvents += rows.length;
  }
  for (const { payload, spans, appendedAtMs: receivedAtMs } of assembled.unreadable) {
    const input = { code: "record_invalid", payload, spans, rows: null, receivedAtMs };
    await persistently(flow, () => options.journal.quarantine(input));
    flow.counts.quarantinedEvents += spans;
  }
  return refused;
}

/** Number of prepared parts that were stored: all before the first refused one. */
async function storePrepared(
  delivery: StoreCallOptions,
  prepared: PreparedFrames | undefined,
  mayBeThere: boolean,
): Promise<number> {
  let stored = 0;
  for (const part of prepared?.parts ?? []) {
    if (part === null || !(await deliverPrepared(delivery, part, mayBeThere))) break;
    stored += 1;
  }
  return stored;
}
