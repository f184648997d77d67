/**
 * @module Drain: carries the journal into the store, in its own time; a slow or absent store never
 * touches `append`. The order is fixed: store → read back → checkpoint → unlink.
 *
 * Exactly once, as far as rows go, needs a resend to be *the same batch*: same rows, same order,
 * same id. A batch is all frames up to some sequence, and where it ends is a matter of timing, so
 * the end is made durable (`journal.plan`) before the first byte is sent. After a crash, or after
 * an answer that never came, the frames between the checkpoint and the planned ends are therefore
 * the same batches again, and splitting by week and halving on a refused row follow from their
 * content alone. An end that was not durable belongs to a batch that was never sent, so it may
 * fall anew. Before such a batch is sent again the store is asked whether it holds it.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { JournalPosition } from "./backlog.ts";
import { assembleBatch } from "./batch.ts";
import type { DecodeFrame, PreparedFrames, StoredFrames } from "./batch.ts";
import { systemClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { deferred } from "./deferred.ts";
import type { Deferred } from "./deferred.ts";
import { AdaptiveConcurrency, DrainPace } from "./drain-pace.ts";
import { deliver, deliverPrepared, retryDelayMs } from "./delivery.ts";
import type { DeliveryOptions, DrainStore } from "./delivery.ts";
import type { Journal } from "./contract.ts";
import { gatherFrames } from "./gather.ts";
import type { Gathered, PrepareFrames } from "./gather.ts";

/** What is drained where, and in blocks of which size. */
export interface DrainOptions {
  readonly journal: Journal;
  readonly store: DrainStore;
  readonly decode: DecodeFrame;
  /**
   * Makes frames ready in another thread for a store that has `appendPrepared`; undefined, or a
   * rejection, leaves them to `decode` here. Must give what `prepareFrames` gives.
   */
  readonly prepare?: PrepareFrames;
  /** Spans at which a batch is sent without waiting for more; default 50,000. */
  readonly batchSpans?: number;
  /** Payload bytes that one batch may hold; default 64 MiB. */
  readonly batchBytes?: number;
  /** Time between the starts of two batches while spans keep coming, and while few do. */
  readonly busyMs?: number;
  readonly quietMs?: number;
  /** Spans within `busyMs` from which on it counts as busy; default 500. */
  readonly busySpans?: number;
  /**
   * Most batches on their way at the same time; default 3. How many there are follows the store:
   * see `AdaptiveConcurrency`. One more is always being built.
   */
  readonly inFlightMax?: number;
  readonly callTimeoutMs?: number;
  readonly clock?: JournalClock;
  readonly random?: () => number;
  /** Called once per change, with the code of the store's answer or undefined when all is well. */
  readonly onStateChange?: (code: Code | undefined) => void;
  /**
   * Called with each batch once it is stored and before its checkpoint, so that what is derived
   * from it is there when the batch counts as readable. What it throws is ignored.
   */
  readonly onStored?: (batch: StoredFrames) => Promise<void>;
}

/** Counts since the drain started. */
export interface DrainStats {
  readonly storedEvents: number;
  readonly storedBatches: number;
  /** Tries that did not end with the rows read back, bisecting not counted. */
  readonly retries: number;
  /** Answers of success whose rows could not be found. */
  readonly unverified: number;
  readonly quarantinedEvents: number;
  readonly inFlight: number;
  /** How many batches may be on their way, as the store has shown itself so far. */
  readonly inFlightLimit: number;
  /** Code of the last try when it failed. */
  readonly failure?: Code;
}

/** A running drain. */
export interface Drain {
  /** Says that there is something to do; appends say so by themselves. */
  kick(): void;
  /** Resolves when nothing is pending; never, while the store stays away. */
  idle(): Promise<void>;
  stats(): DrainStats;
  /** Stops sending and waits for calls that are out, at most this long (default 5 s). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const defaults = {
  batchSpans: 50_000,
  batchBytes: 64 * 1024 * 1024,
  busyMs: 500,
  quietMs: 20,
  busySpans: 500,
  inFlightMax: 3,
  callTimeoutMs: 60_000,
  graceMs: 5_000,
} as const;

interface Flow {
  readonly options: DrainOptions;
  readonly clock: JournalClock;
  readonly random: () => number;
  readonly stop: AbortController;
  readonly counts: {
    storedEvents: number;
    storedBatches: number;
    retries: number;
    unverified: number;
    quarantinedEvents: number;
  };
  readonly pace: DrainPace;
  readonly concurrency: AdaptiveConcurrency;
  /** True while a batch that is ready waits for its place. */
  crowded: boolean;
  /** Ends of begun batches, oldest first. */
  ends: number[];
  at: JournalPosition | undefined;
  failure: Code | undefined;
  hurry: number;
  wake: Deferred<void>;
  progress: Deferred<void>;
}

