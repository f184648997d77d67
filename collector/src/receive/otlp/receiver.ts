/**
 * @module Receiver: the receiving side as one part. Intake, threads, journal and drain are opened,
 * counted and closed together, in order.
 */
import { join } from "node:path";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";

import { openJournal, startDrain } from "@turnproof/journal";
import type {
  DecodeFrame,
  Drain,
  DrainStore,
  Journal,
  JournalEvent,
  JournalOptions,
  StoredFrames,
} from "@turnproof/journal";
import { CodedError, codes, increasingClock } from "@turnproof/semconv";
import type { Clock } from "@turnproof/semconv";
import type { Key } from "@turnproof/semconv/fingerprint";
import type { EvidenceStore } from "@turnproof/store";
import type { Hono } from "hono";

import type { IngestPrincipal } from "../../access/ingest-tokens.ts";
import { Conservation } from "../conservation.ts";
import type { ConservationSnapshot } from "../conservation.ts";
import { totalsOf } from "../history/minute.ts";
import type { IngestCounts } from "../history/minute.ts";
import type { AppEnv } from "../../http/environment.ts";
import type { ForwardState } from "../forward/forward.ts";
import type { DamageTracker } from "../../backend/damage-tracker.ts";
import { PendingRoots } from "./pending-roots.ts";
import { rootsNamedMax } from "../ingest.ts";
import type { IngestDesk, IngestReport, MissingEvidence } from "../ingest.ts";
import type { Log } from "../../log.ts";
import { createBlockThread } from "./block-thread.ts";
import type { PreparedForm } from "./block-thread.ts";
import { createBodyThreads } from "./body-threads.ts";
import { ByteBudget } from "./byte-budget.ts";
import { decodeFrame } from "./frame-codec.ts";
import { budgetBytesDefault, budgetShare, createIntake } from "./intake.ts";
import type { Intake } from "./intake.ts";
import { otlpRoutes } from "./receive.ts";
import { tallyOf } from "./journal-tally.ts";
import { watchJournal } from "./journal-losses.ts";
import type { WatchedJournal } from "./journal-losses.ts";
import { gapsOf, missingReport, withMissing } from "./missing-rows.ts";

/** Dependencies of a receiver. */
export interface ReceiverOptions {
  /** Directory of the journal; one process at a time uses it. */
  readonly directory: string;
  /** Target of the drain; a slow or absent store never affects ingest. */
  readonly store: IngestStore | Promise<IngestStore>;
  readonly authenticateIngest: (authorization: string | undefined) => IngestPrincipal | undefined;
  /** Public origins of the collector; pages of other origins are refused. */
  readonly origins?: readonly string[];
  /** Counts a wrong credential; returns the seconds that its address has to wait, else 0. */
  readonly wrongCredential?: (address: string) => number;
  /** Key of the fingerprints that replace identities which are not opaque. */
  readonly identityKey: Key;
  /** Names that are readable whatever their form. */
  readonly knownNames?: readonly string[];
  readonly log: Log;
  /** Called with a stored batch, before it counts as readable; a throw is ignored. */
  readonly onStored?: (batch: StoredFrames) => Promise<void>;
  /** Clock of receipt, milliseconds since the epoch; default the system's, in microseconds. */
  readonly now?: () => number;
  /** Bound of the journal on the disk. */
  readonly journalBytesMax?: number;
  /** Bytes of all requests together. */
  readonly budgetBytes?: number;
  /** What was found damaged in the store. */
  readonly damage?: Pick<DamageTracker, "report" | "roots">;
  /** State of the way to another endpoint. */
  readonly forwarded?: () => ForwardState;
  /** False answers everything on `/v1` with `ingest_off`. */
  readonly enabled?: boolean;
  /** Threads for large bodies; default 1. With 0 nothing is done in threads, blocks included. */
  readonly threads?: number;
}

/** The store that the drain writes to, with its capabilities. */
export type IngestStore = DrainStore & Pick<EvidenceStore, "capabilities">;

/** The receiving side: its routes, and its interface for the rest of the collector. */
export interface Receiver extends IngestDesk {
  readonly routes: Hono<AppEnv>;
  /** Receives the requests of the routes and of other transports. */
  readonly intake: Intake;
  /** True while spans are accepted and can be made durable. */
  serving(): boolean;
  conservation(): ConservationSnapshot;
  /** Totals since the process began. */
  totals(): IngestCounts;
  /** Resolves when everything acknowledged is stored; not before an absent store comes back. */
  idle(): Promise<void>;
}

/**
 * Spans at which a batch is sent without waiting. Events of a batch are objects at times, 1.5 kB
 * each; three times as many in one insert save a microsecond of CPU a span.
 */
const batchSpans = 16_384;
/** Room in the journal below which it counts as full: about the size of one request. */
const roomBytes = 1_048_576;
/** Timeout of waiting for a store that is opening, in milliseconds. */
const openMsMax = 5_000;
/** How often a waiting reader checks whether something was stored. */
const lookMs = 25;

function logEvent(log: Log, directory: string, event: JournalEvent): void {
  const { code, count, files, lostFrames, atLeast } = event;
  const place = files === undefined ? {} : placeOf(directory, files);
  const lost = lostFrames === undefined ? {} : { lost_frames: lostFrames };
  const where = lostFrames === undefined && code !== "disk_full" ? {} : { path: directory };
  const bound = atLeast === undefined ? {} : { at_least: true };
  log.warn("journal_event", {
    code,
    count,
    ...lost,
    ...where,
    ...bound,
    sentence: codes[code].sentence,
    ...place,
  });
}

