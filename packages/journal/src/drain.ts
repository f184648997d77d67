/**
 * @module Drain: moves frames from the journal to the store, independent of `append`: a slow or
 * absent store never delays it. The order is fixed: store → read back → checkpoint → unlink.
 *
 * To store each row exactly once, a resend must be *the same batch*: same rows, same order, same
 * id. A batch is all frames up to some sequence, and where it ends depends on timing, so the end
 * is made durable (`journal.plan`) before the first byte is sent. After a crash or an unanswered
 * call, the frames between the checkpoint and the planned ends therefore form the same batches
 * again; splitting by week and halving on a refused row depend on their content alone. An end that
 * was not durable belongs to a batch that was never sent, so it may change. Before a planned batch
 * is sent again, the drain reads whether the store holds it.
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { JournalPosition } from "./backlog.ts";
import { assembleBatch } from "./batch.ts";
import type { DecodeFrame, PreparedFrames, StoredFrames } from "./batch.ts";
import { steadyClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { deferred } from "./deferred.ts";
import type { Deferred } from "./deferred.ts";
import { AdaptiveConcurrency, DrainPace } from "./drain-pace.ts";
import type { PaceOptions } from "./drain-pace.ts";
import { deliver, deliverPrepared, retryDelayMs } from "./delivery.ts";
import type { StoreCallOptions, DrainStore } from "./delivery.ts";
import type { Journal } from "./contract.ts";
import { gatherFrames } from "./gather.ts";
import type { Gathered, PrepareFrames } from "./gather.ts";

/** Journal, store and batch sizes of a drain. */
export interface DrainOptions {
  readonly journal: Journal;
  readonly store: DrainStore;
  readonly decode: DecodeFrame;
  /**
   * Prepares frames in another thread for `appendPrepared` of the store; on undefined or a
   * rejection they are decoded here with `decode`. Must return what `prepareFrames` returns.
   */
  readonly prepare?: PrepareFrames;
  /** Spans at which a batch is sent without waiting for more; default 50,000. */
  readonly batchSpans?: number;
  /** Most payload bytes of one batch; default 64 MiB. */
  readonly batchBytes?: number;
  /** When a batch starts: see `PaceOptions`; by default each second, or with 10,000 spans. */
  readonly pace?: Partial<PaceOptions>;
  /**
   * Most batches in flight; default 3. The actual number follows the store: see
   * `AdaptiveConcurrency`. One more is always being built.
   */
  readonly inFlightMax?: number;
  readonly callTimeoutMs?: number;
  readonly clock?: JournalClock;
  readonly random?: () => number;
  /**
   * Called once per change, with the code of the store's error, or undefined when it works again.
   */
  readonly onStateChange?: (code: Code | undefined) => void;
  /**
   * Called with each batch once it is stored and before its checkpoint, so that derived data
   * exists when the batch counts as readable. A throw is ignored.
   */
  readonly onStored?: (batch: StoredFrames) => Promise<void>;
}

/** Counts since the drain started. */
export interface DrainStats {
  readonly storedEvents: number;
  readonly storedBatches: number;
  /** Attempts that did not end with the rows read back, without halving. */
  readonly retries: number;
  /** Reported successes whose rows were not found. */
  readonly unverified: number;
  readonly quarantinedEvents: number;
  readonly inFlight: number;
  /** How many batches may be in flight at present. */
  readonly inFlightLimit: number;
  /** Code of the last attempt when it failed. */
  readonly failure?: Code;
}

/** A running drain. */
export interface Drain {
  /** Signals new work; appends do so by themselves. */
  kick(): void;
  /** Resolves when nothing is pending; not before an absent store comes back. */
  idle(): Promise<void>;
  stats(): DrainStats;
  /** Stops sending and waits for calls in progress, at most this long (default 5 s). */
  close(options?: { readonly graceMs?: number }): Promise<void>;
}

const paceDefaults: PaceOptions = { everyMs: 1_000, quickMs: 20, quickMax: 10, fullSpans: 10_000 };

const defaults = {
  batchSpans: 20_000,
  batchBytes: 64 * 1024 * 1024,
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
  /** True while a ready batch waits for a slot. */
  crowded: boolean;
  /** Ends of batches in flight, oldest first. */
  ends: number[];
  at: JournalPosition | undefined;
  failure: Code | undefined;
  hurry: number;
  wake: Deferred<void>;
  progress: Deferred<void>;
}

/** Starts at once with the pending frames. */
export function startDrain(options: DrainOptions): Drain {
  const flow: Flow = {
    options,
    clock: options.clock ?? steadyClock,
    random: options.random ?? Math.random,
    stop: new AbortController(),
    counts: { storedEvents: 0, storedBatches: 0, retries: 0, unverified: 0, quarantinedEvents: 0 },
    pace: new DrainPace({ ...paceDefaults, ...options.pace }),
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
      // Waiting for this keeps the process alive, although the drain's own timers do not.
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

/** Starts over from the checkpoint after an unexpected error. */
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

/** Pause after a read that found no frame although some are pending. */
const emptyLookMs = 25;

/** Builds batches one after another, with as many in flight as the store takes. */
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
      // What is waited for may have been lost.
      progressed(flow);
      // Damaged frames count as appended and are never read: looking again at once would be a busy
      // loop.
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

/** Waits until a batch is due: at once under low traffic, at intervals under steady traffic. */
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
    if (frames <= 0 || stats.pendingFrames === 0) {
      flow.wake = deferred();
      if (journal.stats().appendedFrames === stats.appendedFrames && !stop.signal.aborted) {
        await flow.wake.promise;
      }
      continue;
    }
    if (flow.hurry > 0 || spans >= batchSpans) return;
    const now = clock.now();
    const waitMs = flow.pace.nextAtMs(spans) - now;
    if (waitMs <= 0) return;
    await clock.sleep(Math.min(waitMs, 25), stop.signal);
  }
}

/** The next frames; undefined when there are none, or when the drain was stopped. */
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
    onRead: () => flow.pace.started(flow.clock.now()),
  });
}

/** Stores one batch, and checkpoints it when all earlier ones are stored. */
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
    await notifyStored(flow, { frames: batch.frames, refused });
    await before;
    // A stored batch is checkpointed on closing, too, where every batch before it is.
    if (flow.stop.signal.aborted && flow.ends[0] !== batch.through.sequence) return;
    await persistently(flow, () => flow.options.journal.checkpoint(batch.through));
    flow.counts.storedBatches += 1;
    flow.ends = flow.ends.filter((end) => end !== batch.through.sequence);
    progressed(flow);
  } catch (error) {
    // Closed while in flight: the batch stays planned and is sent first after the next start.
    if (!flow.stop.signal.aborted) throw error;
  }
}

function progressed(flow: Flow): void {
  const { progress } = flow;
  flow.progress = deferred();
  progress.resolve();
}

async function notifyStored({ options }: Flow, batch: StoredFrames): Promise<void> {
  // The listener reports its own failures; the batch is stored.
  await options.onStored?.(batch).catch(() => {});
}

/** Stores a batch; returns the rows of it that went to quarantine. */
async function storeBatch(
  flow: Flow,
  batch: Gathered,
  mayBeThere: boolean,
): Promise<StoredFrames["refused"]> {
  const { options } = flow;
  const delivery: StoreCallOptions = {
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

/** Retries without limit: a full disk may have space later. */
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
