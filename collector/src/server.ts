/**
 * @module Server: one HTTP listener with all of Node's limits, the edge checks before the app, and
 * a close that finishes requests in progress (faults H10, H11, W9).
 */
import { randomInt, randomUUID } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { getRequestListener } from "@hono/node-server";
import { CodedError, codeOf } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";

import { answerGrpcOn } from "./receive/grpc/wrong-port.ts";
import { boundConnections } from "./http/connections.ts";
import type { Connections, Listening } from "./http/connections.ts";
import { watchDescriptors } from "./http/descriptors.ts";
import { createEdge } from "./http/edge.ts";
import { continueOnRead } from "./http/expect-continue.ts";
import { isClosing } from "./http/lingering-close.ts";
import { answersInOrder } from "./http/pipelined.ts";
import { problemOf } from "./http/problem.ts";
import { securityHeaders } from "./http/no-store.ts";
import { statusTexts } from "./http/status-texts.ts";
import { turnShare } from "./http/turn-share.ts";
import type { Log } from "./log.ts";

/** Anything with Hono's `fetch`. */
export interface FetchApp {
  fetch(request: Request, bindings: object): Response | Promise<Response>;
}

/** Address and options of the listener. */
export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Log;
  /** Port of OTLP/gRPC, for the answer to gRPC sent here; undefined while it is not served. */
  readonly grpcPort?: () => number | undefined;
  /** Whether a peer may send over plain HTTP; default: every peer. */
  readonly admits?: (peer: string | undefined) => boolean;
  /** Host names accepted besides loopback and `host`. */
  readonly names?: readonly string[];
  /** Most concurrent connections, in total and from one address. */
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  /** Most connections beyond these that are kept in order to be answered. */
  readonly sparesMax?: number;
  /**
   * Timeouts in milliseconds of a request's headers and of the whole request, and between two
   * checks.
   */
  readonly headersTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  readonly checkIntervalMs?: number;
  /** After how long an answer ends of which its reader takes nothing, in milliseconds. */
  readonly unreadTimeoutMs?: number;
}

const defaults = {
  connectionsMax: 1_024,
  connectionsPerAddressMax: 768,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  checkIntervalMs: 5_000,
  unreadTimeoutMs: 60_000,
  closeDeadlineMs: 10_000,
} as const;

/**
 * Listens. Rejects with `listen_failed` when the address is taken or not ours; the configuration
 * has decided whether a non-loopback address may be served.
 */
export async function listen(app: FetchApp, options: ListenOptions): Promise<Listening> {
  const server = createServer({
    headersTimeout: options.headersTimeoutMs ?? defaults.headersTimeoutMs,
    requestTimeout: options.requestTimeoutMs ?? defaults.requestTimeoutMs,
    connectionsCheckingInterval: options.checkIntervalMs ?? defaults.checkIntervalMs,
    keepAliveTimeout: 60_000,
    maxHeaderSize: 8_192,
    insecureHTTPParser: false,
    requireHostHeader: true,
    noDelay: true,
  });
  server.maxHeadersCount = 64;
  const bounds = {
    connectionsMax: options.connectionsMax ?? defaults.connectionsMax,
    connectionsPerAddressMax: options.connectionsPerAddressMax ?? defaults.connectionsPerAddressMax,
    unreadTimeoutMs: options.unreadTimeoutMs ?? defaults.unreadTimeoutMs,
    ...(options.sparesMax === undefined ? {} : { sparesMax: options.sparesMax }),
  };
  const connections = boundConnections(server, bounds, refusalText);
  let arrived = 0;
  server.prependListener("connection", () => (arrived += 1));
  const handle = requestHandler(app, { connections, arrivals: () => arrived }, options);
  server.on("request", handle);
  continueOnRead(server, handle);
  server.once("close", watchDescriptors(options.log));
  answerGrpcOn(server, { log: options.log, grpcPort: options.grpcPort ?? (() => undefined) });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (cause) => reject(new CodedError("listen_failed", { cause })));
    server.listen(options.port, options.host, resolve);
  });
  const { address, port } = server.address() as AddressInfo;
  const shown = address.includes(":") ? `[${address}]` : address;
  return {
    address,
    port,
    url: `http://${shown}:${port}`,
    close: (deadlineMs) => close(server, deadlineMs ?? defaults.closeDeadlineMs),
  };
}

