/** @module DirectoryLock admits one process, and takes over from dead owners only. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
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

const rounds = 100;
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
  for (let round = 0; round < rounds; round += 1) {
    for (const before of [undefined, dead]) {
      const path = join(parent, `many-${String(before === undefined)}`);
      if (before !== undefined) await writeFile(`${path}.lock`, before);
      const tries = await Promise.allSettled(Array.from({ length: 10 }, () => lockDirectory(path)));
      const held = tries.filter((one) => one.status === "fulfilled");
      expect(held, `round ${round}`).toHaveLength(1);
      for (const one of held) await one.value();
    }
  }
  expect((await readdir(parent)).filter((name) => name.startsWith("many"))).toEqual([]);
});

test("whoever died while it took over from a dead owner is followed, one alive is not", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
  const dead = (): string => ownerName({ ...newOwner(), pid: Number(stdout) });
  const after = (owner: string): string =>
    `.lock.after-${createHash("sha256").update(owner).digest("hex").slice(0, 16)}`;
  const claimed = async (name: string, claimant: string): Promise<string> => {
    const path = join(parent, name);
    const owner = dead();
    await writeFile(`${path}.lock`, owner);
    await writeFile(`${path}${after(owner)}`, claimant);
    return path;
  };
  const release = await lockDirectory(await claimed("left", dead()));
  await release();
  expect((await readdir(parent)).filter((name) => name.startsWith("left"))).toEqual([]);
  const alive = lockDirectory(await claimed("held", ownerName(newOwner())));
  await expect(alive).rejects.toMatchObject(locked);
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
