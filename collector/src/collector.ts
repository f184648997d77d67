/**
 * @module Collector: puts the parts together into one app that can stand alone or be mounted into
 * another Hono app, and closes them in order.
 */
import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Hono } from "hono";
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { EvidenceStore, MemoryStore } from "@turnproof/store";

import { watchAccounts } from "./accounts.ts";
import { openAudit } from "./audit/log.ts";
import type { Audit } from "./audit/log.ts";
import { createSigner } from "./audit/checkpoint.ts";
import { createCredentials } from "./auth/credentials.ts";
import { createIngestDoor } from "./auth/ingest-tokens.ts";
import { createPseudonyms } from "./auth/pseudonyms.ts";
import { createSessions } from "./auth/sessions.ts";
import { openIdentityKey, openKeyring } from "./auth/stable-secret.ts";
import { createTypedIdentity } from "./auth/typed-identity.ts";
import { createStreams } from "./auth/streams.ts";
import { createThrottle } from "./auth/throttle.ts";
import { openStore } from "./backend.ts";
import { isLoopback, parseConfig } from "./config.ts";
import type { Config } from "./config.ts";
import type { AppEnv } from "./http/environment.ts";
import { compress } from "./http/compress.ts";
import { createErrorHandler, refuse } from "./http/errors.ts";
import { gate } from "./http/gate.ts";
import { noStore } from "./http/no-store.ts";
import { requireRules } from "./http/permissions.ts";
import { createRequestMetrics } from "./http/request-metrics.ts";
import { createRenderer } from "./http/respond.tsx";
import { cookieNameOf } from "./http/session-cookie.ts";
import { openReceiver } from "./otlp/receiver.ts";
import type { Hooks } from "./hooks.ts";
import { openMemory, operatorMemory } from "./memory/memory-backend.ts";
import { withMemoryRows } from "./memory/memory-events.ts";
import { operatorStore } from "./operator-store.ts";
import { startJudge } from "./judge.ts";
import type { JudgeOptions } from "./judge.ts";
import { createLog } from "./log.ts";
import type { Log } from "./log.ts";
import type { Parts } from "./parts.ts";
import { mountRoutes } from "./routes.ts";
import { createStatementSigner } from "./statement.ts";
import { viewTable } from "./view-table.ts";
import type { ViewTable } from "./view-table.ts";

/** How a collector is made. Everything is optional; what is given is not opened again. */
export interface CollectorOptions {
  /** Defaults to an empty environment: loopback, embedded store under `.turnproof`. */
  readonly config?: Config;
  /** A store that is already open; the collector does not close it. */
  readonly store?: EvidenceStore;
  /** A memory that is already open; the collector does not close it. */
  readonly memory?: MemoryStore;
  readonly views?: ViewTable;
  readonly log?: Log;
  readonly now?: () => number;
  /** What the host answers itself. */
  readonly hooks?: Hooks;
  /** The background judge of quiet turns; false leaves turns unjudged. */
  readonly judge?: JudgeOptions | false;
}

/** A running collector. */
export interface Collector {
  /** Routes under `config.basePath`; mount it with `host.route("/", collector.app)`. */
  readonly app: Hono<AppEnv>;
  readonly config: Config;
  readonly store: EvidenceStore;
  /** Ends streams that would never end by themselves, so that a server can finish its answers. */
  endStreams(): void;
  /** Drains and closes everything that this collector opened; once. */
  close(deadlineMs?: number): Promise<void>;
}

/** Version of this package. */
export const version: string = (
  JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
    version: string;
  }
).version;

const closeDeadlineMs = 10_000;

/**
 * Opens a collector.
 *
 * @throws CodedError of the store, the journal or the audit log that could not be opened
 */
export async function createCollector(options: CollectorOptions = {}): Promise<Collector> {
  const config = options.config ?? parseConfig({});
  const log = options.log ?? createLog(config.log);
  const opened: Close[] = [];
  try {
    const abort = new AbortController();
    const parts = await openParts({ config, log, options, opened, closing: abort.signal });
    opened.push(async () => abort.abort());
    const app = buildApp(parts, options.views ?? viewTable);
    // In read-only mode nothing is written beside the evidence, verdicts neither.
    if (options.judge !== false && !config.readOnly) {
      const judge = startJudge(parts, options.judge);
      opened.push(() => judge.close());
    }
    let closing: Promise<void> | undefined;
    return {
      app,
      config,
      store: parts.store,
      endStreams: () => abort.abort(),
      close: (deadlineMs = closeDeadlineMs) => (closing ??= closeAll(opened, deadlineMs)),
    };
  } catch (error) {
    await closeAll(opened, 0).catch(() => {});
    throw error;
  }
}

interface Opening {
  readonly config: Config;
  readonly log: Log;
  readonly options: CollectorOptions;
  readonly opened: Close[];
  readonly closing: AbortSignal;
}

