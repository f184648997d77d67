/** Damaged bytes: it starts, loses only the frames that were touched, and counts them exactly. */
import { inspectJournal } from "@turnproof/journal";
import type { JournalEvent } from "@turnproof/journal";
import { beforeAll, describe, expect, test } from "vitest";

import { openSimulated, pendingTexts, rawFrames } from "./simulated-journal.ts";
import type { RawFrame } from "./simulated-journal.ts";
import { seeded, simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const frameCount = 200;
/** Frames of the journal of which every single byte is tried; the lengths of frames recur in 9. */
const triedCount = Number(process.env["JOURNAL_FLIP_FRAMES"] ?? "70");
const texts = Array.from({ length: frameCount }, (_, index) =>
  `frame-${index}`.padEnd(17 + (index % 9), "."),
);

/** Frames over several segments, closed in order. */
async function written(segmentBytes: number, count = frameCount): Promise<SimulatedDisk> {
  const disk = simulateDisk();
  const journal = await openSimulated(disk, { segmentBytes });
  for (const text of texts.slice(0, count))
    await journal.append({ payload: Buffer.from(text), spans: 1 });
  await journal.close();
  return disk;
}

const segmentsOf = (disk: SimulatedDisk): readonly string[] =>
  disk
    .names()
    .filter((name) => name.endsWith(".segment"))
    .toSorted();

const dataFrames = (bytes: Buffer): readonly RawFrame[] =>
  rawFrames(bytes).filter((frame) => frame.kind === 1);

async function expectLoss(
  disk: SimulatedDisk,
  lost: ReadonlySet<number>,
  ranges: number,
  count = frameCount,
): Promise<void> {
  const journal = await openSimulated(disk);
  const expected = texts.slice(0, count).filter((_, index) => !lost.has(index + 1));
  const pending = await pendingTexts(journal);
  // A comparison of joined text is what makes thousands of these quick.
  expect(pending.join()).toBe(expected.join());
  const stats = journal.stats();
  expect(stats.lostFrames).toBe(lost.size);
  expect(stats.corruptRanges).toBe(ranges);
  expect(stats.pendingFrames).toBe(expected.length);
  await journal.close();
}

describe(`a journal of ${triedCount} frames`, () => {
  let tried: SimulatedDisk;
  beforeAll(async () => {
    tried = await written(100_000, triedCount);
  });

  test("survives the flip of every single byte", async () => {
    const [name = ""] = segmentsOf(tried);
    const bytes = tried.contents(name);
    const frames = rawFrames(bytes);
    for (let offset = 0; offset < bytes.byteLength; offset += 1) {
      const disk = tried.afterKill();
      disk.damage(name, (copy) => {
        copy.writeUInt8(copy.readUInt8(offset) ^ (1 << (offset % 8)), offset);
        return copy;
      });
      const touched = frames.find((frame) => offset < frame.end);
      const lost = new Set(touched?.kind === 1 ? [touched.sequence] : []);
      await expectLoss(disk, lost, 1, triedCount);
    }
  }, 300_000);

  test("survives a cut at every offset", async () => {
    const [name = ""] = segmentsOf(tried);
    const bytes = tried.contents(name);
    const frames = dataFrames(bytes);
    for (let length = 0; length < bytes.byteLength; length += 1) {
      const disk = tried.afterKill();
      disk.damage(name, (copy) => copy.subarray(0, length));
      const lost = new Set(
        frames.filter((frame) => frame.end > length).map((item) => item.sequence),
      );
      await expectLoss(disk, lost, 1, triedCount);
    }
  }, 300_000);
});

describe("a journal of 200 frames", () => {
  let pristine: SimulatedDisk;
  beforeAll(async () => {
    pristine = await written(100_000);
  });

  test("counts a flip once, over any number of restarts and after the drain", async () => {
    const disk = pristine.afterKill();
    const [name = ""] = segmentsOf(disk);
    const frame = dataFrames(disk.contents(name))[99];
    disk.damage(name, (copy) => copy.fill(0x55, frame?.offset, (frame?.offset ?? 0) + 10));
    for (let round = 0; round < 3; round += 1) await expectLoss(disk, new Set([100]), 1);
    const journal = await openSimulated(disk);
    await journal.checkpoint(frameCount);
    await journal.close();
    const after = await openSimulated(disk);
    expect(after.stats()).toMatchObject({ pendingFrames: 0, lostFrames: 1, corruptRanges: 1 });
    expect(disk.names().filter((item) => item.endsWith(".corrupt"))).toHaveLength(1);
    await after.close();
  });

  test("survives zeroed pages", async () => {
    const [name = ""] = segmentsOf(pristine);
    const size = pristine.contents(name).byteLength;
    for (let page = 0; page < size; page += 512) {
      const disk = pristine.afterKill();
      const end = Math.min(size, page + 4_096);
      const frames = dataFrames(disk.contents(name));
      const lost = frames.filter((frame) => frame.offset < end && frame.end > page);
      disk.damage(name, (copy) => copy.fill(0, page, end));
      await expectLoss(disk, new Set(lost.map((frame) => frame.sequence)), 1);
    }
  });

  test("finds its way through random garbage of random length", async () => {
    const random = seeded(7);
    const [name = ""] = segmentsOf(pristine);
    const size = pristine.contents(name).byteLength;
    for (let round = 0; round < 100; round += 1) {
      const disk = pristine.afterKill();
      const from = Math.floor(random() * size);
      const to = Math.min(size, from + 1 + Math.floor(random() * 2_000));
      const frames = dataFrames(disk.contents(name));
      const lost = frames.filter((frame) => frame.offset < to && frame.end > from);
      disk.damage(name, (copy) => {
        for (let at = from; at < to; at += 1)
          copy.writeUInt8(copy.readUInt8(at) ^ (1 + Math.floor(random() * 255)), at);
        return copy;
      });
      await expectLoss(disk, new Set(lost.map((frame) => frame.sequence)), 1);
    }
  });

  test("is inspected without a change, and the next start finds the same", async () => {
    const several = await written(2_000);
    const random = seeded(11);
    const found: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const disk = several.afterKill();
      const names = segmentsOf(disk);
      const name = names[Math.floor(random() * names.length)] ?? "";
      const size = disk.contents(name).byteLength;
      const from = Math.floor(random() * size);
      if (round % 3 === 0) await disk.unlink(`/journal/${name}`);
      else if (round % 3 === 1) disk.damage(name, (copy) => copy.subarray(0, from));
      else disk.damage(name, (copy) => copy.fill(0, from, Math.min(size, from + 100)));
      const files = (): readonly unknown[] =>
        disk.names().map((each) => [each, disk.contents(each).toString("hex")]);
      const before = files();
      const inspected = await inspectJournal("/journal", disk);
      expect(files()).toEqual(before);
      const journal = await openSimulated(disk);
      const { corruptRanges: ranges, lostFrames } = journal.stats();
      expect([round, inspected]).toMatchObject([round, { ranges, lostFrames }]);
      found.push(lostFrames);
      await journal.close();
      // What a start set aside is no damage of the next one.
      expect(await inspectJournal("/journal", disk)).toMatchObject({ ranges: 0, lostFrames: 0 });
    }
    expect(found.filter((lost) => lost > 0).length).toBeGreaterThan(50);
  });

  test("reads on over bytes that rot while it is open", async () => {
    const disk = pristine.afterKill();
    const events: unknown[] = [];
    const journal = await openSimulated(disk, { onEvent: (event) => events.push(event) });
    const [name = ""] = segmentsOf(disk);
    const frame = dataFrames(disk.contents(name))[49];
    disk.damage(name, (copy) => copy.fill(0, frame?.offset, frame?.end));
    expect(await pendingTexts(journal)).toHaveLength(frameCount - 1);
    expect(events).toContainEqual({
      code: "journal_corrupt",
      count: 1,
      lostFrames: 1,
      lostSpans: 1,
      // The file with the bytes, so that an operator finds it.
      files: [expect.stringMatching(new RegExp(String.raw`^${name}-\d+-\d+-1-.*\.corrupt$`))],
    });
    expect(journal.stats()).toMatchObject({ lostFrames: 1, corruptRanges: 1 });
    await journal.checkpoint(frameCount);
    expect(journal.stats()).toMatchObject({ pendingFrames: 0, pendingSpans: 0 });
    await journal.close();
  });
});

