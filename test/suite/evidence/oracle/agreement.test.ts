/**
 * The judge and a naive oracle of the law agree on random changes of honest windows, class by
 * class. `ORACLE_MUTATIONS` names how many, `ORACLE_FROM` the first of each class, so that a long
 * run can be split; the figures of the long run stand in the README.
 */
import { expect, test } from "vitest";

import { explain, judgeBoth, judged } from "./agreement.ts";
import { honestWindow, tasksOf } from "./honest-windows.ts";
import type { JudgedWindow } from "./law.ts";
import { mutate, mutationClasses } from "./mutation-classes.ts";
import type { MutationClass } from "./mutation-classes.ts";
import { oracle } from "./oracle.ts";
import { isPending } from "./pending.ts";
import { randomOf } from "./random.ts";
import { readsOf } from "./repage.ts";
import { joinPages } from "@turnproof/evidence";

const mutations = Number(process.env["ORACLE_MUTATIONS"] ?? 4000);
const perClass = Math.ceil(mutations / mutationClasses.length);
const from = Number(process.env["ORACLE_FROM"] ?? 0);
/** One in so many changes of a class must change the verdict: of 100,000 over 1,500 in each. */
const effectiveShare = 8;
const timeout = 60_000 + mutations * 20;
/** How many changes one honest window is good for, so that windows vary more than changes. */
const each = 4;
const firstSeed = Math.floor(from / each);
const seeds = Array.from({ length: Math.ceil(perClass / each) }, (_, at) => firstSeed + at);

test("every generated window is a success by the law", () => {
  for (const seed of seeds) {
    const { allowed, objections } = oracle(honestWindow(seed));
    expect({ seed, allowed, objections }).toEqual({ seed, allowed: ["success"], objections: [] });
  }
});

test("the judge calls every generated window a success", { timeout }, () => {
  const missed: number[] = [];
  for (const seed of seeds) {
    const window = honestWindow(seed);
    const verdict = judged(window);
    if (verdict.status === "success" || isPending(window, oracle(window), verdict)) continue;
    missed.push(seed);
  }
  const [first] = missed;
  expect(missed.length, first === undefined ? "" : explain(honestWindow(first))).toBe(0);
});

test.each(mutationClasses)("%s: the judge agrees with the oracle", { timeout }, (kind) => {
  const count = { effective: 0, unsettled: 0, pending: 0 };
  const differ: JudgedWindow[] = [];
  for (let index = from; index < from + perClass; index += 1) {
    const { before, after } = mutant(kind, index);
    const { expected, verdict, agree } = judgeBoth(after);
    if (expected.allowed.length === 3) count.unsettled += 1;
    else if (expected.allowed.join() !== before.allowed.join()) count.effective += 1;
    if (agree) continue;
    if (isPending(after, expected, verdict)) count.pending += 1;
    else differ.push(after);
  }
  if (process.env["ORACLE_MUTATIONS"] !== undefined) {
    console.log(JSON.stringify({ kind, mutations: perClass, ...count, differ: differ.length }));
  }
  const [first] = differ;
  expect(differ.length, first === undefined ? "" : explain(first)).toBe(0);
  // A class that changes few verdicts proves little; where the law is silent it proves nothing.
  expect(count.effective).toBeGreaterThan(perClass / effectiveShare);
  expect(count.unsettled).toBeLessThan(perClass / 50);
});

test.each<[MutationClass, number]>([
  ["reorder", 1714],
  ["reorder", 6008],
  ["reorder", 6405],
  ["reorder", 6884],
  ["reorder", 8898],
  ["reorder", 9987],
  ["reorder", 11_366],
  ["re-identify", 6118],
  ["duplicate", 6458],
  ["duplicate", 12_340],
  ["flip", 905_109],
])("%s %i, on which they once differed", (kind, index) => {
  const { after } = mutant(kind, index);
  const { agree } = judgeBoth(after);
  expect(agree, agree ? "" : explain(after)).toBe(true);
});

test("order, repetition, pages and batches change no verdict", { timeout }, () => {
  for (let index = 0; index < mutations / 10; index += 1) {
    const random = randomOf(index + 7);
    const kind = random.pick(mutationClasses);
    const window = index % 3 === 0 ? honestWindow(index) : mutant(kind, index).after;
    // Pages carry a mark, and what is open without one is unfinished by then.
    const reported = (one: JudgedWindow): unknown => {
      const { status, findings, missing_stages } = judged(one);
      return {
        status,
        missing_stages,
        codes: findings
          .map(({ code }) => (code === "turn_unfinished" ? "turn_open" : code))
          .toSorted(),
      };
    };
    const first = reported(window);
    const copies = window.events.flatMap((event) =>
      random.chance(0.3) ? [event, structuredClone(event)] : [event],
    );
    const shuffled = copies
      .map((event) => ({ event, key: random.below(1 << 24) }))
      .toSorted((a, b) => a.key - b.key)
      .map(({ event }) => event);
    expect(reported({ ...window, events: shuffled })).toEqual(first);
    if (window.metadata?.window_complete !== true || window.wasReadWhole === false) continue;
    const { events, normalization_metadata: metadata } = joinPages(
      readsOf(shuffled, 1 + random.below(9)),
    );
    const joined = { ...window, metadata, events: events as unknown as JudgedWindow["events"] };
    expect(reported(joined)).toEqual(first);
  }
});

/** One window before and after one change of a class; sometimes with one of its tasks only. */
function mutant(
  kind: MutationClass,
  index: number,
): { readonly before: ReturnType<typeof oracle>; readonly after: JudgedWindow } {
  const random = randomOf(index * 31 + mutationClasses.indexOf(kind));
  const honest = honestWindow(Math.floor(index / each));
  const taskId = random.chance(0.15) ? (random.pick(tasksOf(honest)) ?? null) : null;
  const window = { ...honest, taskId };
  return { before: oracle(window), after: mutate(window, kind, random) };
}