/** Files that a line of the log names; the count has all. */
const filesMax = 10;

function placeOf(
  directory: string,
  files: readonly string[],
): { readonly file: string; readonly command: string } {
  const paths = files.slice(0, filesMax).map((file) => join(directory, file));
  const unnamed = files.length > filesMax ? [`and ${files.length - filesMax} more`] : [];
  return { file: [...paths, ...unnamed].join(", "), command: "turnproof doctor" };
}

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

/** A store that may still be opening, and in which form it accepts prepared batches. */
function openedStore(given: IngestStore | Promise<IngestStore>): {
  readonly store: DrainStore;
  readonly prepared: () => PreparedForm | undefined;
} {
  let ready: IngestStore | undefined;
  const opening = Promise.resolve(given);
  // The failure is reported to the callers.
  opening.then((store) => (ready = store)).catch(() => {});
  // A call that waited while the store is absent would keep its rows in memory all that time.
  const current = async (): Promise<DrainStore> => {
    const late = new AbortController();
    const { signal } = late;
    const given = await Promise.race([
      opening,
      sleep(openMsMax, undefined, { signal, ref: false }),
    ]);
    late.abort();
    if (given === undefined) throw new CodedError("store_unavailable");
    return given;
  };
  return {
    store: {
      append: async (batch) => (await current()).append(batch),
      appendPrepared: async (batch) => (await current()).appendPrepared(batch),
      readBack: async (id, receivedAt) => (await current()).readBack(id, receivedAt),
    },
    prepared: () => {
      if (ready?.capabilities.includes("prepared") === true) return "blocks";
      return ready?.capabilities.includes("packed") === true ? "rows" : undefined;
    },
  };
}

/** Longest time for which the drain's decoding blocks the event loop. */
const holdMsMax = 4;

/** Decodes frames and lets requests run in between: a batch of the drain has many frames. */
function createPacedDecoder(): DecodeFrame {
  let since = 0;
  return async (payload) => {
    if (performance.now() - since > holdMsMax) {
      await setImmediate();
      since = performance.now();
    }
    return { events: decodeFrame(payload) };
  };
}

function clockOf({ now }: ReceiverOptions): Clock {
  return increasingClock(now && (() => Math.floor(now() * 1_000)));
}

/**
 * Waits until the drain stored more than `seen` batches, the time is over or the signal aborts.
 */
async function nextStored(
  drain: Drain,
  seen: number,
  waitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + waitMs;
  while (!signal.aborted && performance.now() < until) {
    if (drain.stats().storedBatches > seen) return;
    // The wait ends early when the request is aborted.
    await sleep(lookMs, undefined, { signal }).catch(() => {});
  }
}

interface Waiting {
  readonly journal: Journal;
  readonly drain: Drain;
  readonly pending: PendingRoots;
}

/**
 * Waits for the frames acknowledged before, of these roots alone where they are given; returns the
 * number that is still not readable.
 */
async function settled(
  { journal, drain, pending }: Waiting,
  waitMs: number,
  roots?: readonly string[],
): Promise<number> {
  const { acknowledgedThrough: last } = journal.stats();
  const until = performance.now() + waitMs;
  for (;;) {
    const { drainedThrough } = journal.stats();
    const all = Math.max(0, last - drainedThrough);
    const left = roots === undefined ? all : pending.count(roots, drainedThrough, last);
    // While the store refuses, waiting would only delay the answer.
    if (left === 0 || performance.now() >= until || drain.stats().failure !== undefined)
      return left;
    drain.kick();
    await sleep(lookMs);
  }
}

/** What is gone from the store, and what never came there. */
function missingIn(
  { damage }: ReceiverOptions,
  state: { missing?: MissingEvidence },
  watched: WatchedJournal,
): Pick<Receiver, "noteMissing" | "gaps" | "losses"> {
  const damaged = (): readonly string[] => damage?.roots() ?? [];
  return {
    noteMissing: (missing) => void (state.missing = missing),
    gaps: () => gapsOf(state.missing, damaged()),
    losses: () => withMissing(watched.known(), state.missing, damaged()),
  };
}

type Besides = "missing" | "damaged" | "forward";

/** State beside journal and drain. */
function storeReport(
  { damage, forwarded }: ReceiverOptions,
  { missing }: { readonly missing?: MissingEvidence },
): Pick<IngestReport, Besides> {
  return {
    missing: missingReport(missing),
    damaged: {
      ...(damage?.report() ?? { store: null, traces: 0, located: true }),
      roots_named: damage?.roots().slice(0, rootsNamedMax) ?? [],
    },
    forward: forwarded?.() ?? null,
  };
}

function reportOf(
  journal: Journal,
  drain: Drain,
  conservation: Conservation,
): Omit<IngestReport, Besides> {
  const stats = journal.stats();
  const sent = drain.stats();
  return {
    receiving: true,
    conservation: conservation.snapshot(),
    journal: {
      healthy: stats.healthy,
      failure: stats.failure ?? null,
      pending_spans: stats.pendingSpans,
      pending_frames: stats.pendingFrames,
      oldest_pending_at: stats.oldestPendingAt ?? null,
      disk_bytes: stats.diskBytes,
      bytes_max: stats.bytesMax,
      segments: stats.segments,
      corrupt_ranges: stats.corruptRanges,
      lost_frames: stats.lostFrames,
      quarantined_spans: stats.quarantinedSpans,
    },
    drain: {
      stored_events: sent.storedEvents,
      stored_batches: sent.storedBatches,
      retries: sent.retries,
      unverified: sent.unverified,
      in_flight: sent.inFlight,
      failure: sent.failure ?? null,
    },
  };
}
