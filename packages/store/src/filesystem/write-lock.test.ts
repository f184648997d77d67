/**
 * One writer at a time over processes; a dead holder is replaced, and so is one without a
 * heartbeat.
 */
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { systemProcesses } from "@turnproof/journal/process-lock";
import { afterAll, expect, test } from "vitest";

import { systemCalls } from "./disk-calls.ts";
import { openDisk } from "./disk.ts";
import { holderName, writeLock } from "./write-lock.ts";
import type { LockTimes, WriteLock } from "./write-lock.ts";

const directory = await mkdtemp(join(tmpdir(), "turnproof-lock-"));
afterAll(() => rm(directory, { recursive: true, force: true }));

let folders = 0;

async function newFolder(): Promise<string> {
  folders += 1;
  const disk = await openDisk(directory, systemCalls);
  const name = `lock-${folders}`;
  await disk.ensure([name]);
  return name;
}

async function lockIn(folder: string, times: Partial<LockTimes> = {}): Promise<WriteLock> {
  return writeLock(await openDisk(directory, systemCalls), [folder], times);
}

test("the work of several locks never overlaps, and every work is done once", async () => {
  const folder = await newFolder();
  const locks = await Promise.all([lockIn(folder), lockIn(folder), lockIn(folder)]);
  let inside = 0;
  let done = 0;
  const work = async (): Promise<void> => {
    inside += 1;
    expect(inside).toBe(1);
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
    inside -= 1;
    done += 1;
  };
  await Promise.all(locks.flatMap((lock) => Array.from({ length: 20 }, () => lock.run(work))));
  expect(done).toBe(60);
  for (const lock of locks) await lock.idle();
  expect(await readdir(join(directory, folder))).toEqual([]);
});

test("work that fails lets go, and its error is its own", async () => {
  const folder = await newFolder();
  const lock = await lockIn(folder);
  const failing = lock.run(() => Promise.reject(new RangeError("mine")));
  const next = lock.run(() => Promise.resolve("fine"));
  await expect(failing).rejects.toThrow("mine");
  expect(await next).toBe("fine");
});

test("a holder whose process is gone is followed at once", async () => {
  const folder = await newFolder();
  const me = systemProcesses.self();
  const dead = [
    { ...me, pid: 4_194_300 },
    // The pid runs, but it is another process than the one that held the lock.
    { ...me, started: "1" },
  ];
  for (const owner of dead) await writeFile(join(directory, folder, holderName(owner)), "");
  const start = Date.now();
  const lock = await lockIn(folder);
  expect(await lock.run(() => Promise.resolve("mine"))).toBe("mine");
  await lock.idle();
  expect(Date.now() - start).toBeLessThan(5_000);
  expect(await readdir(join(directory, folder))).toEqual([]);
});

test("a holder that lives is waited for, and then it is busy", async () => {
  const folder = await newFolder();
  await writeFile(join(directory, folder, holderName(systemProcesses.self())), "");
  const lock = await lockIn(folder, { patienceMs: 60 });
  const answers = await Promise.allSettled([
    lock.run(() => Promise.resolve()),
    lock.run(() => Promise.resolve()),
  ]);
  for (const answer of answers) {
    expect(answer).toMatchObject({ reason: { code: "store_busy", retryable: true } });
  }
  expect(await readdir(join(directory, folder))).toHaveLength(1);
});

test("a stranger is dead once its heartbeat stood still, and not before", async () => {
  const folder = await newFolder();
  const stranger = { ...systemProcesses.self(), boot: "0123456789ab" };
  const path = join(directory, folder, holderName(stranger));
  await writeFile(path, "");
  const beating = setInterval(() => void systemCalls.touch(path), 15);
  const patient = await lockIn(folder, { patienceMs: 250, silenceMs: 120 });
  await expect(patient.run(() => Promise.resolve())).rejects.toThrow("store_busy");
  clearInterval(beating);
  const waiting = await lockIn(folder, { patienceMs: 5_000, silenceMs: 120 });
  expect(await waiting.run(() => Promise.resolve("followed"))).toBe("followed");
});

test("work notices that its lock was taken away", async () => {
  const folder = await newFolder();
  const lock = await lockIn(folder);
  const robbed = lock.run(async (held) => {
    await held.confirm();
    for (const name of await readdir(join(directory, folder))) {
      await rm(join(directory, folder, name));
    }
    await held.confirm();
  });
  await expect(robbed).rejects.toThrow("store_busy");
});
