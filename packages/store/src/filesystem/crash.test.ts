/** A crash at every changing call leaves the old state or the new one, never a mixture. */
import { cp, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, describe, expect, test } from "vitest";

import type { AdministeredMemory } from "../provider.ts";
import { draftOf } from "../testing/on-memory.ts";
import { systemCalls } from "./disk-calls.ts";
import type { DiskCalls } from "./disk-calls.ts";
import { filesystem } from "./filesystem.ts";
import type { FilesystemProvider } from "./filesystem.ts";
import { tenantName } from "./safe-name.ts";

const made: string[] = [];
afterAll(async () => {
  for (const directory of made) await rm(directory, { recursive: true, force: true });
});

async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), "turnproof-crash-"));
  made.push(path);
  return path;
}

const changing = ["create", "mark", "rename", "unlink", "mkdir", "rmdir", "sync"] as const;

type Moment = "before" | "amid" | "after";

/** Calls of a process that dies at the nth change: before it, in the middle, or after it. */
function dyingCalls(nth: number, moment: Moment): DiskCalls & { used: string[] } {
  const calls: DiskCalls & { used: string[] } = { ...systemCalls, used: [] };
  let dead = false;
  const die = (): never => {
    dead = true;
    throw Object.assign(new Error("the process is gone"), { code: "EIO" });
  };
  for (const name of changing) {
    const real = systemCalls[name] as (...given: unknown[]) => Promise<void>;
    const dying = async (...given: unknown[]): Promise<void> => {
      if (dead) die();
      const mine = calls.used.length === nth;
      calls.used.push(name);
      if (mine && moment === "before") die();
      if (mine && moment === "amid" && name === "create") {
        const [path, bytes] = given as [string, Uint8Array];
        await systemCalls.create(path, bytes.subarray(0, bytes.length / 2));
        die();
      }
      await real(...given);
      if (mine) die();
    };
    Object.assign(calls, { [name]: dying });
  }
  return calls;
}

const ann = { tenant: "ann" };
const nobody = { tenant: null };
const clock = (): string => "2026-03-01T12:00:00.000Z";

async function prepare({ memory }: FilesystemProvider): Promise<void> {
  await memory.put(ann, "entity", draftOf("old", { text: "tea", embedding: [1, 0] }));
  await memory.put(ann, "entity", draftOf("kept", { memory_id: "m" }));
  await memory.put(nobody, "entity", draftOf("legacy-1", { memory_id: "m" }));
  await memory.put(nobody, "entity", draftOf("legacy-2", { memory_id: "m" }));
  await memory.put(nobody, "entity", draftOf("stays", { memory_id: "n" }));
  await memory.shared.put("persona", draftOf("host"));
}

const works: Readonly<Record<string, (provider: FilesystemProvider) => Promise<unknown>>> = {
  "put a new row": ({ memory }) => memory.put(ann, "entity", draftOf("new", { text: "tea" })),
  "put into a new folder": ({ memory }) => memory.put({ tenant: "bob" }, "summary", draftOf("new")),
  "replace a row": ({ memory }) => memory.put(ann, "entity", draftOf("old", { text: "coffee" })),
  "update a row": ({ memory }) => memory.update(ann, "entity", "old", 1, { embedding: [0, 1] }),
  "delete a row": ({ memory }) => memory.delete(ann, "entity", "old"),
  "put a shared row": ({ memory }) => memory.shared.put("persona", draftOf("guest")),
  "migrate legacy entities": ({ memory }) =>
    memory.admin.migrateLegacyEntities({ memoryId: "m", userId: "ann" }),
};

/** Everything that a reader can see, through every read method. */
async function seen({ memory }: FilesystemProvider): Promise<unknown> {
  const rows: unknown[] = [];
  for (const filter of [ann, nobody, { tenant: "bob" }]) {
    for (const kind of ["entity", "summary"] as const) {
      const { records } = await memory.list(filter, kind, { limit: 99 });
      rows.push(records);
      // All read methods must agree.
      expect(await memory.count(filter, kind)).toBe(records.length);
      expect(await memory.admin.count(filter, kind)).toBe(records.length);
      for (const row of records) expect(await memory.get(filter, kind, row.id)).toEqual(row);
      const texts = await memory.textSearch(filter, kind, { text: "tea", limit: 99 });
      expect(texts.hits).toHaveLength(records.filter((row) => row.text === "tea").length);
      const near = await memory.vectorSearch(filter, kind, { embedding: [1, 0], limit: 99 });
      expect(near.hits).toHaveLength(records.filter((row) => row.embedding !== undefined).length);
    }
  }
  return JSON.stringify([rows, (await memory.shared.list("persona", { limit: 9 })).records]);
}

