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
import type { StoredFrames } from "./batch.ts";
import { deferred } from "./deferred.ts";
import { retryDelayMs } from "./delivery.ts";
import { gatherFrames } from "./gather.ts";
import type { Gathered } from "./gather.ts";
import type { DrainOptions, Drain } from "./drain-contract.ts";
import { createFlow, drainDefaults, setFailure, persistently, progressed } from "./drain-flow.ts";
import type { Flow } from "./drain-flow.ts";
import { storeBatch } from "./store-batch.ts";

/** Starts at once with the pending frames. */
export function startDrain(options: DrainOptions): Drain {
  const flow = createFlow(options);
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
      const graceMs = closing.graceMs ?? drainDefaults.graceMs;
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
  const batchSpans = options.batchSpans ?? drainDefaults.batchSpans;
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
    batchSpans: options.batchSpans ?? drainDefaults.batchSpans,
    batchBytes: options.batchBytes ?? drainDefaults.batchBytes,
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

async function notifyStored({ options }: Flow, batch: StoredFrames): Promise<void> {
  // The listener reports its own failures; the batch is stored.
  await options.onStored?.(batch).catch(() => {});
}
