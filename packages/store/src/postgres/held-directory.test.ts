/** @module The directory of an embedded PostgreSQL is held by one process at a time. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { ownerText, systemProcesses } from "@turnproof/journal/process-lock";
import { afterAll, beforeAll, expect, test } from "vitest";

import { heldDirectory } from "./database.ts";

let parent: string;
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), "turnproof-lock-"));
});
afterAll(() => rm(parent, { recursive: true, force: true }));

const rounds = 100;
const locked = { code: "store_locked" };

/** A process that ended. */
async function dead(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-p", "process.pid"]);
  return ownerText({ ...systemProcesses.self(), pid: Number(stdout) });
}

test("one holds it, others are refused, and no lock stays behind", async () => {
  const path = join(parent, "one");
  const release = await heldDirectory(path);
  await expect(heldDirectory(path)).rejects.toMatchObject(locked);
  await release();
  const again = await heldDirectory(path);
  await again();
  expect(await readdir(`${path}.owners`)).toEqual([]);
});

test("of many at once exactly one gets it, over a dead owner's lock as well", async () => {
  const owner = await dead();
  for (let round = 0; round < rounds; round += 1) {
    for (const before of [undefined, owner]) {
      const path = join(parent, `many-${String(before === undefined)}`);
      if (before !== undefined) {
        await mkdir(`${path}.owners`, { recursive: true });
        await writeFile(join(`${path}.owners`, `owner-${before}.lock`), "");
      }
      const tries = await Promise.allSettled(Array.from({ length: 10 }, () => heldDirectory(path)));
      const held = tries.filter((one) => one.status === "fulfilled");
      expect(held, `round ${round}`).toHaveLength(1);
      for (const one of held) await one.value();
      expect(await readdir(`${path}.owners`)).toEqual([]);
    }
  }
});

test("a running process of an earlier version keeps it; what a dead one left is removed", async () => {
  const path = join(parent, "earlier");
  await writeFile(`${path}.lock`, `owner-${ownerText(systemProcesses.self())}-0123456789abcdef`);
  await expect(heldDirectory(path)).rejects.toMatchObject(locked);
  await writeFile(`${path}.lock`, `owner-${await dead()}-0123456789abcdef`);
  await (
    await heldDirectory(path)
  )();
  expect(await readdir(parent)).not.toContain("earlier.lock");
});