type Handler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** The edge first, then the app; any error of the app becomes a code and a request id. */
function requestHandler(
  app: FetchApp,
  { connections, arrivals }: { readonly connections: Connections; readonly arrivals: () => number },
  options: ListenOptions,
): Handler {
  const edge = createEdge({
    host: options.host,
    admits: options.admits,
    ...(options.names === undefined ? {} : { names: options.names }),
  });
  const failed = (error: unknown): Response => {
    const requestId = randomUUID();
    options.log.error("request_failed", {
      code: codeOf(error),
      request_id: requestId,
    });
    return Response.json(problemOf("internal_error", requestId), {
      status: 500,
      headers: refusalHeaders,
    });
  };
  const respond = getRequestListener((request, bindings) => app.fetch(request, bindings), {
    errorHandler: failed,
    // The rest of a body is read as long as its sender needs, see Connections.
    autoCleanupIncoming: false,
  });
  const share = turnShare(arrivals);
  const inOrder = answersInOrder();
  return (incoming, outgoing) => {
    const admitted = connections.admit(incoming, outgoing);
    const answer = (): void => {
      // While it waited for its turn its sender may have left, or been too slow.
      if (outgoing.destroyed || incoming.destroyed || isClosing(incoming.socket)) return;
      const code = edge(incoming);
      if (code !== undefined) refuse(outgoing, code);
      else if (admitted || isHealthRequest(incoming)) void respond(incoming, outgoing);
      else refuse(outgoing, "overloaded");
    };
    const begin = isHealthRequest(incoming) ? answer : () => share(answer);
    inOrder(incoming.socket, outgoing, begin);
  };
}

/** Health requests are answered under any load. */
function isHealthRequest({ url = "" }: IncomingMessage): boolean {
  return /\/(?:healthz|readyz(?:\/store)?)$/.test(url);
}

const refusalHeaders = {
  ...securityHeaders,
  "Content-Type": "application/problem+json; charset=UTF-8",
  "Cache-Control": "no-store",
} as const;

/** Answers without the app. */
function refuse(outgoing: ServerResponse, code: Code): void {
  const asPage = /\btext\/html\b/.test(outgoing.req.headers.accept ?? "");
  const { status, headers, body } = refusalOf(code, asPage);
  // Closing while a body is being sent would break its sender's pipe before the answer.
  const last = outgoing.req.complete ? { Connection: "close" } : {};
  outgoing.writeHead(status, { ...headers, ...last });
  outgoing.end(body);
}

/** The bytes of an answer to a request whose own response cannot be used any more. */
function refusalText(code: Code): string {
  const { status, headers, body } = refusalOf(code);
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`HTTP/1.1 ${status} ${statusTexts(status)}`, ...lines, "Connection: close"];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** As JSON, or as a page of its sentence where a browser sent the request. */
function refusalOf(
  code: Code,
  asPage = false,
): { status: number; headers: Record<string, string>; body: string } {
  const problem = problemOf(code, randomUUID());
  const body = asPage ? pageOf(problem) : JSON.stringify(problem);
  const headers = {
    ...refusalHeaders,
    ...(asPage ? { "Content-Type": "text/html; charset=UTF-8" } : {}),
    "X-Request-Id": problem.request_id,
    "Content-Length": String(Buffer.byteLength(body)),
    ...(problem.status === 503 ? { "Retry-After": String(randomInt(1, 6)) } : {}),
  };
  return { status: problem.status, headers, body };
}

/** Without the app there are neither styles nor links; nothing of the request is in it. */
function pageOf({ title, detail, request_id }: ReturnType<typeof problemOf>): string {
  return (
    `<!doctype html><html lang="en"><title>${title} · Turnproof</title>` +
    `<h1>${title}</h1><p>${detail}</p><p>Request ${request_id}</p></html>`
  );
}

async function close(server: Server, deadlineMs: number): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const cut = setTimeout(() => server.closeAllConnections(), deadlineMs);
  // A keep-alive connection becomes idle only after its last answer.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await closed;
  clearTimeout(cut);
  clearInterval(sweep);
}
