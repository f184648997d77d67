/**
 * @module Memory that an earlier version left, the same documents on each provider that keeps
 * documents: ids of any type, missing fields, dates as dates, and users that are no text.
 */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { filesystem, mongodb } from "@turnproof/store";
import type { MemoryRecord, Provider } from "@turnproof/store";
import { unscoped } from "@turnproof/store/admin";
import { MongoClient, ObjectId, UUID } from "mongodb";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { openMongo } from "../../servers/mongo-database.ts";
import type { MongoDatabase } from "../../servers/mongo-database.ts";

const objectId = new ObjectId("64b7f8a2c3d4e5f60718293a");
const uuid = new UUID("4f9d6c1e-8a2b-4c3d-9e5f-60718293a4b5");
const day = new Date("2024-05-06T07:08:09.000Z");

/** Documents as an earlier version wrote them; a file's name is its id where it holds none. */
const documents: readonly Record<string, unknown>[] = [
  { _id: objectId, role: "user", content: "an object id", timestamp: day, memory_id: "m" },
  { _id: "text", content: "a text", created_at: "2024-05-06T07:08:09Z" },
  { _id: 7, content: "a number", created_at: day.getTime() / 1_000 },
  { _id: "7", content: "the same as text", created_at: day.getTime() },
  { _id: uuid, content: "a uuid", user_id: "ann", embedding: [1, 0], timestamp: day },
  { _id: { shop: "s", n: 1 }, content: "a compound id", user_id: "ann", data: { note: 1 }, tag: 2 },
  { _id: "bare" },
  { _id: "over", user_id: "ann", expires_at: new Date("2024-01-01T00:00:00Z") },
  ...[42, true, ["ann"], [null], { $numberInt: "1" }, { name: "ann" }, ""].map((user_id, n) => ({
    _id: `nobodys-${n}`,
    user_id,
    content: "canary of nobody",
  })),
];

/** Where the documents are laid before the provider is opened. */
interface Ground {
  readonly name: string;
  lay(): Promise<() => Promise<Provider>>;
}

let database: MongoDatabase;
let folder: string;
beforeAll(async () => {
  database = await openMongo();
  folder = await mkdtemp(join(tmpdir(), "turnproof-legacy-rows-"));
});
afterAll(async () => {
  await database.close();
  await rm(folder, { recursive: true, force: true });
});

const grounds: readonly Ground[] = [
  {
    name: "mongodb",
    async lay() {
      const client = await new MongoClient(database.url).connect();
      const rows = documents.map((document) =>
        // A driver writes no field that begins with `$`; the file has extended JSON.
        JSON.stringify(document).includes("$numberInt") ? { ...document, user_id: 1.5 } : document,
      );
      const dated = { _id: "dated", user_id: day, content: "canary of nobody" };
      const all = [...rows, dated] as object[];
      await client.db().collection("conversation_memory").insertMany(all);
      const shared = [{ _id: objectId, content: "calm", tone: "calm" }] as object[];
      await client.db().collection("personas").insertMany(shared);
      await client.close();
      return () => mongodb({ url: database.url });
    },
  },
  {
    name: "filesystem",
    async lay() {
      const collection = join(folder, "conversation_memory");
      await mkdir(collection, { recursive: true, mode: 0o700 });
      for (const [n, document] of documents.entries()) {
        // The file of a number's text twin would be one file with it.
        const text = JSON.stringify(
          document["_id"] === "7" ? { ...document, _id: "7b" } : document,
        );
        await writeFile(join(collection, `file-${n}.json`), text, { mode: 0o600 });
      }
      const index = { "nobodys-8": { user_id: 42 } };
      await writeFile(join(collection, "index.json"), JSON.stringify(index), { mode: 0o600 });
      const late = JSON.stringify({ _id: "nobodys-8", content: "canary of nobody" });
      await writeFile(join(collection, "late.json"), late, { mode: 0o600 });
      return () => filesystem({ directory: folder });
    },
  },
];

async function rowsOf(provider: Provider, tenant: string | null): Promise<readonly MemoryRecord[]> {
  const found: MemoryRecord[] = [];
  for (let after: string | undefined; ;) {
    const options = { limit: 2, ...(after === undefined ? {} : { after }) };
    const page = await provider.memory.list({ tenant }, "conversation", options);
    found.push(...page.records);
    if (page.next === null) return found;
    after = page.next;
  }
}

