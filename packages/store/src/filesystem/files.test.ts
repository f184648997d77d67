/** Files on the disk: names, modes, links, damage, earlier layouts, refusals. */
import { cp, lstat, mkdir, readFile, readdir, rename, rm, symlink } from "node:fs/promises";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { unscoped } from "../memory-admin.ts";
import type { MemoryStore } from "../memory-store.ts";
import { hostileNames } from "../testing/hostile.ts";
import { draftOf } from "../testing/on-memory.ts";
import { allTenants, receivedAt, sampleTurn } from "../testing/sample-event.ts";
import { systemCalls } from "./disk-calls.ts";
import { filesystem } from "./filesystem.ts";
import type { FilesystemProvider } from "./filesystem.ts";
import { documentName, safeName, tenantName } from "./safe-name.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

/** A directory of its own, in which `files` is the provider's and everything else is outside. */
async function openNew(): Promise<{ outside: string; root: string; provider: FilesystemProvider }> {
  const outside = await mkdtemp(join(tmpdir(), "turnproof-names-"));
  made.push(outside);
  const root = join(outside, "files");
  return { outside, root, provider: await filesystem({ directory: root }) };
}

const ann = { tenant: "ann" };
const bob = { tenant: "bob" };
const nobody = { tenant: null };
const folder = (root: string, tenant: string | null): string =>
  join(root, "entity_memory", tenantName(tenant));

async function everyPath(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.map((entry) => join(entry.parentPath, entry.name));
}

async function idsIn(memory: MemoryStore, filter: { tenant: string | null }): Promise<string[]> {
  return (await memory.list(filter, "entity", { limit: 99 })).records.map((row) => row.id);
}

describe("names", () => {
  test("are safe, short, and never the same for two ids, whatever folds their case", () => {
    const names = hostileNames.map(safeName);
    expect(new Set(names.map((name) => name.toUpperCase().normalize("NFKC"))).size).toBe(
      hostileNames.length,
    );
    for (const name of names) {
      expect(name).toMatch(/^[uh]_[a-z0-9]+$/);
      expect(name.length).toBeLessThanOrEqual(120);
    }
    expect(safeName("foobar")).toBe("u_mzxw6ytboi");
    expect(tenantName(null)).not.toBe(tenantName("anonymous"));
  });

  test("of hostile ids never leave the folder, and only the owner may read", async () => {
    const { outside, root, provider } = await openNew();
    for (const [n, name] of hostileNames.entries()) {
      await provider.memory.put({ tenant: name }, "entity", draftOf(name));
      const user_id = name.length > 240 ? "long" : name;
      const events = sampleTurn(n % 2 === 0 ? user_id : `root ${n}`, { user_id });
      await provider.evidence.append({ batchId: name, receivedAt: receivedAt(1), events });
    }
    await provider.evidence.append({ batchId: "odd", receivedAt: "../../x", events: [] });
    expect(await readdir(outside)).toEqual(["files"]);
    for (const path of await everyPath(root)) {
      const stat = await lstat(path);
      expect(stat.mode & 0o777).toBe(stat.isDirectory() ? 0o700 : 0o600);
      expect(path.slice(root.length)).toMatch(/^[a-z0-9_./-]+$/);
      expect(path).not.toContain("..");
    }
    expect((await lstat(root)).mode & 0o777).toBe(0o700);
  });

  test("of a deleted tenant are gone from the disk", async () => {
    const { root, provider } = await openNew();
    await provider.memory.put(ann, "entity", draftOf("row"));
    await provider.memory.put(bob, "entity", draftOf("row"));
    await provider.memory.admin.deleteTenant(ann, "entity");
    expect(await readdir(join(root, "entity_memory"))).toEqual([tenantName("bob")]);
  });
});

