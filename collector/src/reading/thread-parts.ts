/**
 * @module ThreadParts: the parts of a collector in a reading thread. It opens what it can; the
 * embedded engine, the memory and the receiving side are called over the port.
 */
import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";
import { clickhouseOver } from "@turnproof/store";
import type { EvidenceStore, LentEngine, MemoryStore } from "@turnproof/store";

import type { AuditState } from "../access/audit/audit-state.ts";
import type { Audit } from "../access/audit/log.ts";
import { createCredentials } from "../access/credentials.ts";
import { createPseudonyms } from "../access/pseudonyms.ts";
import { createSessions } from "../access/sessions.ts";
import type { AuditFinding } from "../access/audit/verify.ts";
import { openIdentityKey, openKeyring } from "../access/stable-secret.ts";
import { createStreams } from "../access/streams.ts";
import { createThrottle } from "../access/throttle.ts";
import { createTypedIdentity } from "../access/typed-identity.ts";
import { openStore, serverName, serverOf } from "../backend/backend.ts";
import type { Config } from "../config/config.ts";
import { createRequestMetrics } from "../http/request-metrics.ts";
import type { AppEnv } from "../http/environment.ts";
import type { AgentPort } from "../hooks/hooks.ts";
import type { IngestReport } from "../receive/ingest.ts";
import { openLate } from "../backend/late.ts";
import { lateEvidence } from "../backend/late-store.ts";
import type { Log } from "../log.ts";
import { withMemoryRows } from "../memory/memory-events.ts";
import { operatorMemory } from "../memory/operator-memory.ts";
import { operatorStore } from "../backend/operator-store.ts";
import type { JournalLosses } from "../receive/otlp/journal-losses.ts";
import type { Receiver } from "../receive/otlp/receiver.ts";
import type { Parts } from "../parts.ts";
import { createStatementSigner } from "../judge/statement.ts";
import { readTimes, timedStore } from "../backend/timed-store.ts";
import { version } from "../version.ts";
import type { Calls } from "./calls.ts";

/** Start data of a thread. */
export interface ThreadStart {
  readonly config: Config;
  readonly role: "reader" | "judge";
  /** True when the engine is shared; else the thread opens the store itself. */
  readonly lent: boolean;
  readonly memoryName: string | null;
  /** True when the host mounts agents. */
  readonly agents: boolean;
}

/** Last state of the receiving side and the audit log. */
export interface Told {
  readonly report: IngestReport;
  readonly losses: JournalLosses;
  readonly audit: AuditState;
  /** A time of receipt after everything received so far. */
  readonly mark: string;
}

/** Opens the parts of a thread; `told` returns the last state received. */
export async function openThreadParts(
  start: ThreadStart,
  calls: Calls,
  told: () => Told,
): Promise<Parts> {
  const { config } = start;
  const log = logOver(calls);
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const typed = createTypedIdentity(openIdentityKey(config.identityKey, config.dataDir));
  const credentials = createCredentials(config, typed);
  const sessions = createSessions({ keyring });
  const closing = new AbortController().signal;
  const memory = start.memoryName === null ? undefined : memoryOver(calls, start.memoryName);
  const store = start.lent ? await clickhouseOver(engineOver(calls)) : await ownStore(start);
  const patient = withMemoryRows(
    operatorStore(store, config.readOnly),
    operatorMemory(memory, config.readOnly),
  );
  const persistent = config.backend !== "ephemeral";
  return {
    config,
    version,
    log,
    keyring,
    typed,
    credentials,
    sessions,
    closing,
    patient,
    store: timedStore(patient, readTimes),
    server: serverOf(config) ?? null,
    memory: operatorMemory(memory, config.readOnly),
    ingest: ingestOver(calls, told),
    streams: createStreams({ sessions, credentials, closing }),
    throttle: createThrottle(),
    // No reader uses this key for output; only its stability is shown.
    pseudonyms: {
      ...createPseudonyms({ auditScope: config.auditScope }),
      stable: config.pseudonymKey !== undefined,
    },
    audit: auditOver(told),
    signer: await createStatementSigner(config.signingKey, persistent ? config.dataDir : undefined),
    hooks: start.agents ? { agents: agentsOver(calls) } : {},
    requests: createRequestMetrics(),
    cookieName: "",
    now: Date.now,
  };
}