describe.each(grounds)("on $name", (ground) => {
  test("legacy documents are read by their tenant, and nobody's are reported", async () => {
    const open = await ground.lay();
    const provider = await open();
    const { memory } = provider;
    const stated = await memory.check();
    expect(stated).toMatchObject({ ok: true, diagnostics: ["memory_rows_unowned"] });
    const anonymous = await rowsOf(provider, null);
    expect(new Set(anonymous.map(({ text }) => text))).toEqual(
      new Set(["a number", "a text", "an object id", "the same as text", undefined]),
    );
    const iso = day.toISOString();
    const first = await memory.get({ tenant: null }, "conversation", objectId.toHexString());
    expect(first).toMatchObject({ created_at: iso, memory_id: "m", user_id: null, version: 1 });
    expect(first?.data).toEqual({ role: "user" });
    for (const text of ["a number", "the same as text"]) {
      expect(anonymous.find((row) => row.text === text)?.created_at).toBe(iso);
    }
    const own = await rowsOf(provider, "ann");
    expect(new Set(own.map(({ id }) => id))).toEqual(
      new Set([uuid.toString(), '{"shop":"s","n":1}']),
    );
    expect(own.find(({ text }) => text === "a compound id")?.data).toEqual({ note: 1, tag: 2 });
    const near = { embedding: [1, 0], limit: 3 };
    const found = await memory.vectorSearch({ tenant: "ann" }, "conversation", near);
    expect(found.hits.map(({ record }) => record.id)).toEqual([uuid.toString()]);
    expect(await memory.count({ tenant: null }, "conversation")).toBe(5);
    // The row whose time is over is there for administration; rows without a tenant are not.
    const all: MemoryRecord[] = [];
    for await (const row of memory.admin.rows(unscoped, "conversation")) all.push(row);
    expect(all).toHaveLength(8);
    expect(await memory.admin.count(unscoped, "conversation")).toBe(8);
    expect(JSON.stringify([all, anonymous, own])).not.toContain("canary");
    await provider.close();
  });

  test("they are rows like others then: changed, deleted, and there after a restart", async () => {
    const open = await (ground.name === "mongodb"
      ? Promise.resolve(() => mongodb({ url: database.url }))
      : Promise.resolve(() => filesystem({ directory: folder })));
    const provider = await open();
    const { memory } = provider;
    const id = uuid.toString();
    await memory.update({ tenant: "ann" }, "conversation", id, 1, { text: "changed" });
    expect(await memory.delete({ tenant: null }, "conversation", "text")).toBe(true);
    expect(await memory.admin.deleteTenant({ tenant: null }, "conversation")).toBe(4);
    await provider.close();
    const again = await open();
    expect(await rowsOf(again, null)).toEqual([]);
    const row = await again.memory.get({ tenant: "ann" }, "conversation", id);
    expect(row).toMatchObject({ text: "changed", version: 2, created_at: day.toISOString() });
    const { diagnostics } = await again.memory.check();
    expect(diagnostics).toEqual(["memory_rows_unowned"]);
    if (ground.name === "mongodb") {
      const persona = await again.memory.shared.get("persona", objectId.toHexString());
      expect(persona).toMatchObject({ text: "calm", data: { tone: "calm" } });
    }
    await again.close();
  });
});

test("a MongoDB document with a time key of its own is read, never a crash", async () => {
  const own = await openMongo();
  try {
    const client = await new MongoClient(own.url).connect();
    const keys = [5, "soon", day, ["2024"], "2024-05-06T07:08:09.000000000"];
    const documents = keys.map((created_key, n) => ({
      _id: `own-${n}`,
      created_key,
      created_at: day,
      content: `row ${n}`,
      data: n === 0 ? "{" : "null",
    }));
    await client
      .db()
      .collection("summaries")
      .insertMany(documents as object[]);
    for (const manageIndexes of [false, true]) {
      const provider = await mongodb({ url: own.url, manageIndexes });
      const { memory } = provider;
      const waiting = manageIndexes ? [] : ["memory_rows_legacy"];
      expect((await memory.check()).diagnostics).toEqual(waiting);
      const { records } = await memory.list({ tenant: null }, "summary", { limit: 9 });
      expect(
        new Set(records.map(({ id, text, created_at }) => `${id} ${text} ${created_at}`)),
      ).toEqual(new Set(keys.map((_, n) => `own-${n} row ${n} ${day.toISOString()}`)));
      await provider.close();
    }
    await client.close();
  } finally {
    await own.close();
  }
});

