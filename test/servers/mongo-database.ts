/**
 * @module A MongoDB database of its own for a test: on the server that `MONGODB_URI` names, where it
 * goes again afterwards, or on a server of the test's own.
 */
import { randomUUID } from "node:crypto";

import { MongoClient } from "mongodb";

import { startMongo } from "./mongodb.ts";

/** The address of a real server; without one the tests bring their own. */
export const mongodbUri: string | undefined = process.env["MONGODB_URI"];

/** What the provider is called in the name of a test: only a real server certifies. */
export const mongodbName: string = mongodbUri === undefined ? "mongodb (test server)" : "mongodb";

/** An empty database. */
export interface MongoDatabase extends AsyncDisposable {
  /** Its connection string, with the database in it. */
  readonly url: string;
  readonly name: string;
  /** The same server, another database: dropped with the first. */
  other(): { readonly url: string; readonly name: string };
  /** Every document of the databases, as one text. */
  stored(name: string): Promise<string>;
  close(): Promise<void>;
}

/** Opens a database that nobody else uses. */
export async function openMongo(): Promise<MongoDatabase> {
  const own = mongodbUri === undefined ? await startMongo() : undefined;
  const made: string[] = [];
  const other = (): { readonly url: string; readonly name: string } => {
    const address = new URL(own?.url ?? mongodbUri ?? "");
    const name = `turnproof_${randomUUID().replaceAll("-", "")}`;
    made.push(name);
    address.pathname = `/${name}`;
    return { url: address.href, name };
  };
  const close = async (): Promise<void> => {
    if (own !== undefined) return own.close();
    const client = await new MongoClient(mongodbUri ?? "").connect();
    for (const name of made) await client.db(name).dropDatabase();
    await client.close();
  };
  const database = other();
  const stored = async (name: string): Promise<string> => {
    if (own !== undefined) return own.stored(name);
    await using client = await new MongoClient(mongodbUri ?? "").connect();
    const collections = await client.db(name).collections();
    return JSON.stringify(await Promise.all(collections.map((one) => one.find().toArray())));
  };
  return { ...database, other, stored, close, [Symbol.asyncDispose]: close };
}
