/**
 * The account of a forward over stops and kills: what came in is what was sent, is lost or waits,
 * and a batch that the receiver stores again counts once.
 */
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { TurnEvent } from "@turnproof/evidence";
import { openJournal } from "@turnproof/journal";
import type { Journal, StoredFrames } from "@turnproof/journal";
import { html } from "hono/html";
import { afterEach, expect, test, vi } from "vitest";

import { copyJournal } from "../../../collector/src/cli/backup-parts.ts";
import {
  ForwardAccount,
  noCounts,
} from "../../../collector/src/receive/forward/forward-account.ts";
import { ForwardFact } from "../../../collector/src/pages/health/forwarding.tsx";
import { startForward } from "../../../collector/src/receive/forward/forward.ts";
import type { Forward } from "../../../collector/src/receive/forward/forward.ts";
import { encodeFrame } from "../../../collector/src/receive/otlp/frame-codec.ts";
import { quiet, turnEvents } from "../collector/desk.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { openStrictReceiver } from "./strict-receiver.ts";

const away = "http://127.0.0.1:9/v1/traces";
const wait = { timeout: 30_000, interval: 20 };
const directories = temporaryDirectories();
afterEach(() => directories.remove());

const opened = (directory: string, url: string, bytesMax: number): Promise<Forward> =>
  startForward({ directory, target: { url, headers: {} }, bytesMax, log: quiet, retryMs: 5 });

/** Consecutive frames of the receiver's journal, of ten spans each. */
function batchOf(first: number, frames: number, atMs = 1_000): StoredFrames {
  const list = Array.from({ length: frames }, (_, index) => {
    const sequence = first + index;
    const events = Array.from({ length: 10 }, (_event, at): TurnEvent => {
      const span_id = (sequence * 16 + at).toString(16).padStart(16, "0");
      const one = turnEvents({ root: "a".repeat(32) })[0] as TurnEvent;
      return { ...one, span_id, event_id: `${span_id}:result` };
    });
    const payload = encodeFrame(events);
    return { payload, spans: 10, sequence, appendedAtMs: atMs + sequence };
  });
  return { frames: list, refused: new Map() };
}

/** Sent, lost and waiting spans. */
function counted(forward: Forward): readonly [sent: number, lost: number, waiting: number] {
  const { sent_spans: sent, lost_spans: lost, pending_spans: waiting } = forward.state();
  return [sent, Object.values(lost).reduce((sum, count) => sum + count, 0), waiting];
}

const sum = (forward: Forward): number => counted(forward).reduce((all, one) => all + one, 0);

test("batches that the receiver stores again after a stop or a kill count once", async () => {
  const directory = await directories.make();
  const first = await opened(directory, away, 32_768);
  const batches = Array.from({ length: 8 }, (_, index) => batchOf(1 + index * 20, 20));
  for (const batch of batches) await first.stored(batch);
  const [, lost, waiting] = counted(first);
  expect([lost > 0, waiting > 0, lost + waiting]).toEqual([true, true, 1_600]);
  // What a kill at this moment leaves; the receiver's journal has no checkpoint of two batches.
  const killed = await directories.make();
  cpSync(directory, killed, {
    recursive: true,
    filter: (name) => !/owner-|\.lock/.test(name),
  });
  await first.close();
  for (const place of [directory, killed]) {
    const strict = await openStrictReceiver();
    const again = await opened(place, strict.url, 32_768);
    for (const batch of batches.slice(-2)) await again.stored(batch);
    await vi.waitFor(() => expect(counted(again)).toEqual([waiting, lost, 0]), wait);
    expect(strict.spans).toHaveLength(waiting);
    await again.close();
    const third = await opened(place, away, 32_768);
    expect(counted(third)).toEqual([waiting, lost, 0]);
    // Frames of another journal are no repetition, although their numbers are.
    await third.stored(batchOf(1 + 7 * 20, 2, 9_000_000));
    expect(sum(third)).toBe(1_620);
    await third.close();
    await strict.close();
  }
});

test("a backup holds the queue and its account, and goes on from there", async () => {
  const [dataDir, to] = [await directories.make(), await directories.make()];
  const forward = await opened(join(dataDir, "forward"), away, 1 << 26);
  await forward.stored(batchOf(1, 20));
  // While the collector runs.
  const entries = await copyJournal(dataDir, to, "forward");
  await forward.stored(batchOf(21, 1));
  await forward.close();
  const paths = entries.map(({ path }) => path);
  expect(paths[0]).toBe("data/forward/account.json");
  expect(paths.some((path) => path.startsWith("data/forward/queue/"))).toBe(true);
  const again = await opened(join(to, "data/forward"), away, 1 << 26);
  await again.stored(batchOf(1, 20));
  expect(counted(again)).toEqual([0, 0, 200]);
  await again.close();
});

