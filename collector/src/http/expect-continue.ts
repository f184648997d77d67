/**
 * @module Expect continue: a client that waits for 100 before it sends a body receives it when the
 * body is read, and not before: a refused one is spared the body (RFC 9110, 10.1.1).
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Passes such requests to the handler of all others. */
export function continueOnRead(
  server: Server,
  handle: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): void {
  server.on("checkContinue", (incoming, outgoing) => {
    const read = incoming._read.bind(incoming);
    let isSent = false;
    incoming._read = (size) => {
      if (!isSent && !outgoing.headersSent && !outgoing.destroyed) outgoing.writeContinue();
      isSent = true;
      read(size);
    };
    handle(incoming, outgoing);
  });
}
