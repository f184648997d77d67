/**
 * @module Busy roots: a root that never is quiet, and of which something always waits in the
 * journal, has a verdict of the last minute, is not settled, and never is a success before it is.
 */
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "../store/temporary-directory.ts";
import { isoOf, Stand, start, turnAt } from "./stopped-judge.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const everyMs = 200;
const lookMs = 2_000;
/** A minute, what the mark lags behind, and the time between two looks. */
const oldestMs = 60_000 + 2_000 + everyMs + 2 * lookMs;

test("a busy root has a verdict of the last minute, and is settled when it is quiet", async () => {
  const stand = new Stand(await directories.make(), { recorded: true });
  const judge = stand.judge();
  const [first, ...others] = turnAt("busy", start) as [TurnEvent, ...TurnEvent[]];
  const all: { readonly event: TurnEvent; readonly at: string }[] = [];
  const put = async (event: TurnEvent): Promise<void> => {
    all.push({ event, at: isoOf(stand.now) });
    await stand.put([event]);
  };
  for (const event of [first, ...others]) await put(event);
  let seen = 0;
  for (let at = 1; at * everyMs <= 150_000; at += 1) {
    stand.now = start + at * everyMs;
    // What was received just now waits in the journal.
    stand.pending = isoOf(stand.now - everyMs);
    await put({ ...first, event_id: `more-${at}`, timestamp: isoOf(stand.now) });
    if (stand.now % lookMs === 0) await judge.look();
    const [record] = await stand.records();
    expect(record?.version.settled).toBe(false);
    expect(record?.row.verdict).not.toBe("success");
    if (stand.now - start <= oldestMs) continue;
    seen += 1;
    expect(record?.row.verdict).not.toBeNull();
    expect(stand.now - Date.parse(record?.as_of ?? "")).toBeLessThanOrEqual(oldestMs);
  }
  expect(seen).toBeGreaterThan(300);
  stand.pending = null;
  stand.now += 10_000;
  await judge.look();
  await judge.close();
  const plain = new Stand(await directories.make(), { recorded: false });
  for (const { event, at } of all) await plain.put([event], at);
  plain.now = stand.now;
  const other = plain.judge();
  await other.look();
  await other.close();
  expect(await shown(stand)).toEqual(await shown(plain));
  expect((await shown(stand)).map(({ version }) => version)).toEqual([
    { epoch: 0, rows: all.length, settled: true },
  ]);
});

test("a turn that ended is a success beside one that goes on, which is not when it has grown", async () => {
  const stand = new Stand(await directories.make(), { recorded: true });
  const judge = stand.judge();
  const named = (turn_id: string): TurnEvent[] =>
    turnAt("busy", start).map((event) => ({
      ...event,
      turn_id,
      event_id: turn_id + event.event_id,
    }));
  await stand.put([...named("ended"), ...named("on")]);
  const last = named("on").at(-1) as TurnEvent;
  const found = new Set<string>();
  for (let at = 1; at <= 70; at += 1) {
    stand.now = start + at * 1_000;
    const more = { ...last, event_id: `more-${at}`, timestamp: isoOf(stand.now) };
    await stand.put([more]);
    await judge.look();
    for (const { row, version } of await stand.records()) {
      expect(version.settled).toBe(false);
      found.add(`${row.turn_id} ${row.verdict}`);
      if (at > 68) expect(row.verdict).toBe(row.turn_id === "ended" ? "success" : null);
    }
  }
  await judge.close();
  expect([...found].toSorted()).toEqual(["ended null", "ended success", "on null", "on success"]);
});

test("no turn is a success while something of its root waits in the journal", async () => {
  const stand = new Stand(await directories.make(), { recorded: true });
  const judge = stand.judge();
  await stand.put(turnAt("busy", start));
  const [first] = turnAt("busy", start) as [TurnEvent];
  for (let at = 1; at <= 70; at += 1) {
    stand.now = start + at * 1_000;
    stand.pending = isoOf(stand.now);
    const more = { event_id: `more-${at}`, timestamp: isoOf(stand.now), turn_id: "on" };
    await stand.put([{ ...first, ...more }]);
    await judge.look();
  }
  await judge.close();
  const verdicts = (await stand.records()).map(({ row }) => row.verdict);
  expect(verdicts).toEqual(["partial", "partial"]);
});

async function shown(
  stand: Stand,
): Promise<Pick<Awaited<ReturnType<Stand["records"]>>[0], "row" | "version" | "as_of">[]> {
  return (await stand.records()).map(({ row, version, as_of }) => ({ row, version, as_of }));
}