describe("a link that is swapped in", () => {
  const swap = async (path: string, target: string): Promise<void> => {
    await rm(path, { recursive: true, force: true });
    await symlink(target, path);
  };

  test.each(["folder of a tenant", "collection"])("for a %s leads nowhere", async (what) => {
    const { outside, root, provider } = await openNew();
    const { memory } = provider;
    await memory.put(ann, "entity", draftOf("row"));
    const target = join(outside, "elsewhere");
    await mkdir(join(target, tenantName("ann")), { recursive: true });
    const before = await everyPath(target);
    const path = what === "collection" ? join(root, "entity_memory") : folder(root, "ann");
    await swap(path, target);
    await expect(memory.get(ann, "entity", "row")).rejects.toThrow("store_corrupt");
    await expect(memory.list(ann, "entity", { limit: 9 })).rejects.toThrow("store_corrupt");
    await expect(memory.put(ann, "entity", draftOf("new"))).rejects.toThrow("store_corrupt");
    expect(await everyPath(target)).toEqual(before);
  });

  test("for a document or an index is not followed", async () => {
    const { root, provider } = await openNew();
    await provider.memory.put(ann, "entity", draftOf("row"));
    await provider.memory.put(bob, "entity", draftOf("row", { text: "his" }));
    const row = documentName("row");
    await swap(join(folder(root, "ann"), row), join(folder(root, "bob"), row));
    const { memory } = await filesystem({ directory: root });
    await expect(memory.get(ann, "entity", "row")).rejects.toThrow("store_corrupt");
    await swap(join(folder(root, "bob"), "index.json"), join(folder(root, "ann"), "index.json"));
    await expect(memory.get(bob, "entity", "row")).rejects.toThrow("store_corrupt");
  });

  test("for the database of evidence is refused", async () => {
    const { outside, root, provider } = await openNew();
    const batch = { receivedAt: receivedAt(1), events: sampleTurn("r", { user_id: "ann" }) };
    await provider.evidence.append({ ...batch, batchId: "one" });
    await provider.close();
    await rename(join(root, "evidence.sqlite"), join(outside, "moved"));
    await symlink(join(outside, "moved"), join(root, "evidence.sqlite"));
    const { evidence } = await filesystem({ directory: root });
    await expect(evidence.page(allTenants, {}, { limit: 9 })).rejects.toThrow("store_corrupt");
    await expect(evidence.append({ ...batch, batchId: "two" })).rejects.toThrow("store_corrupt");
    expect(await evidence.check()).toMatchObject({ ok: false, code: "store_corrupt" });
  });
});

describe("documents that lie where they do not belong", () => {
  test("are nobody's rows", async () => {
    const { root, provider } = await openNew();
    await provider.memory.put(bob, "entity", draftOf("his"));
    await provider.memory.put(bob, "entity", draftOf("too"));
    await cp(folder(root, "bob"), folder(root, "ann"), { recursive: true });
    await cp(folder(root, "bob"), folder(root, null), { recursive: true });
    const twin = join(folder(root, "bob"), documentName("HIS"));
    await cp(join(folder(root, "bob"), documentName("his")), twin);
    const { memory } = await filesystem({ directory: root });
    expect(await idsIn(memory, ann)).toEqual([]);
    expect(await idsIn(memory, nobody)).toEqual([]);
    expect(await memory.admin.count(unscoped, "entity")).toBe(2);
    expect(await memory.get(bob, "entity", "HIS")).toBeUndefined();
    await memory.put(ann, "entity", draftOf("hers"));
    expect(await idsIn(memory, ann)).toEqual(["hers"]);
  });
});

