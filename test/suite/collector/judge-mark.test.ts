/**
 * @module Judge mark: `judge.json` is whole after a power cut at any call, and a damaged one is
 * reported of and counts as none: the collector starts, and the last day is judged again.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { replaceFile } from "@turnproof/journal";
import { afterAll, describe, expect, test } from "vitest";

import { openMark } from "../../../collector/src/judge/judge-mark.ts";
import type { Parts } from "../../../collector/src/parts.ts";
import { seeded, simulateDisk } from "../journal/simulated-disk.ts";
import type { SimulatedDisk } from "../journal/simulated-disk.ts";
import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const path = "/data/judge.json";
const older = Buffer.from("older ".repeat(300));
const newer = Buffer.from("newer ".repeat(400));

/** The same bytes as `replaceFile`, without one of its syncs. */
function without(disk: SimulatedDisk, call: "sync" | "syncDirectory"): SimulatedDisk {
  if (call === "syncDirectory") return { ...disk, syncDirectory: async () => {} };
  const open: SimulatedDisk["open"] = async (...requested) => ({
    ...(await disk.open(...requested)),
    sync: async () => {},
  });
  return { ...disk, open };
}

/** What lies there after power went at each call, with what was not durable kept at random. */
async function afterCuts(
  wrap: (disk: SimulatedDisk) => SimulatedDisk = (disk) => disk,
): Promise<{ readonly broken: number; readonly undone: number; readonly cuts: number }> {
  const counts = { broken: 0, undone: 0, cuts: 0 };
  for (let seed = 0; seed < 40; seed += 1) {
    for (let at = 0; ; at += 1) {
      const disk = simulateDisk(
        new Map([
          [path, older],
          [`${path}.new`, Buffer.from("left")],
        ]),
      );
      disk.crashAt = at;
      const done = replaceFile(path, newer, wrap(disk)).then(() => true);
      const resolved = await Promise.race([done, disk.crashed.then(() => false)]);
      const random = seeded(seed * 1_000 + at);
      const held = disk.afterPowerCut(() => random() < 0.5).contents("judge.json");
      counts.cuts += 1;
      if (!held.equals(older) && !held.equals(newer)) counts.broken += 1;
      if (resolved && !held.equals(newer)) counts.undone += 1;
      if (resolved) break;
    }
  }
  return counts;
}

describe("power cuts", () => {
  test("leave the bytes before or the new ones, whole", async () => {
    const { broken, undone, cuts } = await afterCuts();
    expect([broken, undone]).toEqual([0, 0]);
    expect(cuts).toBeGreaterThan(200);
  });

  test("break a file that is not synced, and take back a rename that is not", async () => {
    expect((await afterCuts((disk) => without(disk, "sync"))).broken).toBeGreaterThan(0);
    expect((await afterCuts((disk) => without(disk, "syncDirectory"))).undone).toBeGreaterThan(0);
  });
});

const state = { since: "2026-11-21T10:00:00.000Z", seen: ["a"], named: [] };
const whole = JSON.stringify({ version: 1, store: "lasting ", ...state });

/** A mark in this directory, and what its opening logs. */
function opened(dataDir: string): { mark: ReturnType<typeof openMark>; logged: unknown[] } {
  const logged: unknown[] = [];
  const warn = (...stated: unknown[]): void => void logged.push(stated);
  const parts = { config: { dataDir }, store: { name: "lasting" }, server: null, log: { warn } };
  return { mark: openMark(parts as unknown as Parts), logged };
}

test("what is kept is what the next process reads", async () => {
  const directory = await directories.make();
  const { mark, logged } = opened(directory);
  expect([mark.earlier, logged]).toEqual([undefined, []]);
  await mark.keep(state);
  expect(existsSync(join(directory, "judge.json.new"))).toBe(false);
  expect(opened(directory).mark.earlier).toEqual({ ...state, stale_before: undefined });
});

test("a directory that is gone keeps nothing and throws nothing", async () => {
  await opened(join(await directories.make(), "gone")).mark.keep(state);
});

test.each([
  ["empty", ""],
  ["cut off", whole.slice(0, -10)],
  ["zeros", "\0".repeat(whole.length)],
  ["another type", "[1]"],
  ["null", "null"],
  ["another version", whole.replace('"version":1', '"version":9')],
  ["no time", whole.replace("2026-11-21T10:00:00.000Z", "secret")],
  ["a number for a time", whole.replace('"2026-11-21T10:00:00.000Z"', "3")],
  ["a time in words", whole.replace("2026-11-21T10:00:00.000Z", "Nov 21 2026")],
  ["no list", whole.replace('["a"]', '"secret"')],
  ["another item", whole.replace('["a"]', "[{}]")],
])("a damaged file is told of without its content: %s", async (_what, text) => {
  const directory = await directories.make();
  writeFileSync(join(directory, "judge.json"), text);
  const { mark, logged } = opened(directory);
  expect(mark.earlier).toBeUndefined();
  const bytes = Buffer.byteLength(text);
  expect(logged).toEqual([["judge_mark_damaged", { count: 1, bytes }]]);
});

test("the file of another store is not damaged and is not used", async () => {
  const directory = await directories.make();
  writeFileSync(join(directory, "judge.json"), whole.replace("lasting ", "other "));
  const { mark, logged } = opened(directory);
  expect([mark.earlier, logged]).toEqual([undefined, []]);
});

test("with a damaged file the last day counts as judged with unknown losses", async () => {
  const directory = await directories.make();
  const stand = new Stand(directory);
  await stand.put(turnAt("a", stand.now));
  stand.now = start + 600_000;
  const first = stand.judge();
  await first.look();
  await first.close();
  expect(await stand.verdicts()).toEqual({ a: "success" });
  const file = join(directory, "judge.json");
  writeFileSync(file, readFileSync(file).subarray(0, 40));
  stand.now += 60_000;
  const [from, to] = [isoOf(start - 60_000), isoOf(start + 540_000)];
  const loss = { from, to, lost: 1, sampled_out: 0, write_failures: 0 };
  stand.losses = { quarantined_roots: [], losses: [loss] };
  const second = stand.judge();
  await second.look();
  await second.close();
  expect(await stand.verdicts()).toEqual({ a: "partial" });
  expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ version: 1, store: "lasting " });
});
