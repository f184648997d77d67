/**
 * @module What earlier versions left: trace bundles v1 to v3 and rows of memory without users, in
 * files with a legacy index, in tables before 001_add_user_id.sql, and in collections. Read where
 * they lie, as anonymous rows, by every read of evidence and of memory.
 */
import { mkdir, readFile, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { normalize } from "@turnproof/evidence";
import type { TurnEvent } from "@turnproof/evidence";
import { filesystem, mongodb, postgres } from "@turnproof/store";
import { deleteUserEvidence } from "@turnproof/store/admin";
import type { EvidenceStore, Provider } from "@turnproof/store";
import { allTenants, receivedAt, sampleEvent, walkPages } from "@turnproof/store/testing";
import { MongoClient } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";
import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
let mongo: MongoDatabase;
let server: PostgresServer;
beforeAll(async () => {
  mongo = await openMongo();
  server = await startPostgres();
});
afterAll(async () => {
  await directories.remove();
  await mongo.close();
  await server.close();
});

/** A tool call as writers of the first two versions wrote it, with words that are no evidence. */
const toolResult = (event_id: string, second: number): object => ({
  event_id,
  event_kind: "tool_result",
  timestamp: `2024-03-01T10:00:0${second}Z`,
  tool_name: "search",
  status: "success",
  arguments: { q: "canary" },
  result: "canary",
});

/** A child as the third version writes it. */
const artifact = (event_id: string): object => ({
  schema_version: 3,
  event_id,
  event_kind: "artifact",
  phase: "event",
  status: "success",
  timestamp: "2024-03-05T10:00:00Z",
  attributes: {},
});

const place = { agent_id: "helper", thread_id: "t-1", turn_id: "turn-1" };

/** Records by id: the first three know no user at all. */
const records: Readonly<Record<string, object>> = {
  first: {
    created_at: "2024-03-01T10:00:00Z",
    payload: {
      type: "trace_bundle",
      identity: { ...place, root_trace_id: "old-1" },
      events: [toolResult("v1-a", 1), toolResult("v1-b", 2)],
    },
  },
  second: {
    ...place,
    created_at: "2024-03-02T10:00:00Z",
    payload: {
      type: "trace_bundle",
      version: 2,
      identity: { ...place, root_trace_id: "old-2" },
      event_count: 1,
      events: [toolResult("v2-a", 1)],
    },
  },
  third: {
    created_at: "2024-03-03T10:00:00Z",
    payload: {
      type: "host_event",
      version: 2,
      identity: { ...place, root_trace_id: "old-3" },
      event: {
        schema_version: 3,
        event_id: "v3-a",
        event_kind: "artifact_persisted",
        phase: "event",
        status: "success",
        timestamp: "2024-03-03T10:00:00Z",
        output_refs: [{ resource_type: "report", ref: "doc-3", version: "1" }],
        attributes: { artifact_type: "report" },
      },
    },
  },
  owned: {
    user_id: "ann",
    created_at: "2024-03-04T10:00:00Z",
    payload: {
      type: "trace_bundle",
      version: 2,
      identity: { ...place, user_id: "ann", root_trace_id: "old-4" },
      events: [toolResult("ann-a", 1)],
    },
  },
};
const broken = { payload: { type: "trace_bundle", version: 9, events: [{}] } };

type Open = () => Promise<Provider>;

/** Puts the records where an earlier version had them; the answer opens what is there. */
const grounds: Readonly<Record<string, (all: Readonly<Record<string, object>>) => Promise<Open>>> =
  {
    filesystem: async (all) => {
      const directory = await directories.make();
      const folder = join(directory, "trace_bundles");
      await mkdir(folder, { recursive: true });
      for (const [id, record] of Object.entries(all)) {
        await writeFile(join(folder, `${id}.json`), JSON.stringify({ record_id: id, ...record }));
      }
      // A legacy index: it knows the documents and no users.
      const rows = Object.keys(all).map((id) => ({ id, file: `${id}.json`, agent_id: "helper" }));
      await writeFile(join(folder, "index.json"), JSON.stringify({ documents: rows }));
      const entities = join(directory, "entity_memory");
      await mkdir(entities);
      await writeFile(join(entities, "old.json"), JSON.stringify({ id: "old", text: "tea" }));
      await writeFile(join(entities, "index.json"), JSON.stringify([{ id: "old" }]));
      return () => filesystem({ directory });
    },
    mongodb: async (all) => {
      const { url } = mongo.other();
      const client = await new MongoClient(url).connect();
      const target = client.db();
      for (const [id, record] of Object.entries(all)) {
        await target.collection("trace_bundles").insertOne({ record_id: id, ...record });
      }
      const created_at = "2024-01-01T00:00:00Z";
      const old = { id: "old", text: "tea", data: "{}", created_at, created_key: created_at };
      await target.collection("entity_memory").insertOne(old);
      await client.close();
      return () => mongodb({ url });
    },
    postgres: async (all) => {
      const database = await server.createDatabase();
      const script = (name: string): Promise<string> =>
        readFile(new URL(`../../../packages/store/sql/postgres/${name}`, import.meta.url), "utf8");
      await server.run(database, await script("000_base.sql"));
      await server.run(
        database,
        `INSERT INTO entity_memory (id, body, data, created_at, created_key, updated_at)
VALUES ('old', 'tea', '{}', '2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000000000', '2024-01-01T00:00:00Z');
CREATE TABLE trace_bundles (record_id text, agent_id text, created_at text, payload json)`,
      );
      const owners: string[] = [];
      for (const [id, record] of Object.entries(all)) {
        const { user_id, payload, created_at } = record as {
          readonly user_id?: string;
          readonly payload: object;
          readonly created_at?: string;
        };
        const values = [id, user_id, created_at, JSON.stringify(payload)].map((value) =>
          value === undefined ? "NULL" : `'${value.replaceAll("'", "''")}'`,
        );
        const [name, user, at, json] = values;
        const row = `(${name}, 'helper', ${at}, ${json})`;
        await server.run(database, `INSERT INTO trace_bundles VALUES ${row}`);
        if (user === "NULL") continue;
        owners.push(`UPDATE trace_bundles SET user_id = ${user} WHERE record_id = ${name}`);
      }
      // By hand, by the owner of the schema, over data; what had an owner is marked afterwards.
      await server.run(database, await script("001_add_user_id.sql"));
      for (const owner of owners) await server.run(database, owner);
      return () => postgres({ url: server.url(database) });
    },
  };

const idsOf = (events: readonly TurnEvent[]): string[] =>
  events.map(({ event_id }) => event_id).toSorted();
const legacyIds = ["v1-a", "v1-b", "v2-a", "v3-a"];

async function everyRead(
  store: EvidenceStore,
  tenant: string | null,
): Promise<readonly string[][]> {
  const scope = { tenant };
  const options = { limit: 50 };
  const page = await walkPages((o) => store.page(scope, {}, o), { limit: 1 });
  const bundles = await store.bundles(scope, {}, options);
  return [
    idsOf(page.flatMap(({ events }) => events)),
    idsOf((await store.find(scope, "turn-1", {}, options)).events),
    idsOf(
      bundles.bundles.flatMap(
        ({ payload }) => (payload as { events: readonly TurnEvent[] }).events,
      ),
    ),
  ];
}

describe.each(Object.keys(grounds))("over %s", (name) => {
  const prepare = grounds[name] as (typeof grounds)[string];

  test("bundles of v1 to v3 without a user are anonymous in every read", async () => {
    await using provider = await (await prepare(records))();
    const { evidence, memory } = provider;
    for (const read of await everyRead(evidence, null)) expect(read).toEqual(legacyIds);
    for (const read of await everyRead(evidence, "ann")) expect(read).toEqual(["ann-a"]);
    for (const tenant of ["bob", "null", "anonymous", "undefined"]) {
      for (const read of await everyRead(evidence, tenant)) expect(read).toEqual([]);
    }
    const all = await evidence.page(allTenants, { store: "all" }, { limit: 50 });
    expect(idsOf(all.events)).toEqual(["ann-a", ...legacyIds].toSorted());
    expect(all.errors).toEqual([]);
    expect(JSON.stringify(all)).not.toContain("canary");
    const found = await evidence.find({ tenant: null }, "doc-3", {}, { limit: 5 });
    expect(found.events.map((event) => [event.event_kind, event.user_id])).toEqual([
      ["artifact", null],
    ]);
    const root = await evidence.root({ tenant: null }, "old-1", { limit: 5 });
    expect(idsOf(root.events)).toEqual(["v1-a", "v1-b"]);
    expect((await evidence.root({ tenant: "ann" }, "old-1", { limit: 5 })).events).toEqual([]);
    // The rows of memory beside them are anonymous too.
    const text = { text: "tea", limit: 5 };
    const words = await memory.textSearch({ tenant: null }, "entity", text);
    expect(words.hits.map(({ record }) => [record.id, record.user_id])).toEqual([["old", null]]);
    expect((await memory.textSearch({ tenant: "ann" }, "entity", text)).hits).toEqual([]);
  });

  test("native rows of the same root and legacy ones are one root, and a copy is no second event", async () => {
    await using provider = await (await prepare(records))();
    const { evidence } = provider;
    const more = sampleEvent("new", { root_trace_id: "old-1", user_id: null, turn_id: "turn-1" });
    const { events: copies } = normalize([records["first"]], { store: "trace" });
    await evidence.append({ batchId: "n", receivedAt: receivedAt(1), events: [more, ...copies] });
    const { events, duplicatesRemoved } = await evidence.root({ tenant: null }, "old-1", {
      limit: 9,
    });
    expect(idsOf(events)).toEqual(["new:result", "v1-a", "v1-b"]);
    expect(duplicatesRemoved).toBe(2);
    const pages = await walkPages((o) => evidence.page({ tenant: null }, {}, o), { limit: 2 });
    const shown = pages.flatMap((page) => page.events);
    expect(idsOf(shown)).toEqual(["new:result", ...legacyIds]);
    expect(shown[0]?.event_id).toBe("new:result");
  });

  test("deleting a user takes what is the user's alone; a bundle of several users stays and is said", async () => {
    const shared = {
      created_at: "2024-03-05T10:00:00Z",
      payload: {
        type: "trace_bundle",
        version: 3,
        identity: { ...place, root_trace_id: "old-5" },
        events: [
          { ...artifact("ann-b"), user_id: "ann" },
          { ...artifact("bob-a"), user_id: "bob" },
        ],
      },
    };
    const open = await prepare({ ...records, shared });
    {
      await using provider = await open();
      const { evidence } = provider;
      const dry = await deleteUserEvidence(evidence, { userId: "ann" });
      expect(dry).toMatchObject({ found: 2, deleted: 0, unreached: ["legacy_bundles"] });
      for (const near of ["an", "annn", "Ann"]) {
        const none = await deleteUserEvidence(evidence, { userId: near, dryRun: false });
        expect(none).toMatchObject({ found: 0, deleted: 0 });
      }
      const done = await deleteUserEvidence(evidence, { userId: "ann", dryRun: false });
      expect(done).toMatchObject({ found: 2, deleted: 1 });
      expect(done.unreached).toContain("legacy_bundles");
    }
    await using provider = await open();
    const { evidence } = provider;
    const all = await evidence.page(allTenants, { store: "all" }, { limit: 50 });
    expect(idsOf(all.events)).toEqual([...legacyIds, "ann-b", "bob-a"].toSorted());
    const again = await deleteUserEvidence(evidence, { userId: "ann", dryRun: false });
    expect(again).toMatchObject({ found: 1, deleted: 0 });
  });

  test("a user that is no text is nobody: not whom the text names, not the anonymous", async () => {
    const values = [7, true, ["ann"], { name: "ann" }];
    const odd = values.map((user_id, n) => {
      const events = [toolResult(`odd-${n}`, 1)];
      const identity = { ...place, user_id, root_trace_id: `odd-${n}` };
      const payload = { type: "trace_bundle", version: 2, identity, events };
      return [`odd-${n}`, { created_at: "2024-03-04T10:00:00Z", payload }] as const;
    });
    await using provider = await (await prepare({ ...records, ...Object.fromEntries(odd) }))();
    for (const tenant of ["7", "true", "ann", null]) {
      const page = await provider.evidence.page({ tenant }, {}, { limit: 50 });
      expect(idsOf(page.events).filter((id) => id.startsWith("odd"))).toEqual([]);
      expect(page.errors).toEqual([expect.objectContaining({ count: odd.length })]);
    }
  });

  test("what cannot be read is a finding without a name, and the rest is read", async () => {
    await using provider = await (await prepare({ ...records, broken }))();
    const page = await provider.evidence.page({ tenant: null }, {}, { limit: 50 });
    expect(idsOf(page.events)).toEqual(legacyIds);
    expect(page.errors).toEqual([{ code: "unsupported_schema", count: 1, source_store: "trace" }]);
  });
});

test("what is deleted leaves no byte in the folder, its old index included", async () => {
  const directory = await directories.make();
  const folder = join(directory, "trace_bundles");
  await mkdir(folder);
  await writeFile(join(folder, "one.json"), JSON.stringify(records["first"]));
  await writeFile(join(folder, "two.json"), JSON.stringify({ id: "of-ann", ...records["owned"] }));
  const index = { documents: { one: { file: "one.json" }, two: { user_id: "ann" } } };
  await writeFile(join(folder, "index.json"), JSON.stringify(index));
  await using provider = await filesystem({ directory });
  const done = await deleteUserEvidence(provider.evidence, { userId: "ann", dryRun: false });
  expect(done).toMatchObject({ found: 1, deleted: 1, unreached: [] });
  expect((await readdir(folder)).toSorted()).toEqual(["index.json", "one.json"]);
  for (const name of await readdir(folder)) {
    expect(await readFile(join(folder, name), "utf8")).not.toContain("ann");
  }
  const page = await provider.evidence.page({ tenant: null }, {}, { limit: 50 });
  expect(idsOf(page.events)).toEqual(["v1-a", "v1-b"]);
});

test("a folder of legacy files is never written, and a damaged file is a finding", async () => {
  const directory = await directories.make();
  const folder = join(directory, "trace_bundles");
  await mkdir(folder);
  await writeFile(join(folder, "a.json"), JSON.stringify(records["first"]));
  await writeFile(join(folder, "torn.json"), '{"payload":');
  await writeFile(join(folder, "index.json"), "{");
  await writeFile(join(folder, "notes.txt"), "canary");
  await using provider = await filesystem({ directory });
  const { evidence } = provider;
  await evidence.append({ batchId: "n", receivedAt: receivedAt(1), events: [sampleEvent("new")] });
  const page = await evidence.page({ tenant: null }, {}, { limit: 50 });
  expect(idsOf(page.events)).toEqual(["v1-a", "v1-b"]);
  expect(page.errors).toEqual([{ code: "invalid_source_row", count: 1, source_store: "trace" }]);
  expect((await readdir(folder)).toSorted()).toEqual(
    ["a.json", "index.json", "notes.txt", "torn.json"].toSorted(),
  );
});
