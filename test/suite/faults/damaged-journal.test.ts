/**
 * A journal that was damaged while no collector ran: what was lost is counted once, in the log, the
 * metrics and the history of Health, over a kill and further starts.
 */
import { mkdtempSync, readFileSync, readdirSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openJournal } from "@turnproof/journal";
import { describe, expect, test } from "vitest";

import { encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import type { HealthModel } from "../../../collector/src/pages/health/route.ts";
import { turnEvents } from "../collector/desk.ts";
import { startCollector } from "./collector-child.ts";
import type { CollectorChild } from "./collector-child.ts";

const frameCount = 40;

/** Turns that were acknowledged and not stored; the number of items of each frame. */
async function acknowledged(dataDir: string): Promise<number> {
  const journal = await openJournal({ directory: join(dataDir, "journal") });
  let items = 0;
  for (let index = 0; index < frameCount; index += 1) {
    const events = turnEvents({ root: `root-${String(index).padStart(3, "0")}` });
    const received_at = "2026-11-21T10:00:00.000000Z";
    const payload = encodeFrame(events.map((event) => ({ ...event, received_at })));
    await journal.append({ payload, spans: events.length });
    items = events.length;
  }
  await journal.close();
  return items;
}

interface Seen {
  readonly lostFrames: number;
  readonly rangeLost: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly aside: readonly string[];
}

/** What an operator sees once everything is stored. */
async function seen(dataDir: string, collector: CollectorChild): Promise<Seen> {
  const metrics = async (): Promise<string> => (await fetch(`${collector.url}/metrics`)).text();
  await expect.poll(metrics, { timeout: 60_000 }).toMatch(/^turnproof_journal_pending_frames 0$/m);
  const lost = /^turnproof_journal_lost_frames_total (\d+)$/m.exec(await metrics())?.[1];
  const health = await fetch(`${collector.url}/traces/health.json`);
  const { range } = (await health.json()) as HealthModel;
  const lines = collector
    .output()
    .split("\n")
    .filter((line) => line.includes('"journal_event"'));
  return {
    lostFrames: Number(lost),
    rangeLost: range?.ingest?.lost ?? -1,
    events: lines.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>),
    aside: readdirSync(join(dataDir, "journal")).filter((name) => name.endsWith(".corrupt")),
  };
}

/** Damages of the file of a segment with so many used bytes; the damaged places. */
const damages: Readonly<
  Record<string, { places: number; damage: (path: string, used: number) => void }>
> = {
  "cut to half": { places: 1, damage: (path, used) => truncateSync(path, Math.floor(used / 2)) },
  "zeroed in two spots": {
    places: 2,
    damage: (path, used) => {
      const bytes = readFileSync(path);
      for (const share of [0.3, 0.7]) {
        const from = Math.floor(used * share);
        bytes.fill(0, from, from + 3_000);
      }
      writeFileSync(path, bytes);
    },
  },
};

describe.each(Object.entries(damages))("a segment that is %s", (_, { places, damage }) => {
  test("is counted once over a kill and clean stops, with its items", async () => {
    const dataDir = mkdtempSync(join(tmpdir(), "turnproof-damaged-"));
    const items = await acknowledged(dataDir);
    const folder = join(dataDir, "journal");
    const [name = ""] = readdirSync(folder).filter((each) => each.endsWith(".segment"));
    damage(join(folder, name), readFileSync(join(folder, name)).byteLength);
    const env = { TURNPROOF_BACKEND: "filesystem" };
    const first = await startCollector(dataDir, env);
    const found = await seen(dataDir, first);
    // A minute has not ended.
    await first.kill();
    expect(found.lostFrames).toBeGreaterThan(0);
    expect(found.rangeLost).toBe(found.lostFrames * items);
    expect(found.aside).toHaveLength(places);
    const paths = found.aside.map((file) => join(folder, file)).join(", ");
    expect(found.events).toMatchObject([
      { count: places, lost_frames: found.lostFrames, file: paths },
    ]);
    for (let round = 0; round < 3; round += 1) {
      const again = await startCollector(dataDir, env);
      expect(await seen(dataDir, again)).toEqual({ ...found, events: [] });
      expect(await again.stop()).toBe(0);
    }
  });
});
