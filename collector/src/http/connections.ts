/**
 * @module Connections: what becomes of the requests of an HTTP listener at the bounds of its
 * sockets. Only when all are busy is a request answered with 503, and health is answered then too.
 * A client that is refused, at any part of its request, reads the answer (faults H10).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Code } from "@turnproof/semconv";

import { closeIdle, closeLingering, isClosing, lingerMs } from "./lingering-close.ts";
import { boundSockets } from "./sockets.ts";
import type { ConnectionBounds } from "./socket-room.ts";

/** A listening server. */
export interface Listening {
  readonly address: string;
  readonly port: number;
  readonly url: string;
  /** Accepts no more connections, lets requests finish within the deadline, then closes them. */
  close(deadlineMs?: number): Promise<void>;
}

/** Admission of a listener's requests. */
export interface Connections {
  /** Registers a request; false: too many are in progress, and it is answered with 503. */
  admit(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
}

/** Bounds the connections of a server; `answer` is what is sent for a request that is cut. */
export function boundConnections(
  server: Server,
  bounds: ConnectionBounds & { readonly unreadTimeoutMs: number },
  answer: (code: Code) => string,
): Connections {
  const sockets = boundSockets(server, bounds, (socket, last) => {
    if (last === "answered") closeIdle(socket, () => answer("overloaded"));
    else closeLingering(socket, last === "waits" ? answer("overloaded") : "");
  });
  const close = (socket: Socket, last?: string): void => {
    sockets.closes(socket);
    closeLingering(socket, last);
  };
  server.prependListener("connection", (socket: Socket) => {
    // Node closes with it after an answer that is the last one, also while a body is coming.
    socket.destroySoon = () => close(socket);
  });
  const answered = new WeakMap<Socket, ServerResponse>();
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (isClosing(socket)) return;
    const last = answered.get(socket);
    // An answer that has begun cannot be another one now.
    const begun = last !== undefined && last.headersSent && !last.writableFinished;
    if (error.code === "ECONNRESET" || !socket.writable || begun) socket.destroy();
    else close(socket, isAnswered(last) ? "" : malformed(error, answer));
  });
  return {
    admit(incoming, outgoing) {
      const { socket } = incoming;
      const unread = (): boolean => socket.writableLength > 0;
      answered.set(socket, outgoing);
      // Node counts bytes that the reader takes as activity.
      outgoing.setTimeout(bounds.unreadTimeoutMs, () => {
        if (unread()) socket.destroy();
      });
      const { admitted, end } = sockets.begin(socket, {
        complete: () => incoming.complete,
        unread,
        cut: (code) => {
          if (outgoing.headersSent) return void socket.destroy();
          if (isClosing(socket)) return;
          close(socket, answer(code));
          // The reader of the body receives no more of it.
          incoming.emit("aborted");
          end();
        },
      });
      outgoing.once("close", end);
      readToTheEnd(incoming, outgoing, close);
      return admitted;
    },
  };
}

/** Whether its request was answered before its last byte came, which is still being dropped. */
function isAnswered(outgoing: ServerResponse | undefined): boolean {
  return outgoing?.writableFinished === true && !outgoing.req.complete;
}

/** The answer to what is no request, and to one that did not come in time. */
function malformed({ code }: NodeJS.ErrnoException, answer: (code: Code) => string): string {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return answer("request_too_slow");
  if (code === "HPE_CHUNK_EXTENSIONS_OVERFLOW") return answer("body_too_large");
  if (code !== "HPE_HEADER_OVERFLOW") return answer("bad_request");
  return "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n\r\n";
}

/**
 * Reads and drops the rest of a refused request: closing the connection would break its sender's
 * pipe before the answer is read.
 */
function readToTheEnd(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  close: (socket: Socket) => void,
): void {
  outgoing.once("finish", () => {
    const { socket } = incoming;
    if (incoming.complete || socket.destroyed || isClosing(socket)) return;
    const cut = setTimeout(() => close(socket), lingerMs).unref();
    incoming.once("close", () => clearTimeout(cut));
    incoming.once("end", () => clearTimeout(cut));
    incoming.resume();
  });
}
