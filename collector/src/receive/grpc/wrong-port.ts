/**
 * @module Wrong port: handles OTLP/gRPC that was sent to the HTTP port, the most common mistake of
 * a new producer. Node's HTTP parser stops at the preface of HTTP/2; the connection is then
 * answered in gRPC, with a sentence that names the right port, which is logged too.
 */
import { createServer as createHttp2Server } from "node:http2";
import type { Http2Server, ServerHttp2Stream } from "node:http2";
import type { Server } from "node:http";
import type { Socket } from "node:net";

import type { Log } from "../../log.ts";
import { grpcCode, trailersOf } from "./grpc-status.ts";
import { boundSession, resetBounds, sessionBounds } from "./grpc-sessions.ts";

/** First bytes of an HTTP/2 connection without TLS. */
export const preface: Buffer = Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "latin1");

/** How long such a connection is kept, and the interval between two log lines, in milliseconds. */
const keptMs = 10_000;
const quietMs = 60_000;

/** Options of the answer. */
export interface WrongPortOptions {
  readonly log: Log;
  /** Port of OTLP/gRPC, or undefined while it is not served. */
  readonly grpcPort: () => number | undefined;
}

interface ParserError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

/** Makes an HTTP server answer gRPC. Node handles every other client error. */
export function answerGrpcOn(server: Server, options: WrongPortOptions): void {
  let http2: Http2Server | undefined;
  const emit = server.emit.bind(server) as (event: string, ...rest: unknown[]) => boolean;
  // A listener of `clientError` would have to repeat Node's handling of all other errors.
  server.emit = (event: string, ...rest: unknown[]): boolean => {
    const error = rest[0] as ParserError | undefined;
    if (event !== "clientError" || error?.code !== "HPE_PAUSED_H2_UPGRADE") {
      return emit(event, ...rest);
    }
    handOver(rest[1] as Socket, error, (http2 ??= createAnswerer(options)));
    return true;
  };
}

/** Passes the socket to another server, with the bytes that the parser had read. */
function handOver(socket: Socket, error: ParserError, http2: Http2Server): void {
  // Those of a close remain: they free the parser and the socket's place among the bounded ones.
  for (const event of ["data", "end", "drain", "error", "timeout"]) {
    socket.removeAllListeners(event);
  }
  socket.on("error", () => {});
  const cut = setTimeout(() => socket.destroy(), keptMs);
  socket.once("close", () => clearTimeout(cut));
  // As in Node's own upgrade: neither paused nor flowing, so that unshifted bytes are kept.
  (socket as { readableFlowing: boolean | null }).readableFlowing = null;
  const rest = error.rawPacket?.subarray(error.bytesParsed ?? 0) ?? Buffer.alloc(0);
  socket.unshift(Buffer.concat([preface, rest]));
  http2.emit("connection", socket);
}

function createAnswerer({ grpcPort, log }: WrongPortOptions): Http2Server {
  const http2 = createHttp2Server({ ...sessionBounds, ...resetBounds });
  const notify = rateLimited((sentence) => log.warn("grpc_on_http_port", { sentence }));
  http2.on("sessionError", () => {});
  http2.on("session", (session) => boundSession(session, keptMs, () => {}));
  http2.on("stream", (stream: ServerHttp2Stream) => {
    stream.on("error", () => {});
    const port = grpcPort();
    const where =
      port === undefined ? "OTLP/gRPC is not served here" : `send OTLP/gRPC to port ${port}`;
    const sentence = `This port takes OTLP/HTTP; ${where}.`;
    const status = { code: grpcCode.unimplemented, message: sentence };
    stream.respond(
      { ":status": 200, "content-type": "application/grpc", ...trailersOf(status) },
      { endStream: true },
    );
    stream.session?.close();
    notify(sentence);
  });
  return http2;
}

/** Writes a sentence at most once a minute: a misconfigured client retries with every batch. */
export function rateLimited(print: (sentence: string) => void): (sentence: string) => void {
  let statedAt = Number.NEGATIVE_INFINITY;
  return (sentence) => {
    if (performance.now() - statedAt < quietMs) return;
    statedAt = performance.now();
    print(sentence);
  };
}
