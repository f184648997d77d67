/**
 * @module A MongoDB database of its own for a test: on the server that `MONGODB_URI` names, where
 * it goes again afterwards, or on a server of the test's own.
 */
import { randomUUID } from "node:crypto";

import { MongoClient } from "mongodb";

import { startMongo } from "./mongodb.ts";
import type { MongoServer } from "./mongodb.ts";

/** The address of a real server; without one the tests bring their own. */
const uri = process.env["MONGODB_URI"];

/** What the provider is called in the name of a test: only a real server certifies. */
export const mongodbName: string = uri === undefined ? "mongodb (test server)" : "mongodb";

/** An empty database, named by its connection string. */
export interface NamedDatabase {
  readonly url: string;
  readonly name: string;
}

/** Databases on one server. */
export interface MongoDatabase extends NamedDatabase, AsyncDisposable {
  /** The test's own server, for what only it can show. */
  readonly own: MongoServer | undefined;
  /** Another empty database on the same server. */
  other(): NamedDatabase;
  /** Every document of a database, as one text. */
  stored(name: string): Promise<string>;
  /** Drops the databases. */
  close(): Promise<void>;
}

/** Opens a database of its own. */
export async function openMongo(): Promise<MongoDatabase> {
  const own = uri === undefined ? await startMongo() : undefined;
  const base = own?.url ?? uri ?? "";
  const made: NamedDatabase[] = [];
  const other = (): NamedDatabase => {
    const name = `turnproof_${randomUUID().replaceAll("-", "")}`;
    const database = { name, url: withDatabase(base, name) };
    made.push(database);
    return database;
  };
  const close = async (): Promise<void> => {
    if (own !== undefined) return own.close();
    await using client = await new MongoClient(base).connect();
    for (const { name } of made) await client.db(name).dropDatabase();
  };
  const stored = async (name: string): Promise<string> => {
    if (own !== undefined) return own.stored(name);
    await using client = await new MongoClient(base).connect();
    const collections = await client.db(name).collections();
    return JSON.stringify(await Promise.all(collections.map((one) => one.find().toArray())));
  };
  return { ...other(), own, other, stored, close, [Symbol.asyncDispose]: close };
}

/**
 * The connection string with another database; a principal signs in at the database that was named.
 */
function withDatabase(base: string, name: string): string {
  const [, server = "", path = "", query = ""] =
    /^([a-z+]+:\/\/[^/?]+)(\/[^?]*)?(\?.*)?$/.exec(base) ?? [];
  const isKnown = !server.includes("@") || query.includes("authSource=");
  const source = isKnown ? "" : `authSource=${path.slice(1) || "admin"}`;
  const options = [query.slice(1), source].filter((part) => part !== "").join("&");
  return `${server}/${name}${options === "" ? "" : `?${options}`}`;
}
