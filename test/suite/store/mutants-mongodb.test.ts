/**
 * @module A test of the test: each call on a scoped collection without its tenant filter fails the
 * clauses, and every filter on the wire has one. On the test's own server; see its module.
 */
import { memoryCollections, scopedKinds } from "@turnproof/semconv";
import { mongodb } from "@turnproof/store";
import type { AdministeredMemory, MongodbProvider } from "@turnproof/store";
import { allTenants, memoryClauses, memoryIsolationClauses } from "@turnproof/store/testing";
import type { KitClause } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { rootWords } from "../../../packages/store/src/bundle/bundle-words.ts";
import { startMongo } from "../../servers/mongodb.ts";
import type { MongoServer } from "../../servers/mongodb.ts";
import { changedClient, hasTenant, withoutTenant } from "./statement-mongodb.ts";
import type { Change } from "./statement-mongodb.ts";

let server: MongoServer;
let client: MongoClient;
let databases = 0;
beforeAll(async () => {
  server = await startMongo({ search: true });
  client = await new MongoClient(server.url, { ignoreUndefined: true }).connect();
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const untouched: Change = (_method, _collection, filter) => filter;

/** Few rows are compared exactly, so that foreign ones would take the places of one's own. */
const open = (change: Change, exactRowsMax = 40): Promise<MongodbProvider> =>
  mongodb({
    client: changedClient(client, change),
    database: `mutants_${(databases += 1)}`,
    exactRowsMax,
  });

/** The first clause that fails; long ones come last. */
async function failure(change: Change): Promise<string | undefined> {
  const cost = ({ name }: KitClause): number =>
    name.startsWith("random") || name.startsWith("hundreds") ? 1 : 0;
  const clauses = [...memoryIsolationClauses, ...memoryClauses];
  for (const clause of clauses.toSorted((a, b) => cost(a) - cost(b))) {
    const openMemory = async (): Promise<AdministeredMemory> => {
      const { memory } = await open(change);
      // The client outlives a store that was given it, so its end is no clause here.
      return memory;
    };
    const failed = await clause
      .run({
        open: () => Promise.reject(new RangeError("memory only")),
        openMemory,
        settle: async () => {},
        effort: { sequences: 2, commands: 12, seed: 7 },
      })
      .then(
        () => false,
        () => true,
      );
    if (failed && !clause.name.includes("closing twice")) return clause.name;
  }
  return undefined;
}

type Match = (filter: unknown) => boolean;
const message =
  (...words: readonly string[]): Match =>
  (filter) =>
    words.every((word) => JSON.stringify(filter).includes(word));

/** Calls by their method and, where one method serves several, by what else is in the filter. */
const calls: Readonly<Record<string, readonly [method: string, match: Match]>> = {
  "reading one row": ["find", message('"id":{"$eq"')],
  listing: ["find", (filter) => !/"id":\{"\$eq"|"\$ne":null/.test(JSON.stringify(filter))],
  "the exact vector search": ["find", message('"embedding":{"$ne":null}')],
  "the text fallback": ["find", message('"text":{"$ne":null}')],
  counting: ["countDocuments", (filter) => !message('"embedding"')(filter)],
  putting: ["findOneAndUpdate", () => true],
  deleting: ["deleteOne", () => true],
  "deleting a tenant": ["deleteMany", () => true],
  "adopting legacy rows": ["updateMany", () => true],
  "finding legacy rows": ["find", message("memory_id")],
};

const scopedNames: ReadonlySet<string> = new Set(
  scopedKinds.map((kind) => memoryCollections[kind]),
);

const without =
  (...forms: (readonly [method: string, match: Match])[]): Change =>
  (method, collection, filter) => {
    const meant = forms.some(([name, match]) => name === method && match(filter));
    return meant && scopedNames.has(collection) ? withoutTenant(filter) : filter;
  };

describe("a memory without the tenant filter", () => {
  test.each(Object.entries(calls))("in %s fails", { timeout: 60_000 }, async (name, form) => {
    // What is adopted is found by the same condition first, so both must go for it to show.
    const forms =
      name === "adopting legacy rows" ? [form, calls["finding legacy rows"] ?? form] : [form];
    expect(await failure(without(...forms))).toBeDefined();
  });

  test("in changing fails, where the second read of the row does not help", async () => {
    const reading = calls["reading one row"] as readonly [string, Match];
    expect(await failure(without(["updateOne", () => true], reading))).toBeDefined();
  });

  test("and a whole one passes", { timeout: 120_000 }, async () => {
    expect(await failure(untouched)).toBeUndefined();
  });
});

/** Filters on the wire of every method of a memory, of one hostile tenant, in every kind. */
async function filtersOnWire(change: Change): Promise<readonly unknown[]> {
  const vector = { type: "vector", path: "embedding", numDimensions: 2, similarity: "cosine" };
  for (const kind of scopedKinds) {
    server.defineSearchIndex(memoryCollections[kind], "vector", [vector]);
  }
  const { memory } = await open(change, 2);
  const evil = '{"$ne":null}';
  const before = server.filters.length;
  for (const kind of scopedKinds) {
    const filter = { tenant: evil };
    for (const id of ["$gt", "$where", "a.b", "d"]) {
      const row = { id, text: evil, embedding: [1, 2], data: { [evil]: evil } };
      await memory.put(filter, kind, { ...row, created_at: "2026-03-01T10:00:00Z" });
    }
    await memory.get(filter, kind, "$gt");
    await memory.list({ ...filter, agentId: "$where" }, kind, { limit: 3 });
    await memory.count(filter, kind);
    await memory.update(filter, kind, "$gt", 1, { text: evil });
    await memory.vectorSearch(filter, kind, { embedding: [1, 2], limit: 2 });
    await memory.textSearch(filter, kind, { text: evil, limit: 3 });
    await memory.delete(filter, kind, "$gt");
    await memory.admin.rewrite(filter, kind, [{ id: "$where", version: 1 }]);
    await memory.admin.deleteTenant(filter, kind);
  }
  return server.filters.slice(before);
}

describe("on the wire", () => {
  test("every filter of a scoped kind holds the tenant, by a value and never an operator", async () => {
    const filters = await filtersOnWire(untouched);
    expect(filters.length).toBeGreaterThan(scopedKinds.length * 14);
    for (const filter of filters) {
      expect(JSON.stringify(filter)).toMatch(
        /"user_id":\{[^}]*\}?,?"\$eq":"\{\\"\$ne\\":null\}"\}/,
      );
    }
    // The tenant stands inside of the vector search itself.
    const searches = filters.filter(
      (filter) => Object.keys(filter as object).join() === "user_id,expires_ms",
    );
    expect(searches.length).toBeGreaterThan(0);
  });

  test.each(["aggregate", "countDocuments", "updateOne", "deleteOne"])(
    "a filter that lost it in %s is seen",
    async (method) => {
      const filters = await filtersOnWire(without([method, () => true]));
      expect(filters.every(hasTenant)).toBe(false);
    },
  );

  test("every search for evidence of a tenant holds the tenant", async () => {
    const { evidence } = await open(untouched);
    type Scope = { readonly tenant: string | null };
    const reads: readonly ((scope: Scope) => Promise<unknown>)[] = [
      (scope) => evidence.page(scope, { thread_id: "$ne" }, { limit: 5 }),
      (scope) => evidence.bundles(scope, {}, { limit: 5 }),
      (scope) => evidence.find(scope, "$ne", {}, { limit: 5 }),
      (scope) =>
        evidence.ledger.listTurns(
          { scope, where: [{ text: "root_trace_id", is: "$ne" }] },
          { order: { by: "first_received" }, limit: 5 },
        ),
    ];
    for (const read of reads) {
      for (const tenant of ["u", null]) {
        const before = server.filters.length;
        await read({ tenant });
        const seen = server.filters.slice(before).map((filter) => JSON.stringify(filter));
        // Bundles are found by hashed words, turns by the tenant itself.
        const [hash] = rootWords({ tenant }, {});
        const stated = `{"tenant":{"$eq":"${tenant === null ? "anonymous" : `id:${tenant}`}"}}`;
        const searched = [stated, `"words":{"$in":[${hash}]}`];
        expect(seen.some((filter) => searched.some((one) => filter.includes(one)))).toBe(true);
      }
    }
    const before = server.filters.length;
    await evidence.page(allTenants, {}, { limit: 5 });
    expect(JSON.stringify(server.filters.slice(before))).not.toContain("tenant_said");
  });
});