async function openCopy(from: string, calls?: DiskCalls): Promise<[FilesystemProvider, string]> {
  const path = join(await directory(), "copy");
  await cp(from, path, { recursive: true });
  return [await filesystem({ directory: path, clock, ...(calls && { calls }) }), path];
}

/** The dead process and this one are the same process here, so its lock is removed by hand. */
async function reopen(path: string): Promise<FilesystemProvider> {
  await rm(join(path, "locks"), { recursive: true, force: true });
  return filesystem({ directory: path, clock });
}

async function countRows(memory: AdministeredMemory): Promise<number> {
  let rows = 0;
  for (const kind of ["entity", "summary"] as const) {
    for (const filter of [ann, nobody]) rows += await memory.count(filter, kind);
  }
  return rows;
}

describe("a crash", async () => {
  const base = await directory();
  await prepare(await filesystem({ directory: base, clock }));

  test.each(Object.keys(works))("at every change of: %s", { timeout: 60_000 }, async (name) => {
    const work = works[name] as (provider: FilesystemProvider) => Promise<unknown>;
    const counting = dyingCalls(Infinity, "before");
    const [whole, wholePath] = await openCopy(base, counting);
    const before = await seen(whole);
    counting.used.length = 0;
    await work(whole);
    const steps = [...counting.used];
    const after = await seen(await reopen(wholePath));
    expect(after).not.toEqual(before);
    expect(steps.length).toBeGreaterThan(3);

    // After one change equals before the next; only a file can be left incomplete.
    const deaths: [number, Moment][] = [[0, "before"]];
    for (const [nth, call] of steps.entries()) {
      if (call === "create") deaths.push([nth, "amid"]);
      deaths.push([nth, "after"]);
    }
    let olds = 0;
    let news = 0;
    const die = async ([nth, moment]: [number, Moment]): Promise<void> => {
      const [dying, path] = await openCopy(base, dyingCalls(nth, moment));
      const acknowledged = await work(dying).then(
        () => true,
        () => false,
      );
      const left = await reopen(path);
      const state = await seen(left);
      expect([before, after]).toContain(state);
      if (acknowledged) expect(state).toEqual(after);
      if (state === before) olds += 1;
      else news += 1;
      // The next write finds what readers saw, and repairs the rest.
      const rows = await countRows(left.memory);
      await left.memory.put(ann, "entity", draftOf("next"));
      expect(await countRows(left.memory)).toBe(rows + 1);
      expect(await countRows((await reopen(path)).memory)).toBe(rows + 1);
    };
    for (let n = 0; n < deaths.length; n += 4) {
      await Promise.all(deaths.slice(n, n + 4).map(die));
    }
    expect(olds).toBeGreaterThan(0);
    expect(news).toBeGreaterThan(0);
  });

  test("a deletion that died anywhere is finished by the next", { timeout: 60_000 }, async () => {
    const counting = dyingCalls(Infinity, "before");
    const [whole] = await openCopy(base, counting);
    counting.used.length = 0;
    await whole.memory.admin.deleteTenant(ann, "entity");
    const steps = [...counting.used];
    expect(steps).toContain("rmdir");
    const end = async (nth: number, moment: Moment): Promise<void> => {
      const [dying, path] = await openCopy(base, dyingCalls(nth, moment));
      await dying.memory.admin.deleteTenant(ann, "entity").catch(() => undefined);
      const left = await reopen(path);
      await left.memory.admin.deleteTenant(ann, "entity");
      const names = await readdir(path, { recursive: true });
      const named = names.filter((name) => name.includes(tenantName("ann")));
      expect([nth, moment, named]).toEqual([nth, moment, []]);
    };
    for (const [nth, call] of steps.entries()) {
      await end(nth, "before");
      if (call === "create") await end(nth, "amid");
    }
  });
});
