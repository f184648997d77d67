/**
 * @module A test-only MongoDB on a socket: the handful of commands that the provider uses, answered
 * by `bson` and `mingo` over documents in memory, everything else refused. It enforces what a real
 * one enforces (grammar, sizes, unique keys, cursors, retried writes, the states of search indexes)
 * and certifies the driver's traffic and our statements, not a server: set `MONGODB_URI` to run the
 * same suites against one.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import { serialize } from "bson";

import { Engine, LostAnswer } from "./mongo-engine.ts";
import type { MongoFaults } from "./mongo-engine.ts";
import { read, readMessage, send } from "./mongo-wire.ts";
import type { Doc } from "./mongo-wire.ts";

export type { MongoFaults } from "./mongo-engine.ts";

/** Bytes of a message at most. */
const messageBytesMax = 48_000_000;

/** A running test server. */
export interface MongoServer extends AsyncDisposable {
  readonly url: string;
  /** Command names in the order in which they came. */
  readonly commands: readonly string[];
  /** Every filter that reached the server, as it came. */
  readonly filters: readonly unknown[];
  /** What of the commands was outside of MongoDB's documented grammar; each was refused. */
  readonly violations: readonly string[];
  /** Gives a collection a vector index in every database; `fields` as in its definition. */
  defineSearchIndex(
    collection: string,
    name: string,
    fields: readonly Doc[],
    state?: { readonly status: string; readonly queryable: boolean },
  ): void;
  /** Search indexes that are being built are ready from now on. */
  finishBuilding(): void;
  /** Cursors that wait for their `getMore`. */
  openCursors(): number;
  set(faults: MongoFaults): void;
  /** Documents of a collection, for a test that looks behind the provider. */
  documents(database: string, collection: string): Doc[];
  /** Every document of a database, as one text. */
  stored(database: string): string;
  close(): Promise<void>;
}

function serve(engine: Engine, socket: Socket): void {
  let chunks: Buffer[] = [];
  let held = 0;
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string | Buffer) => {
    chunks.push(Buffer.from(chunk));
    held += chunk.length;
    while (held >= 16) {
      const first = chunks[0] as Buffer;
      let pending = first.length >= 16 ? first : Buffer.concat(chunks);
      const size = pending.readInt32LE(0);
      // A message that is too large ends the connection, as it does at a real server.
      if (size > messageBytesMax) return void socket.destroy();
      if (held < size) return;
      if (pending.length < size) pending = Buffer.concat(chunks);
      else if (pending === first && chunks.length > 1) pending = Buffer.concat(chunks);
      chunks = pending.length > size ? [pending.subarray(size)] : [];
      held = pending.length - size;
      try {
        reply(engine, socket, pending.subarray(0, size));
      } catch (error) {
        if (!(error instanceof LostAnswer)) throw error;
        return void socket.destroy();
      }
    }
  });
}

function reply(engine: Engine, socket: Socket, message: Buffer): void {
  const request = message.readInt32LE(4);
  const opcode = message.readInt32LE(12);
  if (opcode === 2004) {
    const name = message.indexOf(0, 20);
    const at = name + 9;
    const command = read(message.subarray(at, at + message.readInt32LE(at)));
    const document = serialize(engine.answer(command));
    const head = Buffer.alloc(20);
    head.writeInt32LE(1, 16);
    send(socket, 1, request, Buffer.concat([head, document]));
    return;
  }
  const { command, silent } = readMessage(message.subarray(16));
  const document = serialize(engine.answer(command));
  if (!silent) send(socket, 2013, request, Buffer.concat([Buffer.alloc(5), document]));
}

/** Starts a server on a free port of 127.0.0.1. */
export async function startMongo(faults: MongoFaults = {}): Promise<MongoServer> {
  const engine = new Engine();
  engine.faults = faults;
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    serve(engine, socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return {
    url: `mongodb://127.0.0.1:${port}`,
    commands: engine.commands,
    filters: engine.filters,
    violations: engine.violations,
    defineSearchIndex(collection, name, fields, state = { status: "READY", queryable: true }) {
      const index = { name, type: "vectorSearch", fields: [...fields], ...state };
      const held = engine.everywhere.get(collection) ?? new Map();
      engine.everywhere.set(collection, held.set(name, index));
      engine.renew(collection, index);
    },
    finishBuilding: () => engine.finishBuilding(),
    openCursors: () => engine.cursors.size,
    set: (next) => {
      engine.faults = next;
    },
    documents: (database, collection) => engine.collection(database, collection).documents,
    stored: (database) => engine.stored(database),
    close,
    [Symbol.asyncDispose]: close,
  };
}
