/**
 * Power cuts at every call and with any subset of what was not durable: nothing acknowledged is
 * lost, nothing appears that was not sent, nothing checkpointed comes back. The same runs with bugs
 * planted must fail, or this suite proves nothing.
 */
import { describe, expect, test } from "vitest";

import type { JournalFileSystem } from "@turnproof/journal";

import { Violation, emptyLedger, judge, runSeed, runUntil } from "./power-cuts.ts";
import type { Load, Plant } from "./power-cuts.ts";
import { seeded, simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const seeds = Number(process.env["JOURNAL_SEEDS"] ?? "500");
const exhaustiveAtomsMax = Number(process.env["JOURNAL_EXHAUSTIVE_ATOMS"] ?? "9");

describe("a power cut", () => {
  test(`loses nothing acknowledged (${seeds} seeds)`, async () => {
    for (let seed = 1; seed <= seeds; seed += 1) {
      await runSeed(seed).catch((error: unknown) => {
        throw new Error(`seed ${seed}`, { cause: error });
      });
    }
  }, 600_000);

  test("at every call of a short run, with every subset of what was pending", async () => {
    const load: Load = { writers: 2, framesEach: 2, bytesMax: 700, drains: true };
    let cuts = 0;
    for (let crashAt = 0; ; crashAt += 1) {
      const ledger = emptyLedger();
      const disk = simulateDisk();
      const random = seeded(99);
      await runUntil(disk, crashAt, load, ledger, {}, random);
      const atoms = disk.atoms();
      const subsets = Math.min(2 ** atoms, 2 ** exhaustiveAtomsMax);
      for (let subset = 0; subset < subsets; subset += 1) {
        const all = atoms <= exhaustiveAtomsMax;
        const survives = all
          ? (atom: number): boolean => ((subset >> atom) & 1) === 1
          : (): boolean => random() < 0.5;
        await judge(disk.afterPowerCut(survives), ledger, {});
        cuts += 1;
      }
      if (disk.log.length <= crashAt) break;
    }
    expect(cuts).toBeGreaterThan(300);
  }, 600_000);

  test("a dead process loses nothing either, at every call", async () => {
    const load: Load = { writers: 3, framesEach: 4, bytesMax: 1_500, drains: true };
    for (let crashAt = 0; ; crashAt += 1) {
      const ledger = emptyLedger();
      const disk = simulateDisk();
      await runUntil(disk, crashAt, load, ledger, {}, seeded(5));
      await judge(disk.afterKill(), ledger, {});
      if (disk.log.length <= crashAt) break;
    }
  }, 120_000);
});

/** Runs seeds until one is violated. */
async function firstViolation(plant: Plant, most: number): Promise<string | undefined> {
  for (let seed = 1; seed <= most; seed += 1) {
    try {
      await runSeed(seed, plant);
    } catch (error) {
      if (error instanceof Violation) return error.message;
      throw error;
    }
  }
  return undefined;
}

/** The disk underneath, with the syncs of files left out. */
const withoutFileSync = (disk: SimulatedDisk): JournalFileSystem => ({
  ...disk,
  open: async (path, mode) => ({ ...(await disk.open(path, mode)), sync: () => Promise.resolve() }),
});

const withoutDirectorySync = (disk: SimulatedDisk): JournalFileSystem => ({
  ...disk,
  syncDirectory: () => Promise.resolve(),
});

/** The checkpoint reaches its name only after segments were unlinked. */
const unlinkBeforeCheckpoint = (disk: SimulatedDisk): JournalFileSystem => {
  let held: (() => Promise<void>) | undefined;
  const release = async (): Promise<void> => {
    const rename = held;
    held = undefined;
    await rename?.();
  };
  return {
    ...disk,
    rename: async (from, to) => {
      if (!to.endsWith("/checkpoint")) return disk.rename(from, to);
      await release();
      held = () => disk.rename(from, to);
    },
    list: async (directory) => {
      await release();
      return disk.list(directory);
    },
    unlink: async (path) => {
      await disk.unlink(path);
      if (path.endsWith(".segment")) await release();
    },
  };
};

describe("the same runs catch a planted bug", () => {
  test("the sync of a file left out", async () => {
    expect(await firstViolation({ wrap: withoutFileSync }, 300)).toBe("acknowledged and lost");
  });

  test("the sync of the directory left out", async () => {
    expect(await firstViolation({ wrap: withoutDirectorySync }, 300)).toBeDefined();
  });

  test("checkpoint and unlink swapped", async () => {
    const violation = await firstViolation({ wrap: unlinkBeforeCheckpoint }, 300);
    expect([
      "unlinked before the checkpoint was durable",
      "came back after its checkpoint",
    ]).toContain(violation);
  });

  test("checksums not looked at", async () => {
    const violation = await firstViolation({ options: { verifyChecksums: false } }, 2_000);
    expect(violation).toBe("recovered what nobody sent");
  });
});