test("segments that are stored while a backup copies them are no loss in the copy", async () => {
  const [dataDir, to] = [await directories.make(), await directories.make()];
  const open = (at: string): Promise<Journal> =>
    openJournal({ directory: join(at, "journal"), bytesMax: 1 << 26, segmentBytes: 4_096 });
  const journal = await open(dataDir);
  for (let frame = 0; frame < 20; frame += 1) {
    await journal.append({ payload: Buffer.alloc(1_000, frame), spans: 1 });
  }
  // Of the time before the last segments.
  await journal.checkpoint(2);
  await copyJournal(dataDir, to, "journal");
  await journal.close();
  const copy = join(to, "data", "journal");
  const [first = "none"] = readdirSync(copy).filter((name) => name.endsWith(".segment"));
  // Stored and removed between the copies of the checkpoint and of the segment.
  rmSync(join(copy, first));
  const restored = await open(join(to, "data"));
  const { lostFrames, pendingFrames, damaged } = restored.stats();
  expect([lostFrames, damaged.spans, pendingFrames > 0]).toEqual([0, 0, true]);
  await restored.close();
});

test("a damaged account is set aside, and shows until it is moved away", async () => {
  const directory = await directories.make();
  const file = join(directory, "account.json");
  const logged: unknown[] = [];
  const log = {
    ...quiet,
    error: (event: string, of?: object) => void logged.push({ event, ...of }),
  };
  const open = (): Promise<Forward> =>
    startForward({ directory, target: { url: away, headers: {} }, bytesMax: 1 << 26, log });
  const first = await open();
  expect(first.state().account_damaged).toBe(false);
  await first.stored(batchOf(1, 2));
  await first.close();
  expect(logged).toEqual([]);
  for (const damage of ["", '{"counts":{}}']) {
    writeFileSync(file, damage);
    // Two starts: the account that began anew hides nothing.
    for (let start = 0; start < 2; start += 1) {
      const again = await open();
      expect(again.state()).toMatchObject({ account_damaged: true, pending_spans: 20 });
      const shown = await html`${ForwardFact({ of: again.state() })}`;
      expect(shown.toString()).toContain("account was damaged");
      await again.close();
    }
    const path = `${file}.corrupt`;
    expect(readFileSync(path, "utf8")).toBe(damage);
    expect(logged.splice(0)).toEqual(Array(2).fill({ event: "forward_account_damaged", path }));
  }
  rmSync(`${file}.corrupt`);
  const last = await open();
  expect(last.state().account_damaged).toBe(false);
  await last.close();
});

test("a divided request that a stop cuts off counts nothing, and its repetition all", async () => {
  const strict = await openStrictReceiver();
  const directory = await directories.make();
  let requests = 0;
  // Divided, one half is taken, and the other waits.
  strict.answer = () => ({ status: [400, 200][requests++] ?? 503 });
  const first = await opened(directory, strict.url, 1 << 26);
  await first.stored(batchOf(1, 2));
  await vi.waitFor(() => expect(first.state().failures).toBeGreaterThan(0), wait);
  expect(counted(first)).toEqual([0, 0, 20]);
  await first.close();
  const bad = "0000000000000010";
  strict.answer = (spans) => ({ status: spans.some(({ spanId }) => spanId === bad) ? 400 : 200 });
  const again = await opened(directory, strict.url, 1 << 26);
  await vi.waitFor(() => expect(counted(again)).toEqual([19, 1, 0]), wait);
  await again.close();
  await strict.close();
});

test("counts of a request take effect with its checkpoint, over a kill between both", async () => {
  const directory = await directories.make();
  const counts = { sent: 7, unconfirmed: 2, lost: { ...noCounts.lost, refused: 1 } };
  const file = join(directory, "account.json");
  const account = new ForwardAccount(directory);
  let written = "";
  await account.request(5, counts, async () => {
    written = readFileSync(file, "utf8");
  });
  expect(account.counts).toEqual(counts);
  for (const [drainedThrough, expected] of [
    [4, noCounts],
    [5, counts],
  ] as const) {
    writeFileSync(file, written);
    const after = new ForwardAccount(directory);
    after.settle(drainedThrough);
    expect(after.counts).toEqual(expected);
  }
  rmSync(file);
  // Of an earlier version.
  const lost = { queue_full: 3, refused: 0, damaged: 1, unmapped: 0 };
  writeFileSync(join(directory, "losses.json"), JSON.stringify(lost));
  expect(new ForwardAccount(directory).counts).toEqual({ ...noCounts, lost });
});
