/** The evidence database: damage, full and unwritable disks, other processes, deleted bytes. */
import { chmod, cp, lstat, mkdtemp, open, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import { openSqlite } from "../sqlite/sqlite-database.ts";
import { sqliteError } from "../sqlite/sqlite-error.ts";
import { sqliteEvidence } from "../sqlite/sqlite-evidence.ts";
import { allTenants, receivedAt, sampleTurn } from "../testing/sample-event.ts";
import { checkEvidenceFile } from "./evidence-check.ts";
import { filesystem } from "./filesystem.ts";
import type { FilesystemProvider } from "./filesystem.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "turnproof-evidence-"));
  made.push(path);
  return path;
}

async function put({ evidence }: FilesystemProvider, n: number): Promise<void> {
  await evidence.append({
    batchId: `b${n}`,
    receivedAt: receivedAt(n),
    events: sampleTurn(`root-${n}`, { user_id: "ann", thread_id: "t" }),
  });
}

async function filled(batches: number): Promise<string> {
  const root = await directory();
  await using provider = await filesystem({ directory: root });
  for (let n = 1; n <= batches; n += 1) await put(provider, n);
  return root;
}

const fileOf = (root: string): string => join(root, "evidence.sqlite");

async function shown({ evidence }: FilesystemProvider): Promise<number> {
  return (await evidence.page(allTenants, {}, { limit: 500 })).events.length;
}

test("files are the owner's, and nothing is made before evidence is asked for", async () => {
  const root = await directory();
  await using provider = await filesystem({ directory: root });
  await expect(lstat(fileOf(root))).rejects.toThrow("ENOENT");
  await put(provider, 1);
  for (const end of ["", "-wal", "-shm"]) {
    expect((await lstat(`${fileOf(root)}${end}`)).mode & 0o777).toBe(0o600);
  }
});

describe("damage", () => {
  test("of a root's body leaves that root out and says bounded; the rest is read", async () => {
    const root = await filled(3);
    const path = fileOf(root);
    const text = await readFile(path, "latin1");
    const at = text.indexOf("root-2:result");
    const changed = at < 0 ? text.indexOf('"aa"') : at;
    expect(changed).toBeGreaterThan(0);
    const file = await open(path, "r+");
    // One letter of an id: the page is valid for the engine, and the body can be read.
    await file.write(Buffer.from("z"), 0, 1, changed + 1);
    await file.close();
    await using provider = await filesystem({ directory: root });
    const page = await provider.evidence.page({ tenant: "ann" }, {}, { limit: 99 });
    expect([page.events.length, page.bounded]).toEqual([6, true]);
  });

  test("of pages and of the head is a code that check tells as well", async () => {
    const root = await filled(40);
    const whole = await readFile(fileOf(root));
    for (const [from, to, code] of [
      [0, 64, "store_corrupt"],
      [4_096, whole.length, "store_corrupt"],
    ] as const) {
      await writeFile(fileOf(root), Buffer.from(whole).fill(0x5a, from, to));
      await using provider = await filesystem({ directory: root });
      const page = provider.evidence.page(allTenants, {}, { limit: 9 });
      await expect(page).rejects.toMatchObject({ code });
      expect(await provider.evidence.check()).toMatchObject({ ok: false, code });
    }
    await writeFile(fileOf(root), whole);
    await using provider = await filesystem({ directory: root });
    expect(await shown(provider)).toBe(120);
  });

  test("of a newer version is refused", async () => {
    const root = await filled(1);
    const database = openSqlite(fileOf(root));
    database.exec("PRAGMA user_version = 99");
    database.close();
    await using provider = await filesystem({ directory: root });
    await expect(shown(provider)).rejects.toMatchObject({ code: "store_version_newer" });
  });

  test("at every byte of the log loses at most what was written last, and never half", async () => {
    const root = await directory();
    const copies = join(root, "copies");
    await using provider = await filesystem({ directory: join(root, "files") });
    for (let n = 1; n <= 4; n += 1) await put(provider, n);
    await cp(join(root, "files"), join(copies, "base"), { recursive: true });
    const wal = `${fileOf(join(copies, "base"))}-wal`;
    const { size } = await stat(wal);
    const bytes = await readFile(wal);
    let before = 12;
    for (let cut = size; cut >= 0; cut -= Math.ceil(size / 40)) {
      await writeFile(wal, bytes.subarray(0, cut));
      await rm(`${fileOf(join(copies, "base"))}-shm`, { force: true });
      const copy = join(copies, `cut-${cut}`);
      await cp(join(copies, "base"), copy, { recursive: true });
      await using left = await filesystem({ directory: copy });
      const events = await shown(left);
      expect(events % 3).toBe(0);
      expect(events).toBeLessThanOrEqual(before);
      before = events;
      await put(left, 9);
      expect(await shown(left)).toBe(events + 3);
    }
    expect(before).toBe(0);
  });
});

