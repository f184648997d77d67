/**
 * @module Opening: opens all parts of a collector in order of dependency, and registers how each
 * is closed.
 */
import { makeDirectory } from "@turnproof/journal/process-lock";
import { allowNames } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import { serverOf } from "./backend/backend.ts";
import type { Config } from "./config/config.ts";
import { missingAccess } from "./config/data-files.ts";
import { createRequestMetrics } from "./http/request-metrics.ts";
import { cookieNameOf } from "./http/session-cookie.ts";
import type { RecordBatch } from "./receive/record-frames.ts";
import { openAlerts, openSessions, withSharedLosses } from "./opening-shared.ts";
import { operatorMemory } from "./memory/operator-memory.ts";
import { withMemoryRows } from "./memory/memory-events.ts";
import type { Parts } from "./parts.ts";
import { ledgerSignal } from "./judge/ledger-signal.ts";
import { openDamageDesk } from "./backend/damage-tracker.ts";
import { rememberedDamage } from "./backend/damage-file.ts";
import { watchedLater, watchedStore } from "./backend/watched-store.ts";
import { requestStore } from "./backend/request-store.ts";
import { version } from "./version.ts";
import { namesOf } from "./opening-options.ts";
import type { Opening } from "./opening-options.ts";
import { openAccess, openAuditLog } from "./opening-access.ts";
import { openForward, openIngest, storedBatches, openHistory } from "./opening-receiving.ts";
import { ownStore, openedMemory, orderedStore } from "./opening-store.ts";
import { openContracts, openSigner, openJudging } from "./opening-judging.ts";

/** Opens all parts. @throws CodedError of the one that could not be opened */
export async function openParts(opening: Opening): Promise<Parts> {
  const { config, log, options, opened, closing } = opening;
  // Evidence is sensitive metadata: only this user may read it.
  makeDirectory(config.dataDir);
  requireWritable(config);
  const knownNames = namesOf(config);
  if (knownNames.length > 0) allowNames(knownNames);
  const { identityKey, ...access } = openAccess(opening);
  // The journal's lock comes first: its error states that the directory is in use.
  const waiting = Promise.withResolvers<EvidenceStore>();
  // Those who await these receive the failure; until then it is not an unhandled one.
  waiting.promise.catch(() => {});
  const recording = Promise.withResolvers<RecordBatch>();
  recording.promise.catch(() => {});
  const forward = await openForward(opening);
  const ledger = ledgerSignal();
  const server = options.store === undefined ? (serverOf(config) ?? null) : null;
  const damage = openDamageDesk(log, rememberedDamage(opening, server));
  const ingest = await openIngest(opening, {
    identityKey,
    damage,
    forward,
    store: watchedLater(waiting.promise, damage),
    onStored: storedBatches(forward, recording.promise, ledger),
  });
  const history = await openHistory(opening, ingest);
  const audit = await openAuditLog(opening, access).catch((error: unknown) => {
    // The journal waits for a store that will not open.
    waiting.reject(error);
    throw error;
  });
  const store = await ownStore(opening, waiting);
  const given = options.memory ?? (await openedMemory(opening));
  if (given !== undefined && options.memory === undefined) opened.unshift(() => given.close());
  const memory = operatorMemory(given, config.readOnly);
  const untimed = withMemoryRows(orderedStore(opening, watchedStore(store, damage)), memory);
  const parts: Parts = {
    ...access,
    ...openSessions(opening, access, store),
    contracts: await openContracts(opening),
    config,
    version,
    log,
    store: requestStore(untimed, damage, options.now ?? Date.now),
    untimed,
    server,
    damage,
    memory,
    ingest: await withSharedLosses(opening, store, ingest),
    history,
    ledger,
    audit,
    signer: await openSigner(config),
    hooks: options.hooks ?? {},
    requests: createRequestMetrics(),
    cookieName: cookieNameOf(config.cookieSecure, config.basePath),
    now: options.now ?? Date.now,
    closing,
  };
  const judging = openJudging(opening, { parts, store, memory: given });
  recording.resolve(judging.record);
  const { recorder, readers } = judging;
  const whole = { ...parts, recorder, ...(readers === undefined ? {} : { readers }) };
  return { ...whole, alerts: await openAlerts(opening, whole, store) };
}

/**
 * What has to outlast the process is written beside the stores, in new files of the data directory.
 *
 * @throws CodedError file_unwritable, file_unreadable with the directory and the system's reason
 */
function requireWritable({ dataDir, backend, readOnly }: Config): void {
  const isWritten = !readOnly && backend !== "ephemeral";
  const missing = missingAccess(dataDir, { isFolder: true, isWritten });
  if (missing !== undefined) throw missing;
}
