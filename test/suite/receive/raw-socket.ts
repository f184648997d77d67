/** @module Raw sockets: what no HTTP client would send, byte for byte. */
import { connect } from "node:net";
import type { Socket } from "node:net";

/**
 * Sends the bytes and answers everything that comes until the server closes or time is up; `from`
 * is the sender's address.
 */
export function exchange(
  port: number,
  sent: string | Uint8Array,
  waitMs = 3_000,
  from = "127.0.0.1",
): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const target = { port, host: "127.0.0.1", localAddress: from };
    const socket = connect(target, () => socket.write(sent));
    const done = (): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(Buffer.concat(chunks).toString("latin1"));
    };
    const timer = setTimeout(done, waitMs);
    socket.on("data", (chunk) => {
      chunks.push(Buffer.from(chunk));
    });
    socket.on("close", done);
    socket.on("error", done);
  });
}

/** Status codes of all answers in a conversation. */
export function statuses(conversation: string): readonly number[] {
  return [...conversation.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map((match) => Number(match[1]));
}

/** A connected socket that sends nothing yet. */
export function open(port: number, from = "127.0.0.1"): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const target = { port, host: "127.0.0.1", localAddress: from };
    const socket = connect(target, () => resolve(socket));
    socket.on("error", reject);
  });
}
