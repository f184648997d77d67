/**
 * A disk that is really full: eight mebibytes of tmpfs where this process may mount one, else the
 * real disk behind a counter that answers ENOSPC at the same size.
 */
import { execFileSync } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { nodeFileSystem, openJournal } from "@turnproof/journal";
import type { Journal, JournalFileSystem } from "@turnproof/journal";

import { pendingTexts } from "./simulated-journal.ts";

const sizeBytes = 8 * 1024 * 1024;

let directory = "";
let mounted = false;
let fileSystem: JournalFileSystem;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "full-"));
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${sizeBytes}`, "none", directory], {
      stdio: "ignore",
    });
    mounted = true;
    fileSystem = nodeFileSystem;
  } catch {
    mounted = false;
    fileSystem = countedFileSystem();
  }
});
afterEach(async () => {
  if (mounted) execFileSync("umount", ["-l", directory], { stdio: "ignore" });
  await rm(directory, { recursive: true, force: true });
});

/** The real disk with room for `sizeBytes`; a write that does not fit fails whole. */
function countedFileSystem(): JournalFileSystem {
  const sizes = new Map<string, number>();
  const used = (): number => [...sizes.values()].reduce((sum, size) => sum + size, 0);
  return {
    ...nodeFileSystem,
    async open(path, mode) {
      const file = await nodeFileSystem.open(path, mode);
      return {
        ...file,
        async write(bytes, position) {
          const size = sizes.get(path) ?? 0;
          const grown = Math.max(size, position + bytes.byteLength);
          if (used() - size + grown > sizeBytes) {
            throw Object.assign(new Error("full"), { code: "ENOSPC" });
          }
          await file.write(bytes, position);
          sizes.set(path, grown);
        },
        async truncate(length) {
          await file.truncate(length);
          sizes.set(path, length);
        },
      };
    },
    async rename(from, to) {
      await nodeFileSystem.rename(from, to);
      sizes.set(to, sizes.get(from) ?? 0);
      sizes.delete(from);
    },
    async unlink(path) {
      await nodeFileSystem.unlink(path);
      sizes.delete(path);
    },
  };
}

const text = (index: number): string => `${index}-`.padEnd(20_000, "x");

/** Appends until it is refused; the indexes that were taken, and the code of the refusal. */
async function fill(journal: Journal, from: number): Promise<{ taken: number[]; code: string }> {
  const taken: number[] = [];
  for (let index = from; ; index += 1) {
    try {
      await journal.append({ payload: Buffer.from(text(index)), spans: 1 });
      taken.push(index);
    } catch (error) {
      return { taken, code: (error as { readonly code: string }).code };
    }
  }
}

test("a journal on a full disk keeps, refuses, starts, drains and takes again", async () => {
  const options = { directory, fileSystem, segmentBytes: 1024 * 1024 };
  const first = await openJournal(options);
  const { taken, code } = await fill(first, 0);
  expect(code).toBe("disk_full");
  expect(taken.length).toBeGreaterThan(300);
  expect(first.stats()).toMatchObject({ healthy: false, pendingFrames: taken.length });
  await first.close();

  // A start on the full disk.
  const journal = await openJournal(options);
  expect(await pendingTexts(journal)).toEqual(taken.map(text));
  const refused = await fill(journal, taken.length);
  expect(refused.code).toBe("disk_full");
  const all = [...taken, ...refused.taken];

  // Half of it reaches the store; the space comes back without a restart.
  let through = 0;
  for await (const frame of journal.read()) {
    through = frame.sequence;
    if (frame.position.totals.frames === Math.floor(all.length / 2)) break;
  }
  await journal.checkpoint(through);
  expect(journal.stats().pendingFrames).toBe(all.length - Math.floor(all.length / 2));
  while (!journal.stats().healthy) await new Promise((resolve) => setTimeout(resolve, 50));
  const more = await fill(journal, 10_000);
  expect(more.taken.length).toBeGreaterThan(50);
  expect(await pendingTexts(journal)).toEqual(
    [...all.slice(Math.floor(all.length / 2)), ...more.taken].map(text),
  );
  await journal.close();
});
