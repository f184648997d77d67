/** @module DirectoryLock lets one in, and takes over from the dead alone. */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { newOwner, ownerName } from "../filesystem/process-owner.ts";
import { lockDirectory } from "./directory-lock.ts";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "turnproof-lock-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const locked = { code: "store_locked" };

test("one holds it, others are refused, and nothing stays behind", async () => {
  const path = join(parent, "one");
  const release = await lockDirectory(path);
  await expect(lockDirectory(path)).rejects.toMatchObject(locked);
  await release();
  const again = await lockDirectory(path);
  await again();
  expect((await readdir(parent)).filter((name) => name.startsWith("one"))).toEqual([]);
});

test("of many at once exactly one gets it, over a dead owner's lock as well", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
  const dead = ownerName({ ...newOwner(), pid: Number(stdout) });
  for (const before of [undefined, dead]) {
    const path = join(parent, `many-${String(before === undefined)}`);
    if (before !== undefined) await writeFile(`${path}.lock`, before);
    const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lockDirectory(path)));
    const held = tries.filter((one) => one.status === "fulfilled");
    expect(held).toHaveLength(1);
    for (const one of held) await one.value();
  }
});

test("an owner out of sight is alive as long as it gives signs of life", async () => {
  const path = join(parent, "far");
  const far = ownerName({ ...newOwner(), boot: "0".repeat(12) });
  await writeFile(`${path}.lock`, far);
  await expect(lockDirectory(path)).rejects.toMatchObject(locked);
  const longAgo = new Date(Date.now() - 60_000);
  await utimes(`${path}.lock`, longAgo, longAgo);
  await (
    await lockDirectory(path)
  )();
});
