/** @module OpeningReceiving: opens the receiver, its history, and the way to another endpoint. */
import { join } from "node:path";

import type { Key } from "@turnproof/semconv/fingerprint";

import { createIngestAuthenticator } from "./access/ingest-tokens.ts";
import { createThrottle } from "./access/throttle.ts";
import { isLoopback } from "./config/loopback.ts";
import { judgeBehind } from "./judge/judge-mark.ts";
import type { RecordBatch } from "./receive/record-frames.ts";
import { forwardFolder } from "./receive/forward/forward-queue.ts";
import { startForward } from "./receive/forward/forward.ts";
import type { Forward } from "./receive/forward/forward.ts";
import { historyFolder, startHistory } from "./receive/history/history.ts";
import type { IngestHistory } from "./receive/history/history.ts";
import { openReceiver } from "./receive/otlp/receiver.ts";
import type { IngestStore } from "./receive/otlp/late-store.ts";
import type { Receiver } from "./receive/otlp/receiver-contract.ts";
import type { LedgerSignal } from "./judge/ledger-signal.ts";
import type { DamageTracker } from "./backend/damage-tracker.ts";
import type { Opening } from "./opening-options.ts";
import { namesOf } from "./opening-options.ts";

/** What the receiver is opened with. */
interface Receiving {
  readonly identityKey: Key;
  readonly damage: DamageTracker;
  readonly forward: Forward | undefined;
  readonly store: Promise<IngestStore>;
  readonly onStored: RecordBatch;
}

/** The receiver with its journal and drain; they are closed with its history. */
export function openIngest(
  { config, log, options }: Opening,
  { identityKey, damage, forward, store, onStored }: Receiving,
): Promise<Receiver> {
  const producers = createThrottle(options.now);
  return openReceiver({
    directory: join(config.dataDir, "journal"),
    ...(forward === undefined ? {} : { forwarded: () => forward.state() }),
    store,
    damage,
    authenticateIngest: createIngestAuthenticator(config, isLoopback(config.host)),
    origins: config.origins,
    // A producer with an old token must not block people's sign-in from the same address.
    wrongCredential: (address) => producers.failed(address),
    identityKey,
    knownNames: namesOf(config),
    log,
    onStored,
    ...(options.now === undefined ? {} : { now: options.now }),
    journalBytesMax: config.journalBytesMax,
    enabled: config.ingest === "on",
  });
}

/** What follows each stored batch: it is forwarded, its turns are written, and alerts look. */
export function storedBatches(
  forward: Forward | undefined,
  recording: Promise<RecordBatch>,
  ledger: LedgerSignal,
): RecordBatch {
  return async (batch) => {
    await forward?.stored(batch);
    const record = await recording;
    await record(batch);
    ledger.signal(Math.min(...batch.frames.map(({ appendedAtMs }) => appendedAtMs)));
  };
}

/** The receiving side, minute by minute; both are closed with the other parts. */
export async function openHistory(
  { config, log, options, opened }: Opening,
  ingest: Receiver,
): Promise<IngestHistory> {
  const now = options.now ?? Date.now;
  const history = await startHistory({
    folder: historyFolder(config),
    totals: () => ingest.totals(),
    state: async () => {
      const { pending_spans, oldest_pending_at: oldest, disk_bytes } = ingest.report().journal;
      return {
        pending_items: pending_spans,
        oldest_pending_ms: oldest === null ? 0 : Math.max(0, now() - Date.parse(oldest)),
        journal_bytes: disk_bytes,
        judge_behind_ms: await judgeBehind(config, now()),
      };
    },
    now,
    log,
  });
  // Closed in reverse order, so that the last minute has everything.
  opened.push(
    () => history.close(),
    (deadlineMs) => ingest.close(deadlineMs),
  );
  return history;
}

/** The way to another endpoint, where one is configured. */
export async function openForward({ config, log, opened }: Opening): Promise<Forward | undefined> {
  if (config.forward === undefined) return undefined;
  const { bytesMax, ...target } = config.forward;
  const directory = forwardFolder(config.dataDir);
  const forward = await startForward({ directory, target, bytesMax, log });
  opened.push(() => forward.close());
  return forward;
}