/** Starts at once with what is pending. */
export function startDrain(options: DrainOptions): Drain {
  const flow: Flow = {
    options,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
    stop: new AbortController(),
    counts: { storedEvents: 0, storedBatches: 0, retries: 0, unverified: 0, quarantinedEvents: 0 },
    pace: new DrainPace({
      busyMs: options.busyMs ?? defaults.busyMs,
      quietMs: options.quietMs ?? defaults.quietMs,
      busySpans: options.busySpans ?? defaults.busySpans,
    }),
    concurrency: new AdaptiveConcurrency(options.inFlightMax ?? defaults.inFlightMax),
    crowded: false,
    ends: [],
    at: undefined,
    failure: undefined,
    hurry: 0,
    wake: deferred(),
    progress: deferred(),
  };
  const kick = (): void => flow.wake.resolve();
  const unsubscribe = options.journal.onDurable(kick);
  const running = supervise(flow);
  return {
    kick,
    async idle() {
      // Waiting for this keeps the process alive, although no timer of the drain does.
      const hold = setInterval(() => undefined, 60_000);
      flow.hurry += 1;
      kick();
      try {
        while (options.journal.stats().pendingFrames > 0 || flow.ends.length > 0) {
          if (flow.stop.signal.aborted) return;
          await flow.progress.promise;
        }
      } finally {
        flow.hurry -= 1;
        clearInterval(hold);
      }
    },
    stats: () => ({
      ...flow.counts,
      inFlight: flow.ends.length,
      inFlightLimit: flow.concurrency.limit,
      ...(flow.failure === undefined ? {} : { failure: flow.failure }),
    }),
    async close(closing = {}) {
      unsubscribe();
      flow.stop.abort();
      kick();
      flow.progress.resolve();
      const grace = new AbortController();
      const graceMs = closing.graceMs ?? defaults.graceMs;
      await Promise.race([running, flow.clock.sleep(graceMs, grace.signal, true)]);
      grace.abort();
    },
  };
}

/** Starts over from the checkpoint should anything be thrown that nobody expected. */
async function supervise(flow: Flow): Promise<void> {
  for (let attempt = 0; !flow.stop.signal.aborted; attempt += 1) {
    try {
      await run(flow);
    } catch {
      if (flow.stop.signal.aborted) return;
      setFailure(flow, "internal_error");
      await flow.clock.sleep(retryDelayMs(attempt, flow.random), flow.stop.signal);
      flow.at = undefined;
      flow.ends = [];
    }
  }
}

/** Pause after a reading that found no frame although some are waited for. */
const emptyLookMs = 25;

/** Builds batches one after another and lets as many be on their way as the store bears. */
async function run(flow: Flow): Promise<void> {
  const { clock, options, stop } = flow;
  const replayed = [...options.journal.planned()];
  const inFlight = new Set<Promise<void>>();
  let before: Promise<void> = Promise.resolve();
  while (!stop.signal.aborted) {
    const planned = replayed.shift();
    if (planned === undefined) await pace(flow);
    if (stop.signal.aborted) break;
    const batch = await persistently(flow, () => gather(flow, planned));
    if (batch === undefined) {
      // Frames that rotted count as appended and are never read: looking again at once would spin.
      if (planned === undefined) await clock.sleep(emptyLookMs, stop.signal);
      continue;
    }
    flow.at = batch.through;
    flow.crowded = inFlight.size >= flow.concurrency.limit;
    while (inFlight.size >= flow.concurrency.limit) await Promise.race(inFlight);
    flow.crowded = false;
    if (stop.signal.aborted) break;
    flow.ends = [...flow.ends, batch.through.sequence];
    if (planned !== batch.through.sequence) {
      await persistently(flow, () => options.journal.plan([...flow.ends, ...replayed]));
    }
    const carried = carry(flow, batch, planned !== undefined, before);
    before = carried;
    const tracked = carried.finally(() => inFlight.delete(tracked));
    inFlight.add(tracked);
  }
  await Promise.allSettled(inFlight);
}

