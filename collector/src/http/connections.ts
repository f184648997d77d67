/**
 * @module Connections: what becomes of the requests of an HTTP listener at the bounds of its
 * sockets. Only when all are busy is a request answered with 503, and health is answered then too
 * (faults H10).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Code } from "@turnproof/semconv";

import { boundSockets } from "./sockets.ts";
import type { ConnectionBounds } from "./sockets.ts";

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

/** How long the rest of a refused body is read, so that its sender reads the answer. */
const lingerMs = 10_000;

/** Bounds the connections of a server; `answer` is what is sent for a request that is cut. */
export function boundConnections(
  server: Server,
  bounds: ConnectionBounds & { readonly unreadTimeoutMs: number },
  answer: (code: Code) => string,
): Connections {
  const sockets = boundSockets(server, bounds);
  return {
    admit(incoming, outgoing) {
      const { socket } = incoming;
      const unread = (): boolean => socket.writableLength > 0;
      // Node counts bytes that the reader takes as activity.
      outgoing.setTimeout(bounds.unreadTimeoutMs, () => {
        if (unread()) socket.destroy();
      });
      const { admitted, end } = sockets.begin(socket, {
        complete: () => incoming.complete,
        unread,
        cut: (code) => {
          if (outgoing.headersSent) socket.destroy();
          else if (!socket.writableEnded) socket.end(answer(code), () => socket.destroy());
        },
      });
      outgoing.once("close", end);
      readToTheEnd(incoming, outgoing);
      return admitted;
    },
  };
}

/**
 * Reads and drops the rest of a refused request: closing the connection would break its sender's
 * pipe before the answer is read.
 */
function readToTheEnd(incoming: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.once("finish", () => {
    if (incoming.complete || incoming.socket.destroyed) return;
    const { socket } = incoming;
    const cut = setTimeout(() => socket.destroy(), lingerMs).unref();
    incoming.once("close", () => clearTimeout(cut));
    incoming.once("end", () => clearTimeout(cut));
    incoming.resume();
  });
}
