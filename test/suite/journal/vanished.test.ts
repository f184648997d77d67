/** Files of the journal that go while it is open: each frame in them is counted as lost once. */
import { rm, readdir } from "node:fs/promises";
import { join } from "node:path";

import { openJournal, startDrain } from "@turnproof/journal";
import type { Journal, JournalEvent } from "@turnproof/journal";
import { CodedError } from "@turnproof/semconv";
import { afterAll, expect, test, vi } from "vitest";

import { tallyOf } from "../../../collector/src/receive/otlp/journal-tally.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openSimulated, pendingTexts } from "./simulated-journal.ts";
import { simulateDisk } from "./simulated-disk.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

async function removeSegments(directory: string): Promise<number> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".segment"));
  for (const name of names) await rm(join(directory, name));
  return names.length;
}

let appended = 0;

async function append(journal: Journal, frames: number, spans = 3): Promise<void> {
  for (let at = 0; at < frames; at += 1) {
    await journal.append({ payload: Buffer.from(`frame-${(appended += 1)}`.padEnd(400)), spans });
  }
}

test("frames of files that go while the store is away are lost once, and no others", async () => {
  const directory = await directories.make();
  const events: JournalEvent[] = [];
  const open = (): Promise<Journal> =>
    openJournal({
      directory,
      segmentBytes: 2_000,
      noteEveryMs: 10,
      onEvent: (event) => void events.push(event),
    });
  const journal = await open();
  const away = { is: true };
  const stored = new Map<string, number>();
  const rows = (): number => [...stored.values()].reduce((sum, count) => sum + count, 0);
  const drain = startDrain({
    journal,
    store: {
      async append({ batchId, events: rows }) {
        if (away.is) throw new CodedError("store_unavailable");
        stored.set(batchId, rows.length);
      },
      appendPrepared: async () => {},
      async readBack(batchId) {
        if (away.is) throw new CodedError("store_unavailable");
        return { rows: stored.get(batchId) ?? 0, complete: stored.has(batchId) };
      },
    },
    decode: async (payload) => {
      const name = Buffer.from(payload).toString().trim();
      return { events: ["a", "b", "c"].map((id) => ({ event_id: `${name}-${id}` })) as never };
    },
    batchSpans: 6,
    inFlightMax: 1,
    pace: { everyMs: 5, quickMs: 1 },
  });
  const tally = () => tallyOf(journal.stats(), drain.stats(), 0);
  await append(journal, 20);
  // Two batches are in memory, of which one is sent again and again.
  await vi.waitFor(() => expect(drain.stats().retries).toBeGreaterThan(0));
  expect(await removeSegments(directory)).toBeGreaterThan(2);
  expect(tally()).toMatchObject({ pending: 60, stored: 0, lost: 0 });
  away.is = false;
  await drain.idle();
  const { lost } = tally();
  expect(lost).toBeGreaterThan(0);
  expect(rows() + lost).toBe(60);
  for (let look = 0; look < 5; look += 1) {
    drain.kick();
    for await (const _frame of journal.read()) expect.unreachable();
  }
  expect(tally()).toMatchObject({ stored: 60 - lost, pending: 0, lost });
  expect(journal.stats()).toMatchObject({ pendingFrames: 0, lostFrames: lost / 3 });
  expect(events.map(({ code }) => code)).toContain("journal_segment_missing");
  // A file that goes while it is read is damage.
  expect(events.reduce((sum, { lostSpans = 0 }) => sum + lostSpans, 0)).toBe(lost);

  // What comes after is stored, also where the file that is written to is gone.
  await append(journal, 1);
  await drain.idle();
  expect(tally()).toMatchObject({ stored: 63 - lost, pending: 0, lost });
  away.is = true;
  await append(journal, 1);
  await append(journal, 1);
  await removeSegments(directory);
  away.is = false;
  await append(journal, 1);
  await drain.idle();
  await append(journal, 5);
  await drain.idle();
  const after = tally();
  expect(after).toMatchObject({ stored: 87 - after.lost, pending: 0 });
  expect(after.lost).toBeLessThanOrEqual(lost + 9);
  expect(rows() + after.lost).toBe(87);
  await drain.close();
  await journal.close();
  // No start counts it again.
  for (let start = 0; start < 2; start += 1) {
    const again = await open();
    expect(again.stats()).toMatchObject({
      pendingFrames: 0,
      lostFrames: after.lost / 3,
      damaged: { spans: 0, framesUncounted: 0 },
    });
    await again.close();
  }
});

test("a kill after that counts them once, whichever file went and whether it was drained in part", async () => {
  for (const drained of [0, 2, 9]) {
    for (let victim = 0; victim < 4; victim += 1) {
      const disk = simulateDisk();
      const journal = await openSimulated(disk, { segmentBytes: 700 });
      for (let at = 0; at < 40; at += 1) {
        await journal.append({ payload: Buffer.from(`frame-${at}`.padEnd(30)), spans: 5 });
      }
      if (drained > 0) await journal.checkpoint(drained);
      const segments = disk.names().filter((name) => name.endsWith(".segment"));
      disk.moveFile(segments.toSorted()[victim] ?? "", `elsewhere-${victim}`);
      const left = await pendingTexts(journal);
      const { lostFrames, lostSpans, pendingFrames, pendingSpans } = journal.stats();
      expect(lostFrames).toBeGreaterThan(0);
      expect(left).toHaveLength(40 - drained - lostFrames);
      expect({ lostSpans, pendingFrames, pendingSpans }).toEqual({
        lostSpans: lostFrames * 5,
        pendingFrames: left.length,
        pendingSpans: left.length * 5,
      });
      // The checkpoint without them is written behind.
      await vi.waitFor(() => journal.plan([]));
      const again = await openSimulated(disk.afterKill());
      expect(await pendingTexts(again)).toEqual(left);
      expect(again.stats()).toMatchObject({
        lostFrames,
        pendingFrames: left.length,
        damaged: { spans: 0, framesUncounted: 0 },
      });
      await again.close();
    }
  }
});