test("a MongoDB that may not be changed says that rows wait", async () => {
  const own = await openMongo();
  try {
    const client = await new MongoClient(own.url).connect();
    await client.db().collection("summaries").insertOne({ content: "old" });
    await client.close();
    const looking = await mongodb({ url: own.url, manageIndexes: false });
    expect((await looking.memory.check()).diagnostics).toEqual(["memory_rows_legacy"]);
    const { records } = await looking.memory.list({ tenant: null }, "summary", { limit: 5 });
    expect(records.map(({ text, user_id }) => [text, user_id])).toEqual([["old", null]]);
    await looking.close();
    const changing = await mongodb({ url: own.url });
    expect((await changing.memory.check()).diagnostics).toEqual([]);
    await changing.close();
  } finally {
    await own.close();
  }
});

test("ids that stand twice in a MongoDB are rows of their own, and keep nobody out", async () => {
  const own = await openMongo();
  const client = await new MongoClient(own.url).connect();
  try {
    const twice = [null, null, "ann", "ann", 5, 5].map((user_id, n) => ({
      id: "x",
      user_id,
      content: `row ${n}`,
    }));
    const nulls = [{ id: null, content: "row 6" }, { id: null, content: "row 7" }, { _id: "" }];
    const rows = [...twice, ...nulls] as object[];
    await client.db().collection("summaries").insertMany(rows);
    const personas = [{ id: "calm" }, { id: "calm" }] as object[];
    await client.db().collection("personas").insertMany(personas);
    for (let opened = 0; opened < 2; opened += 1) {
      const provider = await mongodb({ url: own.url });
      const { memory } = provider;
      const textsOf = async (tenant: string | null): Promise<ReadonlySet<unknown>> => {
        const { records } = await memory.list({ tenant }, "summary", { limit: 9 });
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        return new Set(records.map(({ text }) => text));
      };
      expect(await textsOf(null)).toEqual(new Set(["row 0", "row 1", "row 6", "row 7", undefined]));
      expect(await textsOf("ann")).toEqual(new Set(["row 2", "row 3"]));
      expect((await memory.get({ tenant: "ann" }, "summary", "x"))?.id).toBe("x");
      expect((await memory.shared.list("persona", { limit: 9 })).records).toHaveLength(2);
      expect((await memory.check()).diagnostics).toEqual(["memory_rows_unowned"]);
      await provider.close();
    }
  } finally {
    await client.close();
    await own.close();
  }
});

test("files of one id are rows of their own, and an index never gives one to another user", async () => {
  const directory = await mkdtemp(join(tmpdir(), "turnproof-legacy-twice-"));
  try {
    const collection = join(directory, "conversation_memory");
    await mkdir(collection, { recursive: true, mode: 0o700 });
    const write = (name: string, value: unknown): Promise<void> =>
      writeFile(join(collection, name), JSON.stringify(value), { mode: 0o600 });
    for (const name of ["a", "b", "c", "d"]) await write(`${name}.json`, { id: "x", text: name });
    const entries = [
      { id: "x", file: "a.json", user_id: "ann" },
      { id: "x", file: "b.json", user_id: "ben" },
      { id: "x", file: "c.json", user_id: "ann" },
    ];
    await write("index.json", entries);
    for (const adopts of [false, true, true]) {
      await using provider = await filesystem({ directory });
      const { memory } = provider;
      if (adopts)
        await memory.put({ tenant: "eve" }, "conversation", {
          id: "e",
          data: {},
          created_at: day.toISOString(),
        });
      const read = async (tenant: string | null): Promise<ReadonlySet<unknown>> => {
        const { records } = await memory.list({ tenant }, "conversation", { limit: 9 });
        expect(new Set(records.map(({ id }) => id)).size).toBe(records.length);
        return new Set(records.map(({ text }) => text));
      };
      expect([await read("ann"), await read("ben"), await read(null)]).toEqual([
        new Set(["a", "c"]),
        new Set(["b"]),
        new Set(),
      ]);
      // The fourth has the id of two users, and no entry of its own.
      expect((await memory.check()).diagnostics).toEqual(["memory_rows_unowned"]);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
