/** Spans of frames that are found damaged at a start: counted exactly, once, by kept totals. */
import { setImmediate } from "node:timers/promises";

import { expect, test } from "vitest";

import { manualClock, openSimulated, rawFrames } from "./simulated-journal.ts";
import { seeded, simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const segmentsOf = (disk: SimulatedDisk): readonly string[] =>
  disk
    .names()
    .filter((name) => name.endsWith(".segment"))
    .toSorted();

const payload = (index: number): Buffer => Buffer.from(`frame-${index}`.padEnd(20 + (index % 9)));

/** Losses that a start over this disk counts, twice: a loss is counted by the first one. */
async function opened(disk: SimulatedDisk): Promise<object> {
  const journal = await openSimulated(disk);
  const { damaged, lostFrames } = journal.stats();
  await journal.close();
  const again = await openSimulated(disk);
  expect(again.stats()).toMatchObject({
    lostFrames,
    damaged: { spans: 0, framesUncounted: 0, isLowerBound: false },
  });
  await again.close();
  return { ...damaged, lostFrames };
}

test("a killed process whose only segment is zeroed lost all that it acknowledged", async () => {
  const disk = simulateDisk();
  const clock = manualClock();
  const journal = await openSimulated(disk, { segmentBytes: 1_000_000, clock });
  for (let index = 0; index < 59; index += 1) {
    await journal.append({ payload: payload(index), spans: 2 });
  }
  const dead = (): SimulatedDisk => {
    const copy = disk.afterKill();
    for (const name of segmentsOf(copy)) copy.damage(name, (bytes) => bytes.fill(0));
    return copy;
  };
  // Before the note only the file's name shows that there was a frame.
  const atLeast = { framesUncounted: 0, isLowerBound: true };
  expect(await opened(dead())).toEqual({ lostFrames: 0, spans: 0, ...atLeast });
  await clock.advance(1_000);
  while (!disk.names().includes("checkpoint")) await setImmediate();
  expect(await opened(dead())).toEqual({ lostFrames: 59, spans: 118, ...atLeast });
  // Frames after the note are lost in a known number with an unknown number of spans.
  await Promise.all([59, 60, 61].map((at) => journal.append({ payload: payload(at), spans: 5 })));
  await journal.append({ payload: payload(62), spans: 5 });
  const copy = disk.afterKill();
  const [name = ""] = segmentsOf(copy);
  const frames = rawFrames(copy.contents(name)).filter(({ kind }) => kind === 1);
  const [from, to] = [frames[10]?.offset, frames[61]?.end];
  copy.damage(name, (bytes) => bytes.fill(0, from, to));
  const counted = { lostFrames: 52, spans: 49 * 2, framesUncounted: 3, isLowerBound: false };
  expect(await opened(copy)).toEqual(counted);
});

test("random damage over several segments, some of it drained", async () => {
  const random = seeded(19);
  for (let round = 0; round < 60; round += 1) {
    const disk = simulateDisk();
    const journal = await openSimulated(disk, { segmentBytes: 700 });
    const spans = Array.from({ length: 80 }, () => Math.floor(random() * 7));
    for (const [index, count] of spans.entries()) {
      await journal.append({ payload: payload(index), spans: count });
      if (random() < 0.02) await journal.checkpoint(index + 1);
    }
    const { drainedThrough } = journal.stats();
    await journal.close();
    const lost = new Set<number>();
    for (const name of segmentsOf(disk)) {
      if (random() < 0.5) continue;
      const bytes = disk.contents(name);
      const from = Math.floor(random() * bytes.byteLength);
      const to = Math.min(bytes.byteLength, from + Math.floor(random() * 400));
      for (const { kind, offset, end, sequence } of rawFrames(bytes)) {
        if (kind === 1 && offset < to && end > from && sequence > drainedThrough) {
          lost.add(sequence);
        }
      }
      disk.damage(name, (copy) => copy.fill(0xa5, from, to));
    }
    const count = [...lost].reduce((sum, sequence) => sum + (spans[sequence - 1] ?? 0), 0);
    expect(await opened(disk), `round ${round}`).toEqual({
      lostFrames: lost.size,
      spans: count,
      framesUncounted: 0,
      isLowerBound: false,
    });
  }
});
