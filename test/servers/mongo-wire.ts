/**
 * @module The wire of MongoDB's protocol, as much of it as a driver uses with the test server: the
 * body of an OP_MSG with its sections, and the frame of an answer.
 */
import type { Socket } from "node:net";

import { deserialize } from "bson";

/** A document as it stands on the wire. */
export type Doc = Record<string, unknown>;

/** The body of an OP_MSG: its document, with the sequences of its other sections. */
export function readMessage(body: Buffer): { readonly command: Doc; readonly silent: boolean } {
  const flags = body.readUInt32LE(0);
  const end = body.length - ((flags & 1) === 1 ? 4 : 0);
  const command: Doc = {};
  for (let at = 4; at < end;) {
    const kind = body[at];
    const size = body.readInt32LE(at + 1);
    if (kind === 0) Object.assign(command, read(body.subarray(at + 1, at + 1 + size)));
    else {
      const nameEnd = body.indexOf(0, at + 5);
      const documents: Doc[] = [];
      for (let next = nameEnd + 1; next < at + 1 + size;) {
        const length = body.readInt32LE(next);
        documents.push(read(body.subarray(next, next + length)));
        next += length;
      }
      command[body.toString("utf8", at + 5, nameEnd)] = documents;
    }
    at += 1 + size;
  }
  return { command, silent: (flags & 2) === 2 };
}

/** One document. */
export const read = (bytes: Buffer): Doc =>
  deserialize(bytes, { useBigInt64: false, promoteValues: true });

/** Sends a document as the answer to a request. */
export function send(socket: Socket, opcode: number, responseTo: number, body: Buffer): void {
  const head = Buffer.alloc(16);
  head.writeInt32LE(16 + body.length, 0);
  head.writeInt32LE(responseTo, 8);
  head.writeInt32LE(opcode, 12);
  socket.write(Buffer.concat([head, body]));
}
