/**
 * @module Opening: opens all parts of a collector in order of dependency, and registers how each
 * is closed.
 */
import { join } from "node:path";

import { makeDirectory } from "@turnproof/journal/process-lock";
import { allowNames } from "@turnproof/semconv";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";
import { CodedError } from "@turnproof/semconv";
import { lentEngineOf, turnRecorder } from "@turnproof/store";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { loggedFindings } from "./access/audit/finding-texts.ts";
import { recordAuditOff } from "./access/audit/audit-off.ts";
import { openAudit } from "./access/audit/log.ts";
import type { Audit } from "./access/audit/log.ts";
import { shipperOf } from "./access/audit/ship.ts";
import { verifyAudit } from "./access/audit/verify.ts";
import { createSigner } from "./access/audit/checkpoint.ts";
import { createCredentials } from "./access/credentials.ts";
import { createIngestAuthenticator } from "./access/ingest-tokens.ts";
import { createOidc } from "./access/oidc.ts";
import { createPseudonyms } from "./access/pseudonyms.ts";
import { openIdentityKey, openKeyring } from "./access/stable-secret.ts";
import { createTypedIdentity } from "./access/typed-identity.ts";
import { createThrottle } from "./access/throttle.ts";
import { openMemory, openStore, serverName, serverOf } from "./backend/backend.ts";
import { isLoopback } from "./config/loopback.ts";
import type { Config } from "./config/config.ts";
import type { Hooks } from "./hooks/hooks.ts";
import type { JudgeOptions } from "./judge/judge.ts";
import { createRequestMetrics } from "./http/request-metrics.ts";
import { cookieNameOf } from "./http/session-cookie.ts";
import { openReconnecting } from "./backend/reconnecting.ts";
import { createReaders, threadsCan } from "./reading/readers.ts";
import { draftJudge } from "./judge/judge-drafts.ts";
import { judgeBehind } from "./judge/judge-mark.ts";
import { loggedRecord, recordElsewhere, recordFrames } from "./receive/record-frames.ts";
import type { RecordBatch } from "./receive/record-frames.ts";
import { collectorScope } from "./access/grants.ts";
import { reconnectingEvidence, reconnectingMemory } from "./backend/reconnecting-store.ts";
import { forwardFolder } from "./receive/forward/forward-queue.ts";
import { startForward } from "./receive/forward/forward.ts";
import type { Forward } from "./receive/forward/forward.ts";
import { historyFolder, startHistory } from "./receive/history/history.ts";
import type { IngestHistory } from "./receive/history/history.ts";
import { openAlerts, openSessions, withSharedLosses } from "./opening-shared.ts";
import { openReceiver } from "./receive/otlp/receiver.ts";
import type { Receiver } from "./receive/otlp/receiver.ts";
import { operatorMemory } from "./memory/operator-memory.ts";
import { withMemoryRows } from "./memory/memory-events.ts";
import { operatorStore } from "./backend/operator-store.ts";
import type { Log } from "./log.ts";
import type { Parts, Readers } from "./parts.ts";
import { ledgerSignal } from "./judge/ledger-signal.ts";
import type { LedgerSignal } from "./judge/ledger-signal.ts";
import { openLoadedContracts } from "./judge/loaded-contracts.ts";
import { createStatementSigner } from "./judge/statement.ts";
import { openDamageDesk } from "./backend/damage-tracker.ts";
import { rememberedDamage } from "./backend/damage-file.ts";
import { watchedLater, watchedStore } from "./backend/watched-store.ts";
import { futureLastEvents } from "./backend/future-last-events.ts";
import { requestStore } from "./backend/request-store.ts";
import { version } from "./version.ts";

/** Options of a collector. All are optional; passed resources are not opened again. */
export interface CollectorOptions {
  /** Defaults to an empty environment: loopback, embedded store under `.turnproof`. */
  readonly config?: Config;
  /** A store that is already open; the collector does not close it. */
  readonly store?: EvidenceStore;
  /** A memory that is already open; the collector does not close it. */
  readonly memory?: MemoryStore;
  readonly log?: Log;
  readonly now?: () => number;
  /** Hooks that the host implements. */
  readonly hooks?: Hooks;
  /** The background judge of quiet turns; false leaves turns unjudged. */
  readonly judge?: JudgeOptions | false;
}

/** Closes one part within a deadline in milliseconds. */
export type Close = (deadlineMs: number) => Promise<void>;