describe("an index", () => {
  const damages: Readonly<Record<string, (path: string, text: string) => Promise<void>>> = {
    missing: (path) => rm(path),
    empty: (path) => writeFile(path, ""),
    torn: (path, text) => writeFile(path, text.slice(0, text.length / 2)),
    "no JSON": (path) => writeFile(path, "\u0000\u0001"),
    edited: (path, text) => writeFile(path, text.replace('"row-2"', '"row-9"')),
    foreign: (path) => writeFile(path, '{"format":1,"rows":[]}'),
    "of a later format": (path, text) => writeFile(path, text.replace('"format":1', '"format":9')),
  };
  test.each(Object.keys(damages))("that is %s is rebuilt from the documents", async (what) => {
    const { root, provider } = await openNew();
    for (const n of [1, 2, 3]) await provider.memory.put(ann, "entity", draftOf(`row-${n}`));
    const path = join(folder(root, "ann"), "index.json");
    await damages[what]?.(path, await readFile(path, "utf8"));
    for (const { memory } of [provider, await filesystem({ directory: root })]) {
      expect(await idsIn(memory, ann)).toEqual(["row-1", "row-2", "row-3"]);
      expect(await memory.count(ann, "entity")).toBe(3);
    }
    await provider.memory.put(ann, "entity", draftOf("row-4"));
    const index = JSON.parse(await readFile(path, "utf8")) as { rows: Record<string, unknown>[] };
    expect(index.rows).toHaveLength(4);
    expect(index.rows.every((row) => row["user_id"] === "ann")).toBe(true);
  });

  test("is not asked while its mark stands, and damaged documents are passed over", async () => {
    const { root, provider } = await openNew();
    for (const n of [1, 2]) await provider.memory.put(ann, "entity", draftOf(`row-${n}`));
    const place = folder(root, "ann");
    await writeFile(join(place, documentName("torn")), '{"id":"torn"');
    await writeFile(join(place, "tmp-0123456789abcdef"), "half");
    await writeFile(join(place, "index.dirty"), "");
    expect(await idsIn(provider.memory, ann)).toEqual(["row-1", "row-2"]);
    await provider.memory.put(ann, "entity", draftOf("row-3"));
    expect(await idsIn(provider.memory, ann)).toEqual(["row-1", "row-2", "row-3"]);
    const names = await readdir(place);
    expect(names).not.toContain("tmp-0123456789abcdef");
    expect(names).not.toContain("index.dirty");
  });
});

describe("an earlier layout", () => {
  async function legacy(): Promise<{ root: string; provider: FilesystemProvider }> {
    const { root, provider } = await openNew();
    const collection = join(root, "entity_memory");
    await mkdir(collection);
    const files: Record<string, unknown> = {
      "a.json": { id: "a", memory_id: "m", content: "green tea", colour: "green" },
      "b.json": { _id: "b", user_id: null, memory_id: "m", data: { n: 1 }, embedding: [1, 0] },
      "c.json": { id: "c", user_id: "ann", created_at: "2025-01-01T00:00:00Z" },
      "d.json": { id: "d", memory_id: "m" },
      "e.json": { text: "no id at all", timestamp: 1_700_000_000_000 },
      "index.json": { entries: { a: { file: "a.json" }, d: { id: "d", user_id: "bob" } } },
    };
    for (const [name, value] of Object.entries(files)) {
      await writeFile(join(collection, name), JSON.stringify(value));
    }
    await writeFile(join(collection, "broken.json"), "{");
    return { root, provider };
  }

  test("without user ids is anonymous, and nobody else sees it", async () => {
    const { memory } = (await legacy()).provider;
    expect((await idsIn(memory, nobody)).toSorted()).toEqual(["a", "b", "e"]);
    expect(await idsIn(memory, ann)).toEqual(["c"]);
    expect(await idsIn(memory, bob)).toEqual(["d"]);
    const row = await memory.get(nobody, "entity", "a");
    expect([row?.text, row?.data, row?.user_id]).toEqual(["green tea", { colour: "green" }, null]);
    expect(await memory.admin.count(unscoped, "entity")).toBe(5);
    expect(await memory.count({ ...nobody, memoryId: "m" }, "entity")).toBe(2);
    const near = await memory.vectorSearch(nobody, "entity", { embedding: [1, 0], limit: 9 });
    expect(near.hits.map((hit) => hit.record.id)).toEqual(["b"]);
  });

  test("moves to its tenants with the first write, and stays what it was", async () => {
    const { root, provider } = await legacy();
    const { memory } = provider;
    const before = await memory.list(nobody, "entity", { limit: 9 });
    await memory.put(bob, "entity", draftOf("new"));
    expect(await memory.list(nobody, "entity", { limit: 9 })).toEqual(before);
    expect((await readdir(join(root, "entity_memory"))).toSorted()).toEqual(
      [tenantName(null), "broken.json", tenantName("ann"), tenantName("bob")].toSorted(),
    );
    expect(await memory.delete(nobody, "entity", "a")).toBe(true);
    const again = (await filesystem({ directory: root })).memory;
    expect((await idsIn(again, nobody)).toSorted()).toEqual(["b", "e"]);
  });

  test("is adopted by migrateLegacyEntities", async () => {
    const { memory } = (await legacy()).provider;
    const scope = { memoryId: "m", userId: "ann" };
    expect(await memory.admin.migrateLegacyEntities(scope)).toBe(2);
    expect((await idsIn(memory, ann)).toSorted()).toEqual(["a", "b", "c"]);
    expect(await idsIn(memory, nobody)).toEqual(["e"]);
    expect(await memory.admin.migrateLegacyEntities(scope)).toBe(0);
  });
});