const silent: Log = { info: () => {}, warn: () => {}, error: () => {} };

/** The same file or server as the main thread's, which reports an unreachable server. */
async function ownStore({ config, role }: ThreadStart): Promise<EvidenceStore> {
  const host = serverOf(config);
  if (host === undefined) return openStore(config, { readOnly: role === "reader" });
  const { backend } = config;
  const open = (): Promise<EvidenceStore> => openStore(config);
  const late = await openLate({ open, part: "store", backend, host, log: silent, waitMs: 0 });
  return lateEvidence(serverName(backend), late);
}

function logOver(calls: Calls): Log {
  const say =
    (level: "info" | "warn" | "error"): Log["info"] =>
    (event, fields) =>
      void calls.ask("log", { level, event, fields }).catch(() => {});
  return { info: say("info"), warn: say("warn"), error: say("error") };
}

function engineOver(calls: Calls): LentEngine {
  return {
    select: (sql, parameters, signal) => calls.ask("select", { sql, parameters }, { signal }),
    command: (sql) => calls.ask("command", sql),
    insert: (table, block, token) => calls.ask("insert", { table, block, token }),
    pending: () => calls.ask("pending", null),
  };
}

function memoryOver(calls: Calls, name: string): MemoryStore {
  const over =
    (method: string) =>
    <T>(...args: readonly unknown[]): Promise<T> =>
      calls.ask("memory", { method, args });
  const close = async (): Promise<void> => {};
  return {
    name,
    put: over("put"),
    get: over("get"),
    list: over("list"),
    count: over("count"),
    update: over("update"),
    delete: over("delete"),
    vectorSearch: over("vectorSearch"),
    textSearch: over("textSearch"),
    shared: {
      put: over("shared.put"),
      get: over("shared.get"),
      list: over("shared.list"),
      update: over("shared.update"),
      delete: over("shared.delete"),
    },
    check: over("check"),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function ingestOver(calls: Calls, told: () => Told): Receiver {
  const refuse = async (): Promise<never> => {
    throw new CodedError("internal_error");
  };
  return {
    routes: new Hono<AppEnv>(),
    get intake(): never {
      throw new CodedError("internal_error");
    },
    healthy: () => told().report.journal.healthy,
    accepting: () => told().report.receiving,
    serving: () => told().report.receiving,
    // Taken no earlier than the request, and before anything is read for it.
    mark: () => told().mark,
    pendingFrames: () => told().report.journal.pending_frames,
    settled: (waitMs) => calls.ask("settled", waitMs),
    storedBatches: () => told().report.drain.stored_batches,
    nextStored: refuse,
    report: () => told().report,
    losses: () => told().losses,
    conservation: () => told().report.conservation,
    idle: refuse,
    close: async () => {},
  };
}

/** State of the log for Health; a reader writes no records. */
function auditOver(told: () => Told): Audit | undefined {
  if (!told().audit.on) return undefined;
  return {
    get healthy() {
      return told().audit.healthy;
    },
    get records() {
      return told().audit.records;
    },
    get shipping() {
      return told().audit.shipping;
    },
    get checked() {
      return checkedOf(told().audit);
    },
  } as Audit;
}

/** The first finding stands for the others. */
function checkedOf({ checked, damage, records }: Told["audit"]): Audit["checked"] {
  if (!checked) return undefined;
  const findings = damage === null ? [] : [damage as AuditFinding];
  const findings_total = damage?.total ?? 0;
  return { ok: damage === null, records, checkpoints: 0, findings, findings_total };
}

function agentsOver(calls: Calls): AgentPort {
  return {
    list: ({ signal, ...context }) => calls.ask("agents", context, { signal }),
    run: async () => undefined,
    async *stream() {},
  };
}
