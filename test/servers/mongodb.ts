/**
 * @module A test-only MongoDB on a socket: the handful of commands that the provider uses, answered
 * by `bson` and `mingo` over documents in memory, everything else refused. It certifies the driver's
 * traffic and our statements, not a server: set `MONGODB_URI` to run the same suite against one.
 */
import { createServer } from "node:net";
import type { AddressInfo, Socket } from "node:net";

import { serialize } from "bson";
import { Aggregator } from "mingo";

import { matcher, sorted } from "./mongo-match.ts";
import { read, readMessage, send } from "./mongo-wire.ts";
import type { Doc } from "./mongo-wire.ts";

/** What a principal may do, and what a search index looks like at the start. */
export interface MongoFaults {
  /** True: changes of search indexes are refused as unauthorized. */
  readonly refuseIndexUpdates?: boolean;
  /** True: the server has search; otherwise its commands are unknown, as in a plain server. */
  readonly search?: boolean;
}

/** A running test server. */
export interface MongoServer extends AsyncDisposable {
  readonly url: string;
  /** Command names in the order in which they came. */
  readonly commands: readonly string[];
  /** Every filter that reached the server, as it came. */
  readonly filters: readonly unknown[];
  /** Gives a collection a vector index; `fields` as in its definition. */
  defineSearchIndex(collection: string, name: string, fields: readonly Doc[]): void;
  set(faults: MongoFaults): void;
  /** Documents of a collection, for a test that looks behind the provider. */
  documents(database: string, collection: string): Doc[];
  /** Every document of a database, as one text. */
  stored(database: string): string;
  close(): Promise<void>;
}

interface Collection {
  readonly documents: Doc[];
  readonly unique: { readonly fields: readonly string[]; readonly partial: Doc | undefined }[];
}

class CommandError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The documents and commands of one server. */
class Engine {
  readonly commands: string[] = [];
  readonly filters: unknown[] = [];
  readonly search = new Map<string, { name: string; fields: Doc[] }>();
  readonly #collections = new Map<string, Collection>();
  #ids = 0;
  faults: MongoFaults = {};

  collection(database: string, name: string): Collection {
    const key = `${database}.${name}`;
    const found = this.#collections.get(key) ?? { documents: [], unique: [] };
    this.#collections.set(key, found);
    return found;
  }

