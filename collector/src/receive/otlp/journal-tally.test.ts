/**
 * Spans that are damaged on the disk before they are stored are lost, and never count as stored.
 */
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openJournal, startDrain } from "@turnproof/journal";
import { expect, test } from "vitest";

import { Conservation } from "../conservation.ts";
import { tallyOf } from "./journal-tally.ts";

const spansOfFrame = 3;
const frames = 5;

test("a frame rots while the journal is open", async () => {
  const rotten = 2;
  const directory = mkdtempSync(join(tmpdir(), "tally-"));
  const journal = await openJournal({ directory });
  const text = (frame: number): string => `frame-${frame}-`.repeat(40);
  for (let frame = 0; frame < frames; frame += 1) {
    await journal.append({ payload: Buffer.from(text(frame)), spans: spansOfFrame });
  }
  for (const name of readdirSync(directory)) {
    const file = join(directory, name);
    const bytes = readFileSync(file);
    const at = bytes.indexOf(text(rotten));
    if (at < 0) continue;
    bytes[at + 20] = (bytes[at + 20] ?? 0) ^ 0xff;
    writeFileSync(file, bytes);
  }
  let held = 0;
  const drain = startDrain({
    journal,
    decode: () => ({
      events: Array.from({ length: spansOfFrame }, (_, index) => ({
        schema_version: 3,
        event_id: `e-${index}`,
        event_kind: "span",
        phase: "result",
        status: "success",
        timestamp: "2026-11-21T10:00:00.000Z",
        root_trace_id: "root",
        attributes: {},
      })),
    }),
    store: {
      append: async ({ events }) => void (held += events.length),
      appendPrepared: async () => {},
      readBack: async () => ({ rows: held, complete: true }),
    },
  });
  const lost = spansOfFrame;
  const all = frames * spansOfFrame;
  await expect.poll(() => held).toBe(all - lost);
  await expect.poll(() => drain.stats().inFlight).toBe(0);
  const tally = tallyOf(journal.stats(), drain.stats(), 0);
  expect(tally.lost).toBe(lost);
  // While the segment is active its hole may still count as pending; it never counts as stored.
  expect(tally.stored).toBeLessThanOrEqual(held);
  expect(tally.stored + tally.pending + tally.quarantined + tally.lost).toBe(all);
  await drain.close();
  await journal.close();
});

test("a segment that was destroyed while no process ran is on both sides of the sum", async () => {
  const directory = mkdtempSync(join(tmpdir(), "tally-"));
  const first = await openJournal({ directory });
  for (let frame = 0; frame < frames; frame += 1) {
    await first.append({ payload: Buffer.from(`frame-${frame}`), spans: spansOfFrame });
  }
  await first.close();
  for (const name of readdirSync(directory).filter((each) => each.endsWith(".segment"))) {
    const file = join(directory, name);
    writeFileSync(file, Buffer.alloc(readFileSync(file).byteLength));
  }
  const journal = await openJournal({ directory });
  const tally = tallyOf(journal.stats(), { quarantinedEvents: 0 }, journal.stats().pendingSpans);
  const lost = frames * spansOfFrame;
  expect(new Conservation(() => tally).snapshot()).toMatchObject({
    recovered: lost,
    lost,
    lost_frames_uncounted: 0,
    loss_is_lower_bound: false,
    stored: 0,
    balanced: true,
  });
  await journal.close();
});