/** Options and parts opened so far. */
export interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly options: CollectorOptions;
  /** Closed in reverse order, so that each part is closed before what it uses. */
  readonly opened: Close[];
  readonly closing: AbortSignal;
}

/** Names from the configuration: known names, and applications that tokens are bound to. */
function namesOf({ knownNames, ingestTokens, accounts }: Config): readonly string[] {
  const bound = [...ingestTokens, ...accounts].flatMap(({ applicationId }) => applicationId ?? []);
  return [...knownNames, ...bound];
}

/** Opens all parts. @throws CodedError of the one that could not be opened */
export async function openParts(opening: Opening): Promise<Parts> {
  const { config, log, options, opened, closing } = opening;
  // Evidence is sensitive metadata: only this user may read it.
  makeDirectory(config.dataDir);
  const knownNames = namesOf(config);
  if (knownNames.length > 0) allowNames(knownNames);
  const { identityKey, ...access } = openAccess(opening);
  // The journal's lock comes first: its error states that the directory is in use.
  const waiting = Promise.withResolvers<EvidenceStore>();
  // Those who await these receive the failure; until then it is not an unhandled one.
  waiting.promise.catch(() => {});
  const recording = Promise.withResolvers<RecordBatch>();
  recording.promise.catch(() => {});
  const producers = createThrottle(options.now);
  const forward = await openForward(opening);
  const ledger = ledgerSignal();
  const server = options.store === undefined ? (serverOf(config) ?? null) : null;
  const damage = openDamageDesk(log, rememberedDamage(opening, server));
  const ingest = await openReceiver({
    directory: join(config.dataDir, "journal"),
    ...(forward === undefined ? {} : { forwarded: () => forward.state() }),
    store: watchedLater(waiting.promise, damage),
    damage,
    authenticateIngest: createIngestAuthenticator(config, isLoopback(config.host)),
    origins: config.origins,
    // A producer with an old token must not block people's sign-in from the same address.
    wrongCredential: (address) => producers.failed(address),
    identityKey,
    knownNames,
    log,
    onStored: storedBatches(forward, recording.promise, ledger),
    ...(options.now === undefined ? {} : { now: options.now }),
    journalBytesMax: config.journalBytesMax,
    enabled: config.ingest === "on",
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

/** What follows each stored batch: it is forwarded, its turns are written, and alerts look. */
function storedBatches(
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

/** The store as routes may use it, with what is ahead of now last. */
function orderedStore({ config, options }: Opening, store: EvidenceStore): EvidenceStore {
  return futureLastEvents(operatorStore(store, config.readOnly), options.now ?? Date.now);
}

function openSigner({ backend, signingKey, dataDir }: Config): Promise<Parts["signer"]> {
  return createStatementSigner(signingKey, backend === "ephemeral" ? undefined : dataDir);
}

interface Judging {
  readonly recorder: Parts["recorder"];
  readonly readers: Readers | undefined;
  readonly record: RecordBatch;
}

/** The threads that answer and judge, and what records each stored batch. */
function openJudging(
  { config, log, options, opened }: Opening,
  reading: {
    readonly parts: Parts;
    readonly store: EvidenceStore;
    readonly memory: MemoryStore | undefined;
  },
): Judging {
  const { parts, store } = reading;
  const judge = options.judge !== false && !config.readOnly;
  const readers = threaded(options, config, store)
    ? createReaders({ ...reading, judge })
    : undefined;
  if (readers !== undefined) opened.push(() => readers.close());
  // Turns are written where they are judged, because they are in memory there.
  const bytesMax = judge && readers === undefined ? config.judgeBytesMax : 0;
  const draft = bytesMax > 0 ? draftJudge(config, parts.contracts) : undefined;
  const recorder = turnRecorder(watchedStore(store, parts.damage), collectorScope(), {
    bytesMax,
    draft,
  });
  const own = recordFrames(recorder);
  const record = loggedRecord(judge ? recordElsewhere(readers?.stored, own) : own, log);
  return { recorder, readers, record };
}

/** The receiving side, minute by minute; both are closed with the other parts. */
async function openHistory(
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

async function openContracts({ config, log, opened }: Opening): Promise<Parts["contracts"]> {
  const contracts = await openLoadedContracts(config, log);
  opened.push(async () => contracts?.close());
  return contracts;
}

/** The way to another endpoint, where one is configured. */
async function openForward({ config, log, opened }: Opening): Promise<Forward | undefined> {
  if (config.forward === undefined) return undefined;
  const { bytesMax, ...target } = config.forward;
  const directory = forwardFolder(config.dataDir);
  const forward = await startForward({ directory, target, bytesMax, log });
  opened.push(() => forward.close());
  return forward;
}

/** The audit log, if one is configured. */
async function openAuditLog(
  { config, log, opened }: Opening,
  { keyring, pseudonyms }: Pick<Access, "keyring" | "pseudonyms">,
): Promise<Audit | undefined> {
  if (config.auditLog === undefined) {
    await recordAuditOff(config, log);
    return undefined;
  }
  const signer = createSigner(config.dataDir, config.auditScope);
  const shipper = shipperOf(config, log);
  const { auditLog: file, auditScope: origin } = config;
  const audit = await openAudit({
    file,
    keyring,
    pseudonyms,
    signer,
    shipper,
    check: (extent) =>
      verifyAudit({
        file,
        keyring: () => keyring,
        origin,
        publicKey: () => signer.publicKey,
        extent,
      }),
    onChecked: loggedFindings(log, file),
  });
  opened.push(audit.close.bind(audit));
  return audit;
}

/**
 * Whether threads read: for a store that this collector opened and that a thread can open or
 * share, with the clock of the process.
 */
function threaded(options: CollectorOptions, config: Config, opened: EvidenceStore): boolean {
  const { store, memory, now, judge } = options;
  if (!threadsCan || store !== undefined || memory !== undefined) return false;
  if (now !== undefined || typeof judge === "object") return false;
  const openable = serverOf(config) !== undefined || opened.name === "filesystem";
  return openable || lentEngineOf(opened) !== undefined;
}

type Access = Pick<
  Parts,
  "keyring" | "typed" | "credentials" | "oidc" | "pseudonyms" | "throttle"
> & { readonly identityKey: Key };

/** Authentication. */
function openAccess({ config, log, options }: Opening): Access {
  const now = options.now ?? Date.now;
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const identityKey = openIdentityKey(config.identityKey, config.dataDir);
  const typed = createTypedIdentity(identityKey, namesOf(config));
  const credentials = createCredentials(config, typed);
  const { auditScope, pseudonymKey } = config;
  const pseudonyms = createPseudonyms({
    auditScope,
    ...(pseudonymKey === undefined ? {} : { key: parseKeyring(pseudonymKey)[0] }),
  });
  const throttle = createThrottle(now);
  const { oidc: settings } = config;
  const oidc = settings && createOidc({ settings, keyring, typed, log, now });
  return { keyring, identityKey, typed, credentials, oidc, pseudonyms, throttle };
}

/** The given store, or one that is closed after everything that uses it. */
async function ownStore(
  opening: Opening,
  waiting: PromiseWithResolvers<EvidenceStore>,
): Promise<EvidenceStore> {
  const { options, opened } = opening;
  if (options.store !== undefined) {
    waiting.resolve(options.store);
    return options.store;
  }
  const store = await openedStore(opening, waiting);
  opened.unshift(() => store.close());
  return store;
}

/** A store in this process, or one on a server that may be unreachable at first. */
async function openedStore(
  { config, log }: Opening,
  waiting: PromiseWithResolvers<EvidenceStore>,
): Promise<EvidenceStore> {
  const print = (sentence: string): void => log.warn("configuration", { sentence });
  try {
    const host = serverOf(config);
    if (host === undefined) {
      const store = await openStore(config, { print });
      waiting.resolve(store);
      return store;
    }
    const { backend } = config;
    const open = (): Promise<EvidenceStore> => openStore(config, { print });
    const late = await openReconnecting({ open, part: "store", backend, host, log });
    // A store that never opens is reported by `openReconnecting`.
    late.opened.then(waiting.resolve).catch(() => {});
    return reconnectingEvidence(backend, serverName(backend), late);
  } catch (error) {
    waiting.reject(error);
    throw error;
  }
}

async function openedMemory({ config, log }: Opening): Promise<MemoryStore | undefined> {
  const backend = config.memoryBackend;
  const host = serverOf(config, backend);
  if (host === undefined || backend === "none") return openMemory(config);
  const open = async (): Promise<MemoryStore> => {
    const memory = await openMemory(config);
    if (memory === undefined) throw new CodedError("not_configured");
    return memory;
  };
  const late = await openReconnecting({ open, part: "memory", backend, host, log });
  return reconnectingMemory(serverName(backend), late);
}