describe("other processes", () => {
  test("are seen by the next read, and writers take turns", async () => {
    const root = await filled(1);
    await using one = await filesystem({ directory: root });
    await using other = await filesystem({ directory: root });
    await Promise.all([2, 3, 4].flatMap((n) => [put(one, n), put(other, n), put(other, n + 10)]));
    expect([await shown(one), await shown(other)]).toEqual([21, 21]);
  });

  test("that write hold up a writer and no reader", async () => {
    const root = await filled(2);
    await using provider = await filesystem({ directory: root });
    expect(await shown(provider)).toBe(6);
    const database = openSqlite(fileOf(root));
    database.exec("BEGIN IMMEDIATE");
    const waiting = put(provider, 3);
    expect(await shown(provider)).toBe(6);
    database.exec("COMMIT");
    database.close();
    await waiting;
    expect(await shown(provider)).toBe(9);
  });
});

test("a connection for reading reads what others write, and writes nothing", async () => {
  const root = await filled(1);
  await using reader = await filesystem({ directory: root, readOnly: true });
  await using writer = await filesystem({ directory: root });
  expect(await shown(reader)).toBe(3);
  await put(writer, 2);
  expect(await shown(reader)).toBe(6);
  await expect(put(reader, 3)).rejects.toMatchObject({ code: "store_read_only" });
  expect(await shown(writer)).toBe(6);
});

test("a file of the previous version is read as it lies, and brought up as it is opened", async () => {
  const root = await filled(2);
  const database = openSqlite(fileOf(root));
  database.exec("DROP INDEX turns_own_time");
  database.exec("ALTER TABLE roots ADD COLUMN evidence INTEGER NOT NULL DEFAULT 1");
  database.exec("PRAGMA user_version = 1");
  database.close();
  expect(await checkEvidenceFile(root)).toEqual({ found: "older_version" });
  const question = { scope: allTenants, where: [] } as const;
  const listed = ({ evidence }: FilesystemProvider) =>
    evidence.ledger.listTurns(question, { order: { by: "own_time" }, limit: 5 });
  {
    await using unchanged = await filesystem({ directory: root, mayChange: false });
    expect([await shown(unchanged), (await listed(unchanged)).records]).toEqual([6, []]);
  }
  await using provider = await filesystem({ directory: root });
  await put(provider, 3);
  expect([await shown(provider), (await listed(provider)).records]).toEqual([9, []]);
  expect(await checkEvidenceFile(root)).toEqual({ found: "whole" });
});

test("a disk without room refuses a batch whole, and goes on when there is some", async () => {
  const root = await filled(1);
  const database = openSqlite(fileOf(root));
  const store = sqliteEvidence(database);
  const events = Array.from({ length: 50 }, (_, n) => sampleTurn(`more-${n}`, {})).flat();
  const batch = { batchId: "more", receivedAt: receivedAt(5), events };
  const count = async (): Promise<number> =>
    (await store.page(allTenants, {}, { limit: 500 })).events.length;
  const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
  database.exec(`PRAGMA max_page_count = ${pages + 1}`);
  const refused = await store.append(batch).catch((error: unknown) => sqliteError(error));
  expect(refused).toMatchObject({ code: "disk_full", retryable: true });
  expect([await count(), await store.readBack("more", "")]).toEqual([
    3,
    { rows: 0, complete: false },
  ]);
  database.exec("PRAGMA max_page_count = 1000000");
  await store.append(batch);
  expect([await count(), await store.readBack("more", "")]).toEqual([
    153,
    { rows: 150, complete: true },
  ]);
  await store.close();
});

test("a folder that cannot be written is read, and a write is a code", async () => {
  const root = await filled(2);
  await chmod(fileOf(root), 0o400);
  await chmod(root, 0o500);
  try {
    await using provider = await filesystem({ directory: root });
    expect(await shown(provider)).toBe(6);
    // The superuser can write anywhere.
    if (process.getuid?.() !== 0) {
      await expect(put(provider, 3)).rejects.toMatchObject({ code: "store_read_only" });
    }
  } finally {
    await chmod(root, 0o700);
  }
});
