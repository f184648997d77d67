/**
 * @module StatementMongodb: a client of the official driver that passes every call on and lets a
 * test change the filters of one method first.
 */
import type { Collection, Db, MongoClient } from "mongodb";

/** Methods whose first argument holds a filter. */
export const filtered = [
  "aggregate",
  "countDocuments",
  "deleteMany",
  "deleteOne",
  "distinct",
  "find",
  "findOneAndUpdate",
  "updateMany",
  "updateOne",
] as const;
export type Filtered = (typeof filtered)[number];

/** A call that a test may change: the method, its collection and its filter or stages. */
export type Change = (method: Filtered, collection: string, filter: unknown) => unknown;

/** The client with its filters changed. */
export function changedClient(client: MongoClient, change: Change): MongoClient {
  return new Proxy(client, {
    get: (target, name) =>
      name === "db"
        ? (database?: string) => changedDatabase(target.db(database), change)
        : ownOf(target, name),
  });
}

function changedDatabase(database: Db, change: Change): Db {
  return new Proxy(database, {
    get: (target, name) =>
      name === "collection"
        ? (of: string) => changedCollection(target.collection(of), of, change)
        : ownOf(target, name),
  });
}

function changedCollection(collection: Collection, of: string, change: Change): Collection {
  return new Proxy(collection, {
    get: (target, name) => {
      const method = filtered.find((known) => known === name);
      if (method === undefined) return ownOf(target, name);
      // The filter of `distinct` stands behind the field.
      const at = method === "distinct" ? 1 : 0;
      return (...args: unknown[]) => {
        args[at] = change(method, of, args[at]);
        return (ownOf(target, name) as (...given: unknown[]) => unknown)(...args);
      };
    },
  });
}

function ownOf<T extends object>(target: T, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name, target);
  return typeof value === "function" ? value.bind(target) : value;
}

/** A filter, or stages, without any condition on the tenant. */
export function withoutTenant(filter: unknown): unknown {
  if (Array.isArray(filter)) return filter.map(withoutTenant);
  if (typeof filter !== "object" || filter === null) return filter;
  const kept = Object.entries(filter).filter(([name]) => name !== "user_id");
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutTenant(value)]));
}

/** True when the filter names its tenant. */
export function hasTenant(filter: unknown): boolean {
  return JSON.stringify(withoutTenant(filter)) !== JSON.stringify(filter);
}
