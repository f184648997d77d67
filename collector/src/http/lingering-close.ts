/**
 * @module Lingering close: ends a socket so that its peer reads the last bytes. A close resets the
 * connection where bytes of the peer are unread or still to come, and a peer that is writing then
 * fails before it reads the answer. So the socket is half-closed first, and what comes is read and
 * dropped for a bounded time (RFC 9112, 9.6; faults H10).
 */
import type { Socket } from "node:net";

/** How long bytes are read and dropped after the last answer. */
export const lingerMs = 10_000;

const closing = new WeakSet<Socket>();

/**
 * Sends the last bytes, closes the writing side, and the socket when its peer does or time is up.
 */
export function closeLingering(socket: Socket, last: string | Uint8Array = ""): void {
  if (drop(socket)) socket.end(last);
}

/**
 * Closes a socket whose last request was answered. A request that arrived before, and was not read
 * yet, is answered: bytes that one poll of all sockets brings are of such a request. One that
 * arrives later reads the end of the connection in place of an answer, and its client may send it
 * again on another one (RFC 9112, 9.3.1 and 9.5).
 *
 * @param answer the bytes for such a request
 */
export function closeIdle(socket: Socket, answer: () => string): void {
  const { bytesRead } = socket;
  if (!drop(socket)) return;
  const close = (): void => void socket.end(socket.bytesRead > bytesRead ? answer() : "");
  // The rest of this poll, and the next one, which begins after this call.
  setImmediate(() => setImmediate(close));
}

/** Reads and drops what comes from now on, for a bounded time; false where that is done already. */
function drop(socket: Socket): boolean {
  if (closing.has(socket) || socket.destroyed) return false;
  closing.add(socket);
  // Nothing parses what is dropped; a listener of data takes the socket out of the parser's hands.
  for (const event of ["data", "end"]) socket.removeAllListeners(event);
  socket.on("error", () => {});
  socket.on("data", () => {});
  const cut = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once("close", () => clearTimeout(cut));
  socket.resume();
  return true;
}

/** Whether its last bytes have been sent. */
export function isClosing(socket: Socket): boolean {
  return closing.has(socket);
}
