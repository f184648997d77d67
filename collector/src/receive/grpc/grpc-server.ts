/**
 * @module gRPC server: OTLP/gRPC on its own port, HTTP/2 without TLS (h2c). Connections are
 * bounded as on the HTTP server; an HTTP/1 client receives the number of the right port.
 */
import { createServer as createHttp2Server } from "node:http2";
import type { ServerHttp2Session } from "node:http2";
import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";

import { CodedError } from "@turnproof/semconv";

import type { Log } from "../../log.ts";
import type { Intake } from "../otlp/intake.ts";
import type { Listening } from "../../http/connections.ts";
import { closeLingering, isClosing, lingerMs } from "../../http/lingering-close.ts";
import { boundSockets } from "../../http/sockets.ts";
import { turnShare } from "../../http/turn-share.ts";
import { createGrpcServices } from "./grpc-services.ts";
import { boundSession, goAwayFrame, resetBounds, sessionBounds } from "./grpc-sessions.ts";
import { rateLimited, preface } from "./wrong-port.ts";

/** Intake of spans, and whether they are accepted at present. */
export interface GrpcReceiver {
  readonly intake: Intake;
  readonly serving: () => boolean;
}

/** Address and options of the listener. */
export interface GrpcListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly log: Log;
  /** Port of OTLP/HTTP, for the answer to a client on the wrong port. */
  readonly httpPort: number;
  /** Whether a peer may send without TLS; default: every peer. */
  readonly admits?: (peer: string | undefined) => boolean;
  readonly connectionsMax?: number;
  readonly connectionsPerAddressMax?: number;
  readonly sparesMax?: number;
  /** Milliseconds for a connection's first bytes, and for one call. */
  readonly prefaceTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

const defaults = {
  connectionsMax: 512,
  connectionsPerAddressMax: 384,
  prefaceTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  closeDeadlineMs: 10_000,
} as const;

/** Listens; rejects with `listen_failed` when the address is taken or not ours. */
export async function listenGrpc(
  receiver: GrpcReceiver,
  options: GrpcListenOptions,
): Promise<Listening> {
  const { log } = options;
  const notify = rateLimited((sentence) => log.warn("http_on_grpc_port", { sentence }));
  const sessions = new Set<ServerHttp2Session>();
  const http2 = createHttp2Server({ ...sessionBounds, ...resetBounds });
  const prefaceTimeoutMs = options.prefaceTimeoutMs ?? defaults.prefaceTimeoutMs;
  const requestTimeoutMs = options.requestTimeoutMs ?? defaults.requestTimeoutMs;
  http2.on("sessionError", () => {});
  http2.on("session", (session) => {
    sessions.add(session);
    session.once("close", () => sessions.delete(session));
    boundSession(session, prefaceTimeoutMs, () =>
      log.warn("grpc_connection_cut", { code: "overloaded" }),
    );
  });
  const sessionOf = new WeakMap<Socket, ServerHttp2Session>();
  const share = turnShare();
  const server = createServer({ noDelay: true }, (socket) => {
    const begin = (): void => {
      if (socket.destroyed || isClosing(socket)) return;
      // The event is emitted while the connection is passed on.
      http2.once("session", (session) => sessionOf.set(socket, session));
      http2.emit("connection", socket);
    };
    const pass = (): void => share(begin);
    sortOut(socket, pass, options, notify);
  });
  const bounds = {
    connectionsMax: options.connectionsMax ?? defaults.connectionsMax,
    connectionsPerAddressMax: options.connectionsPerAddressMax ?? defaults.connectionsPerAddressMax,
    ...(options.sparesMax === undefined ? {} : { sparesMax: options.sparesMax }),
  };
  const sockets = boundSockets(server, bounds, (socket) => turnAway(socket, sessionOf.get(socket)));
  http2.on("stream", createGrpcServices({ ...receiver, requestTimeoutMs, sockets, share }));
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
    close: (deadlineMs) => close(server, sessions, deadlineMs ?? defaults.closeDeadlineMs),
  };
}

/** HTTP/2 is passed to its server, anything else is answered and closed. */
function sortOut(
  socket: Socket,
  pass: () => void,
  options: GrpcListenOptions,
  notify: (sentence: string) => void,
): void {
  socket.on("error", () => {});
  if (options.admits?.(socket.remoteAddress) === false) {
    socket.destroy();
    return;
  }
  const late = setTimeout(
    () => closeLingering(socket, goAwayFrame),
    options.prefaceTimeoutMs ?? defaults.prefaceTimeoutMs,
  );
  socket.once("close", () => clearTimeout(late));
  socket.once("data", (first: Buffer) => {
    clearTimeout(late);
    const known = Math.min(first.length, preface.length);
    if (first.compare(preface, 0, known, 0, known) === 0) {
      socket.pause();
      socket.unshift(first);
      pass();
      return;
    }
    const sentence = `This port takes OTLP/gRPC; send OTLP/HTTP to port ${options.httpPort}.`;
    notify(sentence);
    const body = `${sentence}\n`;
    const head = [
      "HTTP/1.1 400 Bad Request",
      "Content-Type: text/plain",
      `Content-Length: ${body.length}`,
      "Connection: close",
    ];
    closeLingering(socket, `${head.join("\r\n")}\r\n\r\n${body}`);
  });
}

/** Ends a connection without a call: what its client sends now was not processed, by GOAWAY. */
function turnAway(socket: Socket, session: ServerHttp2Session | undefined): void {
  if (session === undefined) return closeLingering(socket, goAwayFrame);
  session.close();
  const cut = setTimeout(() => session.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(cut));
}

/** Accepts no more connections, lets calls finish within the deadline, then closes them. */
async function close(
  server: Server,
  sessions: ReadonlySet<ServerHttp2Session>,
  deadlineMs: number,
): Promise<void> {
  if (!server.listening) return;
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  for (const session of sessions) session.close();
  const cut = setTimeout(() => {
    for (const session of sessions) session.destroy();
  }, deadlineMs);
  await closed;
  clearTimeout(cut);
}
