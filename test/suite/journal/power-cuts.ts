/**
 * @module Power cuts of a journal on a simulated disk, at any call and with any subset of what was
 * not durable, judged by a ledger that lies outside of the disk.
 */
import type { Journal, JournalFileSystem, JournalOptions } from "@turnproof/journal";

import { openSimulated, pendingTexts, rawFrames } from "./simulated-journal.ts";
import { seeded, simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

/** What a run may plant: another disk underneath, other options. */
export interface Plant {
  readonly wrap?: (disk: SimulatedDisk) => JournalFileSystem;
  readonly options?: Partial<JournalOptions>;
}

/** What the outside world knows: it keeps its ledger off the disk. */
export interface Ledger {
  readonly sent: Set<string>;
  readonly acknowledged: Set<string>;
  readonly stored: Set<string>;
  readonly checkpointed: Set<string>;
}

export interface Load {
  readonly writers: number;
  readonly framesEach: number;
  readonly bytesMax: number;
  readonly drains: boolean;
}

/** A promise that did not hold. */
export class Violation extends Error {}

function assertHolds(holds: boolean, what: string): void {
  if (!holds) throw new Violation(what);
}

/** A ledger of nothing. */
export const emptyLedger = (): Ledger => ({
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
export async function runUntil(
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
export async function judge(disk: SimulatedDisk, ledger: Ledger, plant: Plant): Promise<void> {
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

const drawnLoad = (random: () => number): Load => ({
  writers: 1 + Math.floor(random() * 3),
  framesEach: 2 + Math.floor(random() * 8),
  bytesMax: random() < 0.5 ? 200 : 1_800,
  drains: random() < 0.7,
});

/** One seed: up to three cuts in a row on the same disk; answers how many there were. */
export async function runSeed(seed: number, plant: Plant = {}): Promise<number> {
  const random = seeded(seed);
  const load = drawnLoad(random);
  let cuts = 0;
  const ledger = emptyLedger();
  let disk = simulateDisk();
  for (let round = 0; round < 1 + random() * 3; round += 1) {
    await runUntil(disk, Math.floor(random() * 120), load, ledger, plant, random);
    const keep = random() < 0.2 ? 0 : random();
    disk = disk.afterPowerCut(() => random() < keep);
    await judge(disk.afterKill(), ledger, plant);
    cuts += 1;
  }
  return cuts;
}

/** A boundary after which one run ends, however long its load is. */
const boundariesMax = 400;

/**
 * One load, cut at every call of the file system in turn; after each, so many random subsets of
 * what was not durable survive. Answers the numbers of boundaries and of cuts.
 */
export async function cutEverywhere(
  seed: number,
  subsets: number,
): Promise<{ boundaries: number; cuts: number }> {
  const load = { ...drawnLoad(seeded(seed)), framesEach: 2 };
  const survival = seeded(seed + 1);
  let cuts = 0;
  for (let crashAt = 0; ; crashAt += 1) {
    const ledger = emptyLedger();
    const disk = simulateDisk();
    await runUntil(disk, crashAt, load, ledger, {}, seeded(seed + 2));
    for (let subset = 0; subset < subsets; subset += 1) {
      const keep = survival();
      await judge(
        disk.afterPowerCut(() => survival() < keep),
        ledger,
        {},
      );
      cuts += 1;
    }
    if (disk.log.length <= crashAt || crashAt === boundariesMax) {
      return { boundaries: crashAt + 1, cuts };
    }
  }
}