test("two damaged spots are one event that names both files", async () => {
  const disk = await written(100_000);
  const [name = ""] = segmentsOf(disk);
  const frames = dataFrames(disk.contents(name));
  for (const frame of [frames[20], frames[150]]) {
    disk.damage(name, (copy) => copy.fill(0, frame?.offset, frame?.end));
  }
  const files = (): readonly string[] => disk.names().filter((each) => each.endsWith(".corrupt"));
  const found: JournalEvent[] = [];
  const journal = await openSimulated(disk, { onEvent: (event) => found.push(event) });
  expect(files()).toHaveLength(2);
  expect(found).toMatchObject([{ code: "journal_corrupt", count: 2, lostFrames: 2 }]);
  expect(found[0]?.files?.toSorted()).toEqual(files().toSorted());
  // The same while it is open: an event names no file that an earlier one has.
  for (const frame of [frames[60], frames[90]]) {
    disk.damage(name, (copy) => copy.fill(0, frame?.offset, frame?.end));
  }
  await pendingTexts(journal);
  const named = found.flatMap((event) => event.files ?? []);
  expect(named.toSorted()).toEqual(files().toSorted());
  expect(named).toHaveLength(4);
  await journal.close();
});

describe("segments that were moved about", () => {
  test("two whose names were swapped", async () => {
    const disk = await written(2_000);
    const [a = "", b = ""] = segmentsOf(disk).slice(1, 3);
    disk.moveFile(a, "aside");
    disk.moveFile(b, a);
    disk.moveFile("aside", b);
    await expectLoss(disk, new Set(), 0);
  });

  test("one that lies there twice", async () => {
    const disk = await written(2_000);
    const [, copied = ""] = segmentsOf(disk);
    disk.copyFile(copied, "00000000000f0000.segment");
    await expectLoss(disk, new Set(), 0);
  });

  test("one that lies there twice, each copy damaged elsewhere", async () => {
    const disk = await written(2_000);
    const [, copied = ""] = segmentsOf(disk);
    disk.copyFile(copied, "00000000000f0000.segment");
    const frames = dataFrames(disk.contents(copied));
    const damage = (name: string, frame: RawFrame | undefined): void =>
      disk.damage(name, (copy) => copy.fill(0, frame?.offset, frame?.end));
    damage(copied, frames[3]);
    damage("00000000000f0000.segment", frames[7]);
    await expectLoss(disk, new Set(), 2);
  });

  test("one that is missing is counted once, over any number of restarts", async () => {
    const all = await written(2_000);
    for (const [at, missing] of segmentsOf(all).entries()) {
      const disk = all.afterKill();
      const gone = new Set(dataFrames(disk.contents(missing)).map((frame) => frame.sequence));
      disk.moveFile(missing, "elsewhere");
      const codes: string[] = [];
      const journal = await openSimulated(disk, { onEvent: (event) => codes.push(event.code) });
      expect(codes).toContain("journal_corrupt");
      // Before the first one there is no other that it is missing after.
      expect(codes.includes("journal_segment_missing")).toBe(at > 0);
      const { spans, isLowerBound } = journal.stats().damaged;
      expect([spans, isLowerBound]).toEqual([gone.size, false]);
      await journal.close();
      for (let round = 0; round < 2; round += 1) await expectLoss(disk, gone, 1);
      const more = await openSimulated(disk);
      await more.append({ payload: Buffer.from("more"), spans: 1 });
      await more.checkpoint(frameCount + 1);
      await more.close();
      const after = await openSimulated(disk);
      expect(after.stats()).toMatchObject({ pendingFrames: 0, lostFrames: gone.size });
      await after.close();
    }
  });

  test("the only one that is missing is counted, after a clean stop exactly", async () => {
    const disk = await written(100_000);
    const [only = ""] = segmentsOf(disk);
    disk.moveFile(only, "elsewhere");
    const all = new Set(texts.map((_, index) => index + 1));
    const journal = await openSimulated(disk);
    const damaged = { spans: frameCount, framesUncounted: 0, isLowerBound: false };
    expect(journal.stats()).toMatchObject({ lostFrames: frameCount, damaged });
    await journal.close();
    await expectLoss(disk, all, 1);
  });

  test("after a kill the counts of a damaged end are lower bounds", async () => {
    const disk = simulateDisk();
    const journal = await openSimulated(disk, { segmentBytes: 100_000 });
    for (const text of texts) await journal.append({ payload: Buffer.from(text), spans: 1 });
    const killed = disk.afterKill();
    await journal.close();
    const [only = ""] = segmentsOf(killed);
    killed.damage(only, (copy) => copy.subarray(0, Math.floor(copy.byteLength * 0.6)));
    const events: object[] = [];
    const again = await openSimulated(killed, { onEvent: (event) => events.push(event) });
    expect(again.stats().damaged.isLowerBound).toBe(true);
    await again.close();
    const clean = await openSimulated(killed);
    expect(clean.stats().damaged.isLowerBound).toBe(false);
    await clean.close();
  });

  test("before the first one, by an older checkpoint, was drained", async () => {
    const disk = await written(2_000);
    const journal = await openSimulated(disk);
    await journal.checkpoint(50);
    await journal.checkpoint(120);
    await journal.close();
    disk.damage("checkpoint", (copy) => copy.fill(0));
    disk.damage("checkpoint.previous", (copy) => copy.fill(0));
    for (let round = 0; round < 2; round += 1) {
      const again = await openSimulated(disk);
      expect(again.stats()).toMatchObject({ lostFrames: 0, corruptRanges: 0 });
      await again.close();
    }
  });
});

