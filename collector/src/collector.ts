/**
 * @module Collector: assembles the parts into one app that runs by itself or is mounted into
 * another Hono app, and closes them in order.
 */
import { randomUUID } from "node:crypto";

import { Hono } from "hono";
import { codeOf } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";

import { serverPlaceOf } from "./backend/store-places.ts";
import { createClientNetwork } from "./access/client-address.ts";
import { parseConfig } from "./config/read-config.ts";
import type { Config } from "./config/config.ts";
import { peerAddress } from "./http/environment.ts";
import type { AppContext, AppEnv } from "./http/environment.ts";
import { compress } from "./http/compress.ts";
import { createErrorHandler, refuse } from "./http/errors.ts";
import { followingAnswers } from "./http/following-answers.ts";
import { gate } from "./http/gate.ts";
import { noStore } from "./http/no-store.ts";
import { bufferedResponses } from "./http/buffered-responses.ts";
import { requireEndpoints } from "./http/endpoint.ts";
import type { GrpcReceiver } from "./receive/grpc/grpc-server.ts";
import { openAccount } from "./judge/evidence-account.ts";
import type { AccountKeeper } from "./judge/evidence-account.ts";
import { watchEvidence } from "./judge/evidence-watch.ts";
import { withdrawDamaged } from "./judge/withdrawn-proof.ts";
import { startJudge } from "./judge/judge.ts";
import { createLog } from "./log.ts";
import type { Parts } from "./parts.ts";
import { openParts } from "./opening.ts";
import type { Close, CollectorOptions } from "./opening-options.ts";
import { endpoints, mountRoutes, rendererOf } from "./pages/index.ts";

/** A running collector. */
export interface Collector {
  /** Routes under `config.basePath`; mount it with `host.route("/", collector.app)`. */
  readonly app: Hono<AppEnv>;
  readonly config: Config;
  readonly store: EvidenceStore;
  /** Receives spans; `listenGrpc` serves it over OTLP/gRPC. */
  readonly receiver: GrpcReceiver;
  /**
   * Ends streams that would never end by themselves, so that a server can finish its responses.
   */
  endStreams(): void;
  /** Drains and closes everything that this collector opened; once. */
  close(deadlineMs?: number): Promise<void>;
}

const closeDeadlineMs = 10_000;
/** Longest wait for the last count of events. */
const lastCountMsMax = 3_000;
/** After how long a server is counted again before events are gone; replicas of a cluster lag. */
const againMs = { alone: 5_000, cluster: 60_000 } as const;

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
    const app = buildApp(parts);
    const judges = options.judge !== false && !config.readOnly;
    if (config.backend !== "ephemeral" && options.store === undefined) {
      const account = await accountOf(parts);
      // Without a last count the account is that of a minute ago; a server may be away.
      const lastCount = async (deadlineMs: number): Promise<void> => {
        const ends = AbortSignal.timeout(Math.max(1, Math.min(deadlineMs, lastCountMsMax)));
        const late = new Promise((resolve) => ends.addEventListener("abort", resolve));
        // A count that fails leaves the one of a minute ago.
        await Promise.race([account?.count(ends).catch(() => {}), late]);
      };
      opened.push(lastCount);
      void watchEvidence(parts, parts.untimed, { withdraw: judges, account });
    }
    if (judges) {
      parts.damage.listen((roots) => {
        withdrawDamaged(parts.untimed, roots).catch((error: unknown) => {
          const code = codeOf(error);
          log.warn("verdicts_not_withdrawn", { code });
        });
      });
    }
    // In read-only mode nothing is written beside the evidence, not even verdicts.
    if (judges && parts.readers === undefined) {
      const onSettled = (sinceMs: number): void => parts.ledger?.signal(sinceMs);
      const judge = startJudge({ ...parts, store: parts.untimed }, { onSettled, ...options.judge });
      opened.push(() => judge.close());
    }
    let closing: Promise<void> | undefined;
    return {
      app,
      config,
      store: parts.store,
      receiver: parts.ingest,
      endStreams: () => abort.abort(),
      close: (deadlineMs = closeDeadlineMs) => (closing ??= closeAll(opened, deadlineMs)),
    };
  } catch (error) {
    // The error that stopped the start is thrown, not one of closing.
    await closeAll(opened, 0).catch(() => {});
    throw error;
  }
}

/** The account of what the store holds. */
async function accountOf({ config, signer, server, untimed }: Parts): Promise<AccountKeeper> {
  const { dataDir, readOnly } = config;
  const place = serverPlaceOf(config, server ?? undefined);
  const wait = config.clickhouseCluster === undefined ? againMs.alone : againMs.cluster;
  const of = { dataDir, signer, keeps: !readOnly, server: place };
  return openAccount(place === undefined ? of : { ...of, againMs: wait }, untimed);
}

/** Closes in reverse order of opening; one that fails does not keep the others open. */
async function closeAll(opened: Close[], deadlineMs: number): Promise<void> {
  const failures: unknown[] = [];
  for (const close of opened.splice(0).toReversed()) {
    await close(deadlineMs).catch((error: unknown) => failures.push(error));
  }
  if (failures.length > 0) throw failures[0];
}

function buildApp(parts: Parts): Hono<AppEnv> {
  const { config, log } = parts;
  const renderer = rendererOf(parts);
  const network = createClientNetwork(config.proxy);
  const app = new Hono<AppEnv>().basePath(config.basePath);
  // Loaded by the first request of an agent: it is a sixth of the program.
  const mcp = async (c: AppContext): Promise<Response> => {
    const { answerMcp } = await import("./mcp/answer-mcp.ts");
    return answerMcp(c, (request) => app.fetch(request, c.env), config);
  };
  app.use(async function requestScope(c, next) {
    c.set("requestId", randomUUID());
    c.set("renderer", renderer);
    c.set("route", "");
    c.set("typed", parts.typed);
    c.set("now", parts.now);
    c.set("mcp", mcp);
    c.set("client", network.clientOf(peerAddress(c), c.req.header("x-forwarded-for")));
    c.set("scheme", config.cookieSecure ? "https:" : "http:");
    await next();
  });
  app.use(followingAnswers(log));
  app.use(compress());
  app.use(noStore({ secure: config.cookieSecure }));
  app.use(parts.requests.middleware);
  app.use(
    gate({
      endpoints,
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
  app.use(bufferedResponses(endpoints, parts.streams));
  const { readers } = parts;
  if (readers !== undefined) {
    app.use(async function readElsewhere(c, next) {
      const isProcess = c.get("unrecorded") === true;
      if (endpoints[c.get("route")]?.reads === true && !isProcess) return readers.answer(c);
      return next();
    });
  }
  mountRoutes(app, parts);
  app.onError(createErrorHandler(log, parts.server));
  app.notFound((c) => refuse(c, "not_found"));
  requireEndpoints(app, config.basePath, endpoints);
  return app;
}
