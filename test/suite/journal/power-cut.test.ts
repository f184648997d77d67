/**
 * Power cuts at every call and with any subset of what was not durable: nothing acknowledged is
 * lost, nothing appears that nobody sent, nothing checkpointed comes back. The same runs with bugs
 * planted must fail, or this suite proves nothing.
 */
import { describe, expect, test } from "vitest";

import type { Journal, JournalFileSystem, JournalOptions } from "@turnproof/journal";

import { openSimulated, pendingTexts, rawFrames } from "./simulated-journal.ts";
import { seeded, simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const seeds = Number(process.env["JOURNAL_SEEDS"] ?? "1000");
const exhaustiveAtomsMax = Number(process.env["JOURNAL_EXHAUSTIVE_ATOMS"] ?? "9");

/** What a run may plant: another disk underneath, other options. */
interface Plant {
  readonly wrap?: (disk: SimulatedDisk) => JournalFileSystem;
  readonly options?: Partial<JournalOptions>;
}

/** What the outside world knows: it keeps its ledger off the disk. */
interface Ledger {
  readonly sent: Set<string>;
  readonly acknowledged: Set<string>;
  readonly stored: Set<string>;
  readonly checkpointed: Set<string>;
}

interface Load {
  readonly writers: number;
  readonly framesEach: number;
  readonly bytesMax: number;
  readonly drains: boolean;
}

class Violation extends Error {}

function assertHolds(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

const emptyLedger = (): Ledger => ({
  sent: new Set(),
  acknowledged: new Set(),
  stored: new Set(),
  checkpointed: new Set(),
});

/** Writers append and a drain stores and checkpoints, until all is done or the power goes. */
async function work(
  journal: Journal,
  load: Load,
  ledger: Ledger,
  random: () => number,
  powered: () => boolean,
): Promise<void> {
  let writing = load.writers;
  const prefix = ledger.sent.size;
  const write = async (writer: number): Promise<void> => {
    for (let index = 0; index < load.framesEach; index += 1) {
      const size = 1 + Math.floor(random() ** 2 * load.bytesMax);
      const text = `${prefix}-${writer}-${index}-`.padEnd(size, "x");
      ledger.sent.add(text);
      await journal.append({ payload: Buffer.from(text), spans: 1 }).then(
        () => ledger.acknowledged.add(text),
        () => undefined,
      );
    }
    writing -= 1;
  };
  const drain = async (): Promise<void> => {
    while (powered() && (writing > 0 || journal.stats().pendingFrames > 0)) {
      const batch: string[] = [];
      let through: number | undefined;
      for await (const frame of journal.read()) {
        batch.push(Buffer.from(frame.payload).toString());
        through = frame.sequence;
        if (batch.length === 3) break;
      }
      await new Promise((resolve) => setImmediate(resolve));
      if (through === undefined) continue;
      await journal.plan([through]);
      for (const text of batch) ledger.stored.add(text);
      await journal.checkpoint(through);
      for (const text of batch) ledger.checkpointed.add(text);
    }
  };
  const writers = Array.from({ length: load.writers }, (_, writer) => write(writer));
  await Promise.all(load.drains ? [...writers, drain()] : writers);
  await journal.close();
}

/** Unlinking is only right when the checkpoint is durable in the worst of cases. */
function auditUnlinks(disk: SimulatedDisk): Promise<void> {
  return new Promise((_, reject) => {
    disk.audit = async ({ name, file }) => {
      if (name !== "unlink" || !file.endsWith(".segment")) return;
      const frames = rawFrames(disk.contents(file)).filter((frame) => frame.kind === 1);
      const last = frames.at(-1)?.sequence ?? 0;
      const worst = await openSimulated(disk.afterPowerCut(() => false));
      const { drainedThrough } = worst.stats();
      await worst.close();
      if (drainedThrough < last)
        reject(new Violation("unlinked before the checkpoint was durable"));
    };
  });
}

/** Runs until the given call, cuts the power and hands back the disk as it was then. */
async function runUntil(
  disk: SimulatedDisk,
  crashAt: number,
  load: Load,
  ledger: Ledger,
  plant: Plant,
  random: () => number,
): Promise<void> {
  disk.crashAt = crashAt;
  const violated = auditUnlinks(disk);
  const fileSystem = plant.wrap?.(disk) ?? disk;
  const opened = openSimulated(fileSystem, plant.options);
  const done = opened.then((journal) =>
    work(journal, load, ledger, random, () => disk.log.length <= crashAt),
  );
  await Promise.race([done, disk.crashed, violated]);
}

/** Opens what the cut left and compares it with the ledger. */
async function judge(disk: SimulatedDisk, ledger: Ledger, plant: Plant): Promise<void> {
  const journal = await openSimulated(disk, plant.options);
  const pending = await pendingTexts(journal);
  const found = new Set(pending);
  assertHolds(found.size === pending.length, "delivered twice in one run");
  for (const text of pending) {
    assertHolds(ledger.sent.has(text), "recovered what nobody sent");
    assertHolds(!ledger.checkpointed.has(text), "came back after its checkpoint");
  }
  for (const text of ledger.acknowledged) {
    assertHolds(found.has(text) || ledger.stored.has(text), "acknowledged and lost");
  }
  assertHolds(journal.stats().lostFrames === 0, "counted a loss that never was");
  await journal.append({ payload: Buffer.from("fresh"), spans: 1 });
  const after = await pendingTexts(journal);
  assertHolds(after.at(-1) === "fresh" && after.length === pending.length + 1, "no fresh frame");
  await journal.close();
}

/** One seed: up to three cuts in a row on the same disk. */
async function runSeed(seed: number, plant: Plant = {}): Promise<void> {
  const random = seeded(seed);
  const load: Load = {
    writers: 1 + Math.floor(random() * 3),
    framesEach: 2 + Math.floor(random() * 8),
    bytesMax: random() < 0.5 ? 200 : 1_800,
    drains: random() < 0.7,
  };
  const ledger = emptyLedger();
  let disk = simulateDisk();
  for (let round = 0; round < 1 + random() * 3; round += 1) {
    await runUntil(disk, Math.floor(random() * 120), load, ledger, plant, random);
    const keep = random() < 0.2 ? 0 : random();
    disk = disk.afterPowerCut(() => random() < keep);
    await judge(disk.afterKill(), ledger, plant);
  }
}

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
