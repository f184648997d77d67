/**
 * @module ThreadParts: the parts of a collector in a reading thread; the receiving side is called
 * over the port.
 */
import { Hono } from "hono";
import { CodedError } from "@turnproof/semconv";

import type { Audit } from "../access/audit/contract.ts";
import { createCredentials } from "../access/credentials.ts";
import { createPseudonyms } from "../access/pseudonyms.ts";
import { createSessions } from "../access/sessions.ts";
import type { AuditFinding } from "../access/audit/verify.ts";
import { openIdentityKey, openKeyring } from "../access/stable-secret.ts";
import { createStreams } from "../access/streams.ts";
import { createThrottle } from "../access/throttle.ts";
import { createTypedIdentity } from "../access/typed-identity.ts";
import { serverOf } from "../backend/backend.ts";
import { createRequestMetrics } from "../http/request-metrics.ts";
import type { AppEnv } from "../http/environment.ts";
import type { AgentPort } from "../hooks/hooks.ts";
import { historyFolder } from "../receive/history/history.ts";
import type { Receiver } from "../receive/otlp/receiver-contract.ts";
import type { Parts } from "../parts.ts";
import { openLoadedContracts } from "../judge/loaded-contracts.ts";
import { createStatementSigner } from "../judge/statement.ts";
import { requestStore } from "../backend/request-store.ts";
import { version } from "../version.ts";
import type { Calls } from "./calls.ts";
import { damageOver, logOver, openThreadStores } from "./thread-link.ts";
import type { ThreadStart, Reported } from "./thread-link.ts";

/** Opens the parts of a thread; `reported` returns the last state received. */
export async function openThreadParts(
  start: ThreadStart,
  calls: Calls,
  reported: () => Reported,
): Promise<Parts> {
  const { config } = start;
  const log = logOver(calls);
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const typed = createTypedIdentity(openIdentityKey(config.identityKey, config.dataDir));
  const credentials = createCredentials(config, typed);
  const sessions = createSessions({ keyring });
  const closing = new AbortController().signal;
  const damage = damageOver(calls, reported);
  const { store: untimed, memory } = await openThreadStores(start, calls, damage);
  const persistent = config.backend !== "ephemeral";
  return {
    config,
    // The main thread logs a wrong file.
    contracts: await openLoadedContracts(config),
    version,
    log,
    keyring,
    typed,
    credentials,
    sessions,
    closing,
    untimed,
    store: requestStore(untimed, damage, Date.now),
    server: serverOf(config) ?? null,
    damage,
    memory,
    ingest: ingestOver(calls, reported),
    history: { folder: historyFolder(config), recent: () => reported().minutes },
    streams: createStreams({ sessions, credentials, closing }),
    throttle: createThrottle(),
    // No reader uses this key for output; only its stability is shown.
    pseudonyms: {
      ...createPseudonyms({ auditScope: config.auditScope }),
      stable: config.pseudonymKey !== undefined,
    },
    audit: auditOver(reported),
    signer: await createStatementSigner(config.signingKey, persistent ? config.dataDir : undefined),
    hooks: start.agents ? { agents: agentsOver(calls) } : {},
    requests: createRequestMetrics(),
    cookieName: "",
    now: Date.now,
  };
}

function ingestOver(calls: Calls, reported: () => Reported): Receiver {
  const refuse = async (): Promise<never> => {
    throw new CodedError("internal_error");
  };
  return {
    routes: new Hono<AppEnv>(),
    get intake(): never {
      throw new CodedError("internal_error");
    },
    healthy: () => reported().report.journal.healthy,
    accepting: () => reported().report.receiving,
    serving: () => reported().report.receiving,
    // Taken no earlier than the request, and before anything is read for it.
    mark: () => reported().mark,
    pendingFrames: () => reported().report.journal.pending_frames,
    settled: (waitMs, roots) => calls.request("settled", { waitMs, roots }),
    storedBatches: () => reported().report.drain.stored_batches,
    nextStored: refuse,
    report: () => reported().report,
    losses: () => reported().losses,
    gaps: () => reported().gaps,
    noteMissing: () => {},
    conservation: () => reported().report.conservation,
    get totals(): never {
      throw new CodedError("internal_error");
    },
    idle: refuse,
    close: async () => {},
  };
}

/** State of the log for Health; a reader writes no records. */
function auditOver(reported: () => Reported): Audit | undefined {
  if (!reported().audit.on) return undefined;
  return {
    get healthy() {
      return reported().audit.healthy;
    },
    get failure() {
      return reported().audit.failure ?? undefined;
    },
    get records() {
      return reported().audit.records;
    },
    get shipping() {
      return reported().audit.shipping;
    },
    get checked() {
      return checkedOf(reported().audit);
    },
  } as Audit;
}

/** The first finding stands for the others. */
function checkedOf({ checked, damage, records }: Reported["audit"]): Audit["checked"] {
  if (!checked) return undefined;
  const findings = damage === null ? [] : [damage as AuditFinding];
  const findings_total = damage?.total ?? 0;
  const unread = { checkpoints: 0, checkpoints_cut: 0, unsalted: 0 } as const;
  return { ok: damage === null, records, ...unread, findings, findings_total };
}

function agentsOver(calls: Calls): AgentPort {
  return {
    list: ({ signal, ...context }) => calls.request("agents", context, { signal }),
    run: async () => undefined,
    async *stream() {},
  };
}
