/**
 * @module Receiver: the receiving side as one part. Intake, threads, journal and drain are opened,
 * counted and closed together, in order.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { openJournal, startDrain } from "@turnproof/journal";
import type { Journal, JournalEvent, JournalOptions } from "@turnproof/journal";
import { increasingClock } from "@turnproof/semconv";
import type { Clock } from "@turnproof/semconv";

import { Conservation } from "../conservation.ts";
import { totalsOf } from "../history/minute.ts";
import { PendingRoots } from "./pending-roots.ts";
import type { MissingEvidence } from "../ingest.ts";
import { createBlockThread } from "./block-thread.ts";
import { createBodyThreads } from "./body-threads.ts";
import { ByteBudget } from "./byte-budget.ts";
import { budgetBytesDefault, budgetShare, createIntake } from "./intake.ts";
import { otlpRoutes } from "./receive.ts";
import { tallyOf } from "./journal-tally.ts";
import { watchJournal } from "./journal-losses.ts";
import type { ReceiverOptions, Receiver } from "./receiver-contract.ts";
import { openedStore } from "./late-store.ts";
import { createPacedDecoder } from "./paced-decoder.ts";
import { nextStored, settled } from "./readable-wait.ts";
import { reportOf, storeReport, missingIn } from "./receiver-report.ts";
import { logEvent } from "./journal-event-log.ts";

/**
 * Spans at which a batch is sent without waiting. Events of a batch are objects at times, 1.5 kB
 * each; three times as many in one insert save a microsecond of CPU a span.
 */
const batchSpans = 16_384;
/** Room in the journal below which it counts as full: about the size of one request. */
const roomBytes = 1_048_576;

/** Opens the journal, starts the drain and creates the routes; codes are the journal's. */
export async function openReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { log } = options;
  const journal = await openJournal(journalOptions(options));
  const recovered = journal.stats().pendingSpans;
  const blocks = createBlockThread();
  const opened = openedStore(options.store);
  const watched = await watchJournal(journal);
  const drain = startDrain({
    journal: watched.journal,
    store: opened.store,
    decode: createPacedDecoder(),
    batchSpans,
    prepare: (frames) =>
      blocks.prepare(frames, options.threads === 0 ? undefined : opened.prepared()),
    ...(options.onStored === undefined ? {} : { onStored: options.onStored }),
    onStateChange: (code) => {
      if (code === undefined) log.info("store_answers");
      else log.warn("store_refuses", { code });
    },
  });
  const conservation = new Conservation(() => tallyOf(journal.stats(), drain.stats(), recovered));
  const threads = createBodyThreads({
    settings: { identityKey: options.identityKey, knownNames: options.knownNames ?? [] },
    threads: options.threads ?? 1,
  });
  const state: { open: boolean; missing?: MissingEvidence } = { open: true };
  const clock = clockOf(options);
  const pending = new PendingRoots();
  const intake = createIntake({
    authenticateIngest: options.authenticateIngest,
    ...(options.wrongCredential === undefined ? {} : { wrongCredential: options.wrongCredential }),
    journal,
    conservation,
    onDurable: (sequence, roots) => pending.add(sequence, roots, journal.stats().drainedThrough),
    processor: threads,
    budget: new ByteBudget(options.budgetBytes ?? budgetBytesDefault, budgetShare),
    clock,
    log,
    enabled: () => state.open && options.enabled !== false,
  });
  return {
    routes: otlpRoutes(intake, options.origins),
    intake,
    serving: () => state.open && options.enabled !== false && journal.stats().healthy,
    conservation: () => conservation.snapshot(),
    totals: () => totalsOf(conservation.snapshot(), conservation.sources()),
    idle: () => drain.idle(),
    healthy: () => journal.stats().healthy,
    accepting: () => state.open && options.enabled !== false && hasRoom(journal),
    pendingFrames: () => journal.stats().pendingFrames,
    storedBatches: () => drain.stats().storedBatches,
    nextStored: (...requested) => nextStored(drain, ...requested),
    mark: clock,
    settled: (waitMs, roots) => settled({ journal, drain, pending }, waitMs, roots),
    report: () => ({ ...reportOf(journal, drain, conservation), ...storeReport(options, state) }),
    ...missingIn(options, state, watched),
    async close(deadlineMs) {
      state.open = false;
      const late = new AbortController();
      // The wait ends early when the drain is idle.
      const deadline = sleep(deadlineMs, undefined, { signal: late.signal }).catch(() => {});
      await Promise.race([drain.idle(), deadline]);
      late.abort();
      await drain.close({ graceMs: Math.min(deadlineMs, 5_000) });
      await threads.close();
      await blocks.close();
      await journal.close();
    },
  };
}

function journalOptions({
  directory,
  journalBytesMax: bytesMax,
  log,
}: ReceiverOptions): JournalOptions {
  const onEvent = (event: JournalEvent): void => logEvent(log, directory, event);
  return { directory, ...(bytesMax === undefined ? {} : { bytesMax }), onEvent };
}

/** Whether the journal is healthy and has room for a request. */
function hasRoom(journal: Journal): boolean {
  const { healthy, diskBytes, bytesMax } = journal.stats();
  return healthy && diskBytes < bytesMax - roomBytes;
}

function clockOf({ now }: ReceiverOptions): Clock {
  return increasingClock(now && (() => Math.floor(now() * 1_000)));
}
