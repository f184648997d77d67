/** History: the sum of the minutes is what happened, and what was not recorded is no zero. */
import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import fc from "fast-check";
import { expect, test } from "vitest";

import { Conservation } from "../conservation.ts";
import { appendMinute, historyDays, readMinutes, removeOldDays } from "./history-file.ts";
import { startHistory } from "./history.ts";
import { addedBetween, noCounts, peaksOf, sumOfCounts, totalsOf } from "./minute.ts";
import type { IngestCounts, IngestMinute } from "./minute.ts";

const quiet = { info: (): void => {}, warn: (): void => {}, error: (): void => {} };
const calm = { pending_items: 0, oldest_pending_ms: 0, journal_bytes: 0, judge_behind_ms: null };
const folderOf = (): string => mkdtempSync(join(tmpdir(), "turnproof-history-"));

function minute(from_ms: number, received: number): IngestMinute {
  return { from_ms, to_ms: from_ms + 60_000, counts: { received }, peaks: calm };
}

/** A conservation with an empty journal, and its counts. */
function emptyConservation(): { readonly of: Conservation; readonly totals: () => IngestCounts } {
  const empty = { recovered: 0, pending: 0, stored: 0, quarantined: 0, lost: 0 };
  const of = new Conservation(() => empty);
  return { of, totals: () => totalsOf(of.snapshot(), of.sources()) };
}

test("the sum of any minutes is what the process counted in them", () => {
  const request = fc.record({
    sender: fc.constantFrom("", "shop", "desk", "__proto__"),
    service: fc.constantFrom("", "shop-api", "constructor"),
    items: fc.integer({ min: 1, max: 40 }),
    fate: fc.constantFrom("accepted", "refused", "unread" as const),
    ends: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(request, { maxLength: 40 }), (requests) => {
      const { of, totals } = emptyConservation();
      const minutes: IngestMinute[] = [];
      let before = totals();
      for (const { sender, service, items, fate, ends } of requests) {
        of.request();
        of.sentBy(sender);
        if (fate === "unread") of.requestRefused("body_too_large", sender);
        else {
          const passage = of.enter(items, sender);
          if (fate === "refused") passage.refused("journal_full");
          else passage.accepted({ span_id_invalid: 1 }, new Map([[service, items - 1]]));
        }
        if (!ends) continue;
        const counts = JSON.parse(JSON.stringify(addedBetween(before, totals())));
        minutes.push({ ...minute(minutes.length * 60_000, 0), counts });
        before = totals();
      }
      const rest = addedBetween(before, totals());
      const sum = sumOfCounts([...minutes, { ...minute(0, 0), counts: rest }]);
      expect(addedBetween(noCounts, sum)).toEqual(addedBetween(noCounts, totals()));
    }),
  );
});

test("minutes survive a restart, an unfinished line is left out, and old days are removed", async () => {
  const folder = folderOf();
  const day = Date.parse("2026-11-21T00:00:00Z");
  await appendMinute(folder, minute(day - 60_000, 1));
  const file = join(folder, "minutes-2026-11-21.jsonl");
  writeFileSync(file, '\n{"from_ms":17');
  await appendMinute(folder, minute(day, 2));
  await appendMinute(folder, minute(day + 60_000, 4));
  const read = async (from: number, to: number): Promise<number> =>
    sumOfCounts(await readMinutes(folder, from, to)).received;
  expect(await read(0, Infinity)).toBe(7);
  expect(await read(day, day + 60_000)).toBe(2);
  expect(await read(day - 1, day + 60_001)).toBe(7);
  await removeOldDays(folder, day + historyDays * 86_400_000);
  expect(readdirSync(folder)).toEqual(["minutes-2026-11-21.jsonl"]);
});

test("the present minute is readable before it ends, and is counted once after", async () => {
  const { of, totals } = emptyConservation();
  const clock = { now: Date.parse("2026-11-21T10:00:30Z") };
  const folder = folderOf();
  const options = { folder, totals, state: async () => calm, now: () => clock.now, log: quiet };
  const history = await startHistory(options);
  of.enter(5, "shop").accepted({});
  clock.now += 10_000;
  const stored = async (): Promise<readonly IngestMinute[]> => readMinutes(folder, 0, Infinity);
  expect(sumOfCounts(history.recent()).received).toBe(5);
  expect(await stored()).toEqual([]);
  const ending = history.end();
  of.enter(3, "shop").refused("journal_full");
  clock.now += 1;
  expect(sumOfCounts(history.recent()).received).toBe(8);
  await ending;
  expect(sumOfCounts(history.recent()).received).toBe(3);
  expect(sumOfCounts(await stored()).received).toBe(5);
  await history.close();
  expect(history.recent()).toEqual([]);
  expect(sumOfCounts(await stored()).senders["shop"]).toMatchObject({
    items: 8,
    refused: { journal_full: 3 },
  });
});

test("items that a start found lost are in a stored minute at once", async () => {
  const tally = { recovered: 200, pending: 0, stored: 180, quarantined: 0, lost: 20 };
  const of = new Conservation(() => tally);
  const totals = (): IngestCounts => totalsOf(of.snapshot(), of.sources());
  const folder = folderOf();
  const now = (): number => Date.parse("2026-11-21T10:00:30Z");
  const state = async (): Promise<typeof calm> => calm;
  const history = await startHistory({ folder, totals, state, now, log: quiet });
  const stored = async (): Promise<IngestCounts> =>
    sumOfCounts(await readMinutes(folder, 0, Infinity));
  // A process that is killed now has stored it.
  expect(await stored()).toMatchObject({ lost: 20, stored: 180 });
  expect(sumOfCounts(history.recent()).lost).toBe(0);
  tally.lost += 3;
  expect(sumOfCounts(history.recent()).lost).toBe(3);
  await history.close();
});

test("an unknown value is no peak, and no minute has none", () => {
  expect(peaksOf([])).toBeNull();
  const known = { ...minute(0, 0), peaks: { ...calm, judge_behind_ms: 7, pending_items: 2 } };
  expect(peaksOf([known, minute(60_000, 0)])).toEqual({ ...known.peaks });
});