describe("a directory that may not be written", () => {
  test.each(["EROFS", "EACCES", "EPERM"])("by %s is read, and writes say so", async (code) => {
    const { root, provider } = await openNew();
    await provider.memory.put(ann, "entity", draftOf("row"));
    const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error(root), { code }));
    const refusing = { create: refuse, mark: refuse, mkdir: refuse, rename: refuse };
    const calls = { ...systemCalls, ...refusing, unlink: refuse, touch: refuse };
    const { memory, evidence } = await filesystem({ directory: root, calls });
    expect(await idsIn(memory, ann)).toEqual(["row"]);
    expect((await memory.check()).ok).toBe(true);
    const events = sampleTurn("r", { user_id: "ann" });
    const writes = [
      () => memory.put(ann, "entity", draftOf("new")),
      () => memory.delete(ann, "entity", "row"),
      () => memory.shared.put("persona", draftOf("new")),
      () => evidence.append({ batchId: "b", receivedAt: receivedAt(1), events }),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(/^store_read_only/);
    await expect(memory.put(ann, "entity", draftOf("secret"))).rejects.not.toThrow(root);
  });

  test("or a full disk is a code that may pass, and nothing half stays", async () => {
    const { root, provider } = await openNew();
    await provider.memory.put(ann, "entity", draftOf("row"));
    let full = true;
    const create: typeof systemCalls.create = async (path, bytes) => {
      if (!full) return systemCalls.create(path, bytes);
      await systemCalls.create(path, bytes.subarray(0, 3));
      throw Object.assign(new Error("no space"), { code: "ENOSPC" });
    };
    const { memory } = await filesystem({ directory: root, calls: { ...systemCalls, create } });
    const put = memory.put(ann, "entity", draftOf("new"));
    await expect(put).rejects.toMatchObject({ code: "disk_full", retryable: true });
    expect(await idsIn(memory, ann)).toEqual(["row"]);
    full = false;
    await memory.put(ann, "entity", draftOf("new"));
    expect(await idsIn(memory, ann)).toEqual(["new", "row"]);
  });

  test("that is a file is a code; one that is missing is made with those above it", async () => {
    const { outside } = await openNew();
    await writeFile(join(outside, "file"), "");
    const under = filesystem({ directory: join(outside, "file", "x") });
    await expect(under).rejects.toThrow("store_corrupt");
    const deep = join(outside, "no", "parent", "yet");
    const { memory } = await filesystem({ directory: deep });
    await memory.put(ann, "entity", draftOf("row"));
    expect((await lstat(join(outside, "no"))).mode & 0o777).toBe(0o700);
    const mkdirs = (): Promise<never> =>
      Promise.reject(Object.assign(new Error(deep), { code: "EACCES" }));
    const refused = filesystem({
      directory: join(outside, "other"),
      calls: { ...systemCalls, mkdir: mkdirs },
    });
    await expect(refused).rejects.toThrow("store_unavailable");
  });
});
