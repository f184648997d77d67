/** A loss is counted once: over clean stops, over kills at any call, and after the drain. */
import { expect, test } from "vitest";

import { openSimulated, rawFrames } from "./simulated-journal.ts";
import type { RawFrame } from "./simulated-journal.ts";
import { simulateDisk } from "./simulated-disk.ts";
import type { SimulatedDisk } from "./simulated-disk.ts";

const frameCount = 40;

async function written(segmentBytes: number, drained = 0): Promise<SimulatedDisk> {
  const disk = simulateDisk();
  const journal = await openSimulated(disk, { segmentBytes });
  for (let index = 0; index < frameCount; index += 1) {
    await journal.append({ payload: Buffer.from(`frame-${index}`.padEnd(30)), spans: 5 });
  }
  if (drained > 0) await journal.checkpoint(drained);
  await journal.close();
  return disk;
}

const segmentsOf = (disk: SimulatedDisk): readonly string[] =>
  disk
    .names()
    .filter((name) => name.endsWith(".segment"))
    .toSorted();

/** Bytes at which the file ends after a share of its frames. */
function endOfShare(bytes: Buffer, share: number): number {
  const frames = rawFrames(bytes).filter(({ kind }) => kind === 1);
  return frames[Math.floor(frames.length * share) - 1]?.end ?? 0;
}

/** Kinds of damage to one segment; undefined: it is deleted. */
const kinds: Readonly<Record<string, ((bytes: Buffer) => Buffer) | undefined>> = {
  "cut to half of its bytes": (bytes) => bytes.subarray(0, bytes.byteLength / 2),
  "cut to three quarters": (bytes) => bytes.subarray(0, (bytes.byteLength * 3) / 4),
  "cut between two frames": (bytes) => bytes.subarray(0, endOfShare(bytes, 0.5)),
  "cut to nothing": () => Buffer.alloc(0),
  "zeroed from the middle": (bytes) => bytes.fill(0, bytes.byteLength / 2),
  zeroed: (bytes) => bytes.fill(0),
  deleted: undefined,
};

/** Damages the segment; the number of frames whose bytes are gone. */
function hurt(disk: SimulatedDisk, name: string, kind: string): number {
  const bytes = Buffer.from(disk.contents(name));
  const frames = rawFrames(bytes).filter((frame) => frame.kind === 1);
  const damage = kinds[kind];
  if (damage === undefined) {
    disk.moveFile(name, "elsewhere");
    return frames.length;
  }
  disk.damage(name, damage);
  const after = disk.contents(name);
  const isWhole = ({ offset, end }: RawFrame): boolean =>
    after.subarray(offset, end).equals(bytes.subarray(offset, end));
  return frames.filter((frame) => !isWhole(frame)).length;
}

/** One start, with all that is pending drained, and a clean stop; the number of new losses. */
async function start(disk: SimulatedDisk, drains: boolean): Promise<number> {
  let lost = 0;
  const journal = await openSimulated(disk, {
    onEvent: ({ lostFrames = 0 }) => (lost += lostFrames),
  });
  if (drains) await journal.checkpoint(journal.stats().acknowledgedThrough);
  await journal.close();
  return lost;
}

async function lostIn(disk: SimulatedDisk): Promise<number> {
  const journal = await openSimulated(disk);
  const { lostFrames } = journal.stats();
  await journal.close();
  return lostFrames;
}

for (const kind of Object.keys(kinds)) {
  for (const segmentBytes of [100_000, 700]) {
    test(`a segment that is ${kind}, of segments of ${segmentBytes} bytes`, async () => {
      const all = await written(segmentBytes);
      for (const name of segmentsOf(all)) {
        const disk = all.afterKill();
        const lost = hurt(disk, name, kind);
        expect(lost).toBeGreaterThan(0);
        expect(await start(disk, false)).toBe(lost);
        for (let round = 0; round < 3; round += 1) expect(await start(disk, true)).toBe(0);
        expect(await lostIn(disk)).toBe(lost);
      }
    });
  }

  test(`a kill at any call, with a segment that is ${kind}`, async () => {
    for (const [segmentBytes, drained] of [
      [100_000, 0],
      [100_000, 20],
      [700, 0],
    ] as const) {
      const all = await written(segmentBytes, drained);
      const [, name = segmentsOf(all)[0] ?? ""] = segmentsOf(all);
      const cut = all.afterKill();
      const hurtFrames = hurt(cut, name, kind);
      const lost = drained > 0 ? Math.min(hurtFrames, frameCount - drained) : hurtFrames;
      const whole = cut.afterKill();
      await start(whole, true);
      for (let call = 0; call < whole.log.length; call += 1) {
        const disk = cut.afterKill();
        disk.crashAt = call;
        await Promise.race([start(disk, true), disk.crashed]);
        const killed = disk.afterKill();
        await start(killed, true);
        expect(await lostIn(killed), `killed at call ${call} of ${segmentBytes}`).toBe(lost);
      }
    }
  });
}