  stored(database: string): string {
    const own = [...this.#collections].filter(([key]) => key.startsWith(`${database}.`));
    return JSON.stringify(own.map(([key, { documents }]) => [key, documents]));
  }

  run(command: Doc): Doc {
    const name = Object.keys(command)[0] ?? "";
    this.commands.push(name);
    const handler = handlers[name];
    if (handler === undefined) throw new CommandError(59, `no such command: '${name}'`);
    const database = typeof command["$db"] === "string" ? command["$db"] : "test";
    const target = typeof command[name] === "string" ? command[name] : "";
    return { ok: 1, ...handler(this, this.collection(database, target), command, target) };
  }

  select(collection: Collection, filter: unknown): Doc[] {
    const given = (filter ?? {}) as Doc;
    this.filters.push(given);
    const test = matcher(given);
    return collection.documents.filter((document) => test(document));
  }

  insert(collection: Collection, document: Doc): void {
    document["_id"] ??= `id-${(this.#ids += 1)}`;
    this.checkUnique(collection, document, undefined);
    collection.documents.push(document);
  }

  checkUnique(collection: Collection, document: Doc, self: Doc | undefined): void {
    const rules = [{ fields: ["_id"], partial: undefined }, ...collection.unique];
    for (const { fields, partial } of rules) {
      if (partial !== undefined && !matcher(partial)(document)) continue;
      const clash = collection.documents.some(
        (other) =>
          other !== self &&
          (partial === undefined || matcher(partial)(other)) &&
          fields.every((field) => (other[field] ?? null) === (document[field] ?? null)),
      );
      if (clash) throw new CommandError(11_000, "duplicate key");
    }
  }

  /** Applies the only changes that the provider makes. */
  change(collection: Collection, document: Doc, change: Doc, inserted: boolean): void {
    const next = { ...document };
    for (const [operator, fields] of Object.entries(change) as [string, Doc][]) {
      const apply = operators[operator];
      if (apply === undefined) throw new CommandError(9, "operator");
      for (const [field, value] of Object.entries(fields)) {
        if (operator !== "$setOnInsert") next[field] = apply(document[field], value);
      }
    }
    if (inserted) Object.assign(next, change["$setOnInsert"]);
    this.checkUnique(collection, next, document);
    Object.assign(document, next);
  }

  upsert(collection: Collection, filter: Doc, change: Doc): Doc {
    const document: Doc = {};
    this.change(collection, Object.assign(document, equalities(filter)), change, true);
    this.insert(collection, document);
    return document;
  }
}

/** What an operator makes of a field. */
const operators: { readonly [name: string]: (held: unknown, value: unknown) => unknown } = {
  $set: (_held, value) => value,
  $setOnInsert: (_held, value) => value,
  $inc: (held, by) => Number(held ?? 0) + Number(by),
  $min: (held, value) => (held === undefined ? value : Math.min(Number(held), Number(value))),
  $max: (held, value) => (held === undefined ? value : Math.max(Number(held), Number(value))),
  $addToSet: (held, value) => [
    ...new Set([...((held ?? []) as unknown[]), ...(value as { $each: unknown[] }).$each]),
  ],
};

/** Fields that an upsert takes from its filter. */
function equalities(filter: Doc): Doc {
  const found: Doc = {};
  for (const [field, condition] of Object.entries(filter)) {
    if (field === "$and")
      for (const part of condition as Doc[]) Object.assign(found, equalities(part));
    else if (typeof condition === "object" && condition !== null && "$eq" in condition)
      found[field] = condition.$eq;
  }
  return found;
}

type Handler = (engine: Engine, collection: Collection, command: Doc, name: string) => Doc;

const hello = (): Doc => ({
  helloOk: true,
  ismaster: true,
  isWritablePrimary: true,
  maxBsonObjectSize: 16_777_216,
  maxMessageSizeBytes: 48_000_000,
  maxWriteBatchSize: 100_000,
  localTime: new Date(),
  logicalSessionTimeoutMinutes: 30,
  minWireVersion: 0,
  maxWireVersion: 25,
  readOnly: false,
});

const cursor = (batch: readonly unknown[]): Doc => ({
  cursor: { id: 0n, ns: "test.c", firstBatch: batch },
});

const handlers: { readonly [command: string]: Handler } = {
  hello,
  ismaster: hello,
  ping: () => ({}),
  endSessions: () => ({}),
  killCursors: () => ({}),
  createIndexes: (_, collection, command) => {
    for (const index of command["indexes"] as Doc[]) {
      if (index["unique"] !== true) continue;
      const partial = index["partialFilterExpression"] as Doc | undefined;
      collection.unique.push({ fields: Object.keys(index["key"] as Doc), partial });
    }
    return {};
  },
  insert: (engine, collection, command) => {
    const writeErrors: Doc[] = [];
    let n = 0;
    for (const [index, document] of (command["documents"] as Doc[]).entries()) {
      try {
        engine.insert(collection, document);
        n += 1;
      } catch (error) {
        writeErrors.push({ index, code: (error as CommandError).code, errmsg: "duplicate key" });
        if (command["ordered"] !== false) break;
      }
    }
    return writeErrors.length === 0 ? { n } : { n, writeErrors };
  },
  find: (engine, collection, command) => {
    const found = sorted(engine.select(collection, command["filter"]), command["sort"] as Doc);
    const limit = Number(command["limit"] ?? 0);
    return cursor(limit > 0 ? found.slice(0, limit) : found);
  },
  distinct: (engine, collection, command) => ({
    values: [
      ...new Set(
        engine.select(collection, command["query"]).map((doc) => doc[String(command["key"])]),
      ),
    ],
  }),
  update: (engine, collection, command) => {
    let n = 0;
    const upserted: Doc[] = [];
    for (const [index, { q, u, multi, upsert }] of (command["updates"] as Doc[]).entries()) {
      const found = engine.select(collection, q);
      for (const document of multi === true ? found : found.slice(0, 1)) {
        engine.change(collection, document, u as Doc, false);
        n += 1;
      }
      if (found.length === 0 && upsert === true) {
        upserted.push({ index, _id: engine.upsert(collection, q as Doc, u as Doc)["_id"] });
      }
    }
    return { n: n + upserted.length, nModified: n, ...(upserted.length === 0 ? {} : { upserted }) };
  },
  delete: (engine, collection, command) => {
    let n = 0;
    for (const { q, limit } of command["deletes"] as Doc[]) {
      const found = engine.select(collection, q);
      for (const document of limit === 1 ? found.slice(0, 1) : found) {
        collection.documents.splice(collection.documents.indexOf(document), 1);
        n += 1;
      }
    }
    return { n };
  },
  findAndModify: (engine, collection, command) => {
    const [found] = engine.select(collection, command["query"]);
    const change = command["update"] as Doc;
    if (found !== undefined) {
      engine.change(collection, found, change, false);
      return { value: found, lastErrorObject: { n: 1, updatedExisting: true } };
    }
    if (command["upsert"] !== true) return { value: null };
    const value = engine.upsert(collection, command["query"] as Doc, change);
    return { value, lastErrorObject: { n: 1, updatedExisting: false } };
  },
  aggregate: (engine, collection, command, name) => {
    const pipeline = command["pipeline"] as Doc[];
    if (pipeline[0]?.["$listSearchIndexes"] !== undefined) return cursor(listed(engine, name));
    let documents: Doc[] = [...collection.documents];
    for (const stage of pipeline) {
      const near = stage["$vectorSearch"] as Doc | undefined;
      if (near !== undefined) documents = vectorStage(engine, documents, near, name);
      // Matching and sorting are ours, for the order of bytes.
      else if ("$match" in stage) {
        const test = matcher(stage["$match"] as Doc);
        engine.filters.push(stage["$match"]);
        documents = documents.filter((document) => test(document));
      } else if ("$sort" in stage) documents = sorted(documents, stage["$sort"] as Doc);
      else documents = new Aggregator([stage] as never).run(documents);
    }
    return cursor(documents);
  },
  updateSearchIndex: (engine, _, command, name) => {
    if (engine.faults.search !== true) throw new CommandError(59, "no such command");
    if (engine.faults.refuseIndexUpdates === true) throw new CommandError(13, "not authorized");
    const fields = (command["definition"] as { fields: Doc[] }).fields;
    engine.search.set(name, { name: String(command["name"]), fields });
    return {};
  },
};

function listed(engine: Engine, name: string): readonly Doc[] {
  if (engine.faults.search !== true) throw new CommandError(31_082, "search is not enabled");
  const index = engine.search.get(name);
  return index === undefined
    ? []
    : [{ name: index.name, type: "vectorSearch", latestDefinition: { fields: index.fields } }];
}

/** Exact search under the filter; a filter on a field that the index lacks is an error, as it is. */
function vectorStage(engine: Engine, documents: readonly Doc[], stage: Doc, name: string): Doc[] {
  const fields = engine.search.get(name)?.fields ?? [];
  const filter = (stage["filter"] ?? {}) as Doc;
  engine.filters.push(filter);
  for (const field of Object.keys(filter)) {
    if (!fields.some(({ type, path }) => type === "filter" && path === field)) {
      throw new CommandError(8, `Path '${field}' needs to be indexed as filter`);
    }
  }
  const query = stage["queryVector"] as number[];
  const test = matcher(filter);
  const near = documents.filter(
    (document) => test(document) && Array.isArray(document["embedding"]),
  );
  const score = (document: Doc): number => {
    const own = document["embedding"] as number[];
    const dot = own.reduce((sum, value, at) => sum + value * (query[at] ?? 0), 0);
    return dot / (Math.hypot(...own) * Math.hypot(...query) || 1);
  };
  return near.toSorted((a, b) => score(b) - score(a)).slice(0, Number(stage["limit"]));
}

function answer(engine: Engine, command: Doc): Doc {
  try {
    return engine.run(command);
  } catch (error) {
    const code = error instanceof CommandError ? error.code : 1;
    return {
      ok: 0,
      code,
      codeName: "Refused",
      errmsg: error instanceof Error ? error.message : "",
    };
  }
}

function serve(engine: Engine, socket: Socket): void {
  let pending = Buffer.alloc(0);
  socket.on("error", () => socket.destroy());
  socket.on("data", (chunk: string | Buffer) => {
    pending = Buffer.concat([pending, Buffer.from(chunk)]);
    while (pending.length >= 16 && pending.length >= pending.readInt32LE(0)) {
      const size = pending.readInt32LE(0);
      const message = pending.subarray(0, size);
      pending = pending.subarray(size);
      reply(engine, socket, message);
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
    const document = serialize(answer(engine, command));
    const head = Buffer.alloc(20);
    head.writeInt32LE(1, 16);
    send(socket, 1, request, Buffer.concat([head, document]));
    return;
  }
  const { command, silent } = readMessage(message.subarray(16));
  const document = serialize(answer(engine, command));
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
    defineSearchIndex: (collection, name, fields) => {
      engine.search.set(collection, { name, fields: [...fields] });
    },
    set: (next) => {
      engine.faults = next;
    },
    documents: (database, collection) => engine.collection(database, collection).documents,
    stored: (database) => engine.stored(database),
    close,
    [Symbol.asyncDispose]: close,
  };
}