async function openParts({ config, log, options, opened, closing }: Opening): Promise<Parts> {
  // Evidence is sensitive metadata: nobody else on this machine reads it.
  mkdirSync(config.dataDir, { recursive: true, mode: 0o700 });
  const persistent = config.backend !== "ephemeral";
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const identityKey = openIdentityKey(config.identityKey, config.dataDir);
  const typed = createTypedIdentity(identityKey);
  const credentials = createCredentials(config, typed);
  const { auditScope, pseudonymKey } = config;
  const pseudonyms = createPseudonyms({
    auditScope,
    ...(pseudonymKey === undefined ? {} : { key: parseKeyring(pseudonymKey)[0] }),
  });
  // The journal's lock comes first: it says in one sentence that the directory is in use.
  const opening = Promise.withResolvers<EvidenceStore>();
  opening.promise.catch(() => {});
  const producers = createThrottle(options.now);
  const ingest = await openReceiver({
    directory: join(config.dataDir, "journal"),
    store: opening.promise,
    authenticateIngest: createIngestDoor(config, isLoopback(config.host)),
    origins: config.origins,
    // A producer with an old token must not close the sign-in of people behind the same address.
    wrongCredential: (address) => producers.failed(address),
    identityKey,
    log,
    journalBytesMax: config.journalBytesMax,
    enabled: config.ingest === "on",
  });
  opened.push((deadlineMs) => ingest.close(deadlineMs));
  let audit: Audit | undefined;
  if (config.auditLog !== undefined) {
    const signer = createSigner(config.dataDir, config.auditScope);
    const at = { file: config.auditLog, keyring, pseudonyms, signer };
    audit = await openAudit(at).catch((error: unknown) => {
      // What the journal holds waits for a store that never comes.
      opening.reject(error);
      throw error;
    });
    opened.push(audit.close.bind(audit));
  }
  const store = options.store ?? (await openedStore(config, opening, log));
  opening.resolve(store);
  // Closed after everything that uses it.
  if (options.store === undefined) opened.unshift(() => store.close());
  const given = options.memory ?? (await openMemory(config));
  if (given !== undefined && options.memory === undefined) opened.unshift(() => given.close());
  const memory = operatorMemory(given, config.readOnly);
  const now = options.now ?? Date.now;
  const sessionsFile = persistent ? { file: join(config.dataDir, "sessions.json") } : {};
  const sessions = createSessions({ keyring, now, ...sessionsFile });
  const streams = createStreams({ sessions, credentials, closing });
  opened.push(async () => streams.close());
  if (config.accountsFile !== undefined) {
    const stop = watchAccounts(config.accountsFile, log, (accounts) => {
      const others = credentials.replaceAccounts(accounts);
      for (const name of others) sessions.endAll(name);
      streams.review();
      log.info("accounts_changed", { accounts: accounts.length, ended: others.length });
    });
    opened.push(async () => stop());
  }
  return {
    config,
    version,
    log,
    store: withMemoryRows(operatorStore(store, config.readOnly), memory),
    memory,
    ingest,
    keyring,
    credentials,
    sessions,
    streams,
    throttle: createThrottle(now),
    pseudonyms,
    audit,
    signer: await createStatementSigner(config.signingKey, persistent ? config.dataDir : undefined),
    hooks: options.hooks ?? {},
    typed,
    requests: createRequestMetrics(),
    cookieName: cookieNameOf(config.cookieSecure, config.basePath),
    now,
    closing,
  };
}

async function openedStore(
  config: Config,
  opening: PromiseWithResolvers<EvidenceStore>,
  log: Log,
): Promise<EvidenceStore> {
  try {
    return await openStore(config, { say: (sentence) => log.warn("configuration", { sentence }) });
  } catch (error) {
    opening.reject(error);
    throw error;
  }
}

/** Closes one part; a deadline in milliseconds bounds what it may still finish. */
type Close = (deadlineMs: number) => Promise<void>;

/** The last opened is closed first; one that fails does not keep the others open. */
async function closeAll(opened: Close[], deadlineMs: number): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.splice(0).toReversed()) {
    await close(deadlineMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function buildApp(parts: Parts, views: ViewTable): Hono<AppEnv> {
  const { config, log } = parts;
  const renderer = createRenderer({
    views,
    basePath: config.basePath,
    contentMode: config.contentMode,
    readOnly: config.readOnly,
    authConfigured: parts.credentials.configured,
    version: parts.version,
    ...(config.traceLink === undefined ? {} : { traceLink: config.traceLink }),
  });
  const app = new Hono<AppEnv>().basePath(config.basePath);
  app.use(async function requestScope(c, next) {
    c.set("requestId", randomUUID());
    c.set("renderer", renderer);
    c.set("route", "");
    c.set("typed", parts.typed);
    await next();
  });
  app.use(compress());
  app.use(noStore());
  app.use(parts.requests.middleware);
  app.use(
    gate({
      credentials: parts.credentials,
      sessions: parts.sessions,
      throttle: parts.throttle,
      audit: parts.audit,
      origins: config.origins,
      readOnly: config.readOnly,
      basePath: config.basePath,
      cookieName: parts.cookieName,
    }),
  );
  mountRoutes(app, parts);
  app.onError(createErrorHandler(log));
  app.notFound((c) => refuse(c, "not_found"));
  requireRules(app, config.basePath);
  return app;
}