/** Waits until there is a batch worth sending: at once when it is quiet, in blocks when busy. */
async function pace(flow: Flow): Promise<void> {
  const { options, clock, stop } = flow;
  const { journal } = options;
  const batchSpans = options.batchSpans ?? defaults.batchSpans;
  while (!stop.signal.aborted) {
    const stats = journal.stats();
    const taken = flow.at?.totals;
    const drainedFrames = stats.appendedFrames - stats.pendingFrames;
    const drainedSpans = stats.appendedSpans - stats.pendingSpans;
    const frames = stats.appendedFrames - (taken?.frames ?? drainedFrames);
    const spans = stats.appendedSpans - (taken?.spans ?? drainedSpans);
    if (frames <= 0) {
      flow.wake = deferred();
      if (journal.stats().appendedFrames === stats.appendedFrames && !stop.signal.aborted) {
        await flow.wake.promise;
      }
      continue;
    }
    if (flow.hurry > 0 || spans >= batchSpans) return;
    const now = clock.now();
    const waitMs = flow.pace.nextAtMs(now, spans) - now;
    if (waitMs <= 0) return;
    await clock.sleep(Math.min(waitMs, 25), stop.signal);
  }
}

/** The next frames; undefined when there are none, or when it was stopped meanwhile. */
function gather(flow: Flow, plannedEnd: number | undefined): Promise<Gathered | undefined> {
  const { options } = flow;
  return gatherFrames({
    frames: options.journal.read(flow.at),
    plannedEnd,
    batchSpans: options.batchSpans ?? defaults.batchSpans,
    batchBytes: options.batchBytes ?? defaults.batchBytes,
    decode: options.decode,
    prepare: options.prepare,
    stop: flow.stop.signal,
    onRead: (spans) => flow.pace.started(flow.clock.now(), spans),
  });
}

/** Stores one batch, and checkpoints it when all before it are. */
async function carry(
  flow: Flow,
  batch: Gathered,
  mayBeThere: boolean,
  before: Promise<void>,
): Promise<void> {
  try {
    const startedMs = flow.clock.now();
    const refused = await storeBatch(flow, batch, mayBeThere);
    flow.concurrency.stored(flow.clock.now() - startedMs, flow.crowded);
    await tellStored(flow, { frames: batch.frames, refused });
    await before;
    if (flow.stop.signal.aborted) return;
    await persistently(flow, () => flow.options.journal.checkpoint(batch.through));
    flow.counts.storedBatches += 1;
    flow.ends = flow.ends.filter((end) => end !== batch.through.sequence);
    const { progress } = flow;
    flow.progress = deferred();
    progress.resolve();
  } catch (error) {
    // Closed on the way: the batch stays planned and is the first thing of the next start.
    if (!flow.stop.signal.aborted) throw error;
  }
}

async function tellStored({ options }: Flow, batch: StoredFrames): Promise<void> {
  // The listener reports its own failures; the batch is stored.
  await options.onStored?.(batch).catch(() => {});
}

/** Stores a batch; which rows of it went to quarantine. */
async function storeBatch(
  flow: Flow,
  batch: Gathered,
  mayBeThere: boolean,
): Promise<StoredFrames["refused"]> {
  const { options } = flow;
  const delivery: DeliveryOptions = {
    store: options.store,
    clock: flow.clock,
    random: flow.random,
    callTimeoutMs: options.callTimeoutMs ?? defaults.callTimeoutMs,
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
  // A row is refused or a frame cannot be read: which one shows only here.
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

/** How many of the parts that were made ready are stored: all up to one that is refused. */
async function storePrepared(
  delivery: DeliveryOptions,
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

/** Tries for ever: what the disk refuses now it takes when somebody made room. */
async function persistently<T>(flow: Flow, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      setFailure(flow, CodedError.is(error) ? error.code : "journal_failed");
      if (flow.stop.signal.aborted) throw error;
      await flow.clock.sleep(retryDelayMs(attempt, flow.random), flow.stop.signal);
    }
  }
}

function setFailure(flow: Flow, code: Code | undefined): void {
  if (flow.failure === code) return;
  flow.failure = code;
  flow.options.onStateChange?.(code);
}