describe("a damaged checkpoint", () => {
  test("gives way to the one before, for every flipped byte", async () => {
    const disk = await written(2_000);
    const journal = await openSimulated(disk);
    await journal.checkpoint(50);
    await journal.checkpoint(120);
    await journal.close();
    const size = disk.contents("checkpoint").byteLength;
    for (let offset = 0; offset < size; offset += 1) {
      const damaged = disk.afterKill();
      damaged.damage("checkpoint", (copy) => {
        copy.writeUInt8(copy.readUInt8(offset) ^ 1, offset);
        return copy;
      });
      const again = await openSimulated(damaged);
      expect(again.stats().drainedThrough).toBe(120);
      await again.close();
    }
  });

  test("costs nothing but a second delivery when both are gone", async () => {
    const disk = await written(100_000);
    const journal = await openSimulated(disk);
    await journal.checkpoint(50);
    await journal.close();
    for (const name of ["checkpoint", "checkpoint.previous"]) {
      disk.damage(name, (copy) => copy.fill(0));
    }
    const again = await openSimulated(disk);
    expect(await pendingTexts(again)).toEqual(texts);
    const { sequence } = await again.append({ payload: Buffer.from("next"), spans: 1 });
    expect(sequence).toBe(frameCount + 1);
    await again.close();
  });
});
