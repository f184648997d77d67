/** The first round reads as many roots as usually fill the page, and no more. */
import { limits } from "@turnproof/semconv";
import { expect, test } from "vitest";

import { firstRound, rootRounds } from "./root-rounds.ts";
import { allTenants } from "./testing/index.ts";
import type { FirstRound, KnownRoot } from "./root-rounds.ts";
import type { SliceOptions } from "./evidence-store.ts";

/** Ten roots of ten events each, the newest first; the third and fourth have one receipt. */
const roots: readonly KnownRoot[] = Array.from({ length: 10 }, (_, at) => {
  const last = 1_000 - (at === 3 ? 2 : at);
  return { root: `root-${at}`, first: last, last, found: 10 };
});

/** Numbers of roots that each round reads. */
async function roundsOf(
  options: Partial<SliceOptions> & FirstRound,
  of: readonly KnownRoot[] = roots,
): Promise<readonly number[]> {
  const read: number[] = [];
  const load = async (some: readonly KnownRoot[]) => {
    read.push(some.length);
    return [];
  };
  for await (const _ of rootRounds(of, load, { limit: 100, ...options })) continue;
  return read;
}

test("ends once the events found fill the page; later rounds are bounded by roots", async () => {
  expect(await roundsOf({ rootsFirst: 100 })).toEqual([10]);
  expect(await roundsOf({ rootsFirst: 100, eventsFirst: 15 })).toEqual([2, 8]);
  // Roots of one receipt stay together.
  expect(await roundsOf({ rootsFirst: 100, eventsFirst: 25 })).toEqual([4, 6]);
  expect(await roundsOf({ rootsFirst: 2, eventsFirst: 1_000 })).toEqual([2, 4, 4]);
});

test("a page of every event ends its first round when it is full, other pages at a bound", () => {
  const question = { scope: allTenants, query: {} };
  expect(firstRound(question, 20_000)).toEqual({ rootsFirst: 2_501, eventsFirst: 21_064 });
  const narrowed = { ...question, query: { status: "error" as const } };
  expect(firstRound(narrowed, 250)).toEqual({
    rootsFirst: 126,
    eventsFirst: limits.rootEventsMax,
  });
});

test("the rows of a root count where those of its newest row are not known", async () => {
  const known = roots.map(({ found: rows, ...root }) => ({ ...root, rows: rows ?? 0 }));
  expect(await roundsOf({ rootsFirst: 100, eventsFirst: 15 }, known)).toEqual([2, 8]);
});

test("events of roots that earlier pages counted do not end it", async () => {
  const after = { micros: 998, nanos: "0", key: "" };
  const started = roots.map((root) => ({ ...root, first: 990 }));
  const read: number[] = [];
  const load = async (some: readonly KnownRoot[]) => {
    read.push(some.length);
    return [];
  };
  const options = { limit: 100, after, rootsFirst: 100, eventsFirst: 30 };
  for await (const _ of rootRounds(started, load, options)) continue;
  // Two roots reach beyond the start of the page.
  expect(read).toEqual([5, 5]);
});
