/** @module DrainFlow: the state of a running drain, its failure and its retries. */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import type { JournalPosition } from "./backlog.ts";
import { steadyClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { deferred } from "./deferred.ts";
import type { Deferred } from "./deferred.ts";
import { AdaptiveConcurrency, DrainPace } from "./drain-pace.ts";
import type { PaceOptions } from "./drain-pace.ts";
import { retryDelayMs } from "./delivery.ts";
import type { DrainOptions } from "./drain-contract.ts";

const paceDefaults: PaceOptions = { everyMs: 1_000, quickMs: 20, quickMax: 10, fullSpans: 10_000 };

/** Bounds where the options have none. */
export const drainDefaults: Readonly<
  Record<"batchSpans" | "batchBytes" | "inFlightMax" | "callTimeoutMs" | "graceMs", number>
> = {
  batchSpans: 20_000,
  batchBytes: 64 * 1024 * 1024,
  inFlightMax: 3,
  callTimeoutMs: 60_000,
  graceMs: 5_000,
};

/** A running drain's options, counts and place in the journal. */
export interface Flow {
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

/** The state of a drain that has done nothing yet. */
export function createFlow(options: DrainOptions): Flow {
  return {
    options,
    clock: options.clock ?? steadyClock,
    random: options.random ?? Math.random,
    stop: new AbortController(),
    counts: { storedEvents: 0, storedBatches: 0, retries: 0, unverified: 0, quarantinedEvents: 0 },
    pace: new DrainPace({ ...paceDefaults, ...options.pace }),
    concurrency: new AdaptiveConcurrency(options.inFlightMax ?? drainDefaults.inFlightMax),
    crowded: false,
    ends: [],
    at: undefined,
    failure: undefined,
    hurry: 0,
    wake: deferred(),
    progress: deferred(),
  };
}

/** Wakes what waits for the drain to be idle. */
export function progressed(flow: Flow): void {
  const { progress } = flow;
  flow.progress = deferred();
  progress.resolve();
}

/** Retries without limit: a full disk may have space later. */
export async function persistently<T>(flow: Flow, work: () => Promise<T>): Promise<T> {
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

/** Reports the state of the store, once per change. */
export function setFailure(flow: Flow, code: Code | undefined): void {
  if (flow.failure === code) return;
  flow.failure = code;
  flow.options.onStateChange?.(code);
}
