/**
 * @module Pairs of the gate beside turns that name no case: these are counted and left out, and an
 * outcome stands only where they cannot turn it.
 */
import {
  gate,
  gateMarkdown,
  gateText,
  planGrowth,
  planGate,
  planTogether,
} from "@turnproof/contracts";
import type { GateReport, Measured, MeasureTrials, Trial } from "@turnproof/contracts";
import { describe, expect, test } from "vitest";

import { numbers, simulated } from "./simulated-trials.ts";

const comparisons = 1_000;

const compare = (baseline: readonly Trial[], candidate: readonly Trial[]): GateReport =>
  gate([{ name: "ended", baseline, candidate }], []);

/** Cases with one turn each; the first `bad` violate. */
function cases(size: number, bad: number, from = 0): Trial[] {
  return Array.from({ length: size }, (_, at) => ({
    caseId: `case-${from + at}`,
    result: at < bad ? "violated" : "holds",
  }));
}

const unnamed = (size: number, result: Trial["result"]): Trial[] =>
  Array.from({ length: size }, () => ({ result }));

describe("turns that name no case", () => {
  // Eighteen cases violate on both sides: only in pairs are eight further ones a regression.
  const [before, after] = [cases(60, 18), cases(60, 26)];

  test("one of them leaves the others in pairs", () => {
    const report = compare([...before, ...unnamed(1, "holds")], after);
    expect(report.outcome).toBe("regressed");
    expect(report.contracts[0]).toMatchObject({
      paired: true,
      cases: 60,
      inPairs: { baseline: 60, candidate: 60 },
      withoutCase: { baseline: 1, candidate: 0 },
      withoutPartner: { baseline: 0, candidate: 0 },
      baseline: { holds: 42, violated: 18 },
    });
    const nameless = (some: readonly Trial[]): Trial[] => some.map(({ result }) => ({ result }));
    expect(compare(nameless(before), nameless(after)).outcome).toBe("not_enough_evidence");
  });

  test("less than half of a side in pairs: all turns are one case, with the reason", () => {
    const few = [...cases(29, 0), ...unnamed(31, "holds")];
    const report = compare(few, after);
    expect(report.contracts[0]).toMatchObject({
      paired: false,
      cases: 1,
      inPairs: { baseline: 29, candidate: 29 },
      withoutCase: { baseline: 31, candidate: 0 },
      withoutPartner: { baseline: 0, candidate: 31 },
      baseline: { holds: 60 },
    });
    const plans = planTogether([{ name: "ended", baseline: few, candidate: after }], []);
    const words =
      "not in pairs: less than half of a side has a case that both sides have " +
      "(29 of 60 and 29 of 60 turns; 31 and 0 name no case)";
    expect(gateText(report, plans)).toContain(words);
    expect(gateMarkdown(report, plans)).toContain(words);
    expect(compare([...cases(30, 0), ...unnamed(30, "holds")], after).contracts[0]?.paired).toBe(
      true,
    );
  });

  test("a regression among them is not cleared by the pairs", () => {
    const clean = cases(400, 0);
    expect(compare(clean, cases(400, 0)).outcome).toBe("no_regression");
    const hidden = [...cases(400, 0), ...unnamed(40, "violated")];
    expect(compare([...clean, ...unnamed(40, "holds")], hidden).outcome).not.toBe("no_regression");
    const harmless = [...cases(400, 0), ...unnamed(40, "holds")];
    expect(compare([...clean, ...unnamed(40, "holds")], harmless).outcome).toBe("no_regression");
  });

  test("values of them are left out of the medians of cases, and may turn the answer", () => {
    const values = (size: number, factor: number, named = true): Measured[] =>
      Array.from({ length: size }, (_, at) => ({
        value: (1_000 + 90 * at) * factor,
        ...(named ? { caseId: `case-${at}` } : {}),
      }));
    const outcome = (baseline: Measured[], candidate: Measured[]) =>
      gate([], [{ name: "duration", unit: "ms", baseline, candidate }]).measures[0];
    const one = outcome(values(60, 1), [...values(60, 1.2), ...values(1, 1, false)]);
    expect(one).toMatchObject({
      paired: true,
      cases: 60,
      withoutCase: { baseline: 0, candidate: 1 },
      outcome: "regressed",
    });
    const many = [...values(60, 1.2), ...values(55, 0.5, false)];
    expect(outcome(values(60, 1), many)).toMatchObject({
      paired: true,
      outcome: "not_enough_evidence",
    });
  });
});

/** Chance that a turn names no case, by whether it violates. */
const losses: readonly (readonly [string, Record<"baseline" | "candidate", LostName>])[] = [
  ["a twentieth of both sides", { baseline: () => 0.05, candidate: () => 0.05 }],
  ["a quarter of both sides", { baseline: () => 0.25, candidate: () => 0.25 }],
  ["what violates in the baseline", { baseline: (bad) => (bad ? 0.9 : 0), candidate: () => 0 }],
  ["what holds in the candidate", { baseline: () => 0, candidate: (bad) => (bad ? 0 : 0.3) }],
  [
    "what violates in the baseline and what holds in the candidate",
    { baseline: (bad) => (bad ? 0.9 : 0), candidate: (bad) => (bad ? 0 : 0.3) },
  ],
];
type LostName = (violated: boolean) => number;

function forgetting(side: readonly Trial[], lost: LostName, next: () => number): Trial[] {
  return side.map(({ caseId, result }) => {
    const isLost = next() < lost(result === "violated");
    return isLost || caseId === undefined ? { result } : { caseId, result };
  });
}

describe.each(losses)("nothing changed, no case: %s: at most 5 %% false alarms", (_name, loss) => {
  test.each([
    ["60 cases, one turn each", 60, 60],
    ["300 cases, one turn each", 300, 300],
    ["12 cases, five turns each", 60, 12],
  ])("%s", (_size, turns, size) => {
    const next = numbers(81);
    let [alarms, paired] = [0, 0];
    for (let run = 0; run < comparisons; run += 1) {
      const rates = Array.from({ length: size }, () => next() * 0.4);
      const violated = (at: number): number => rates[at % rates.length] ?? 0;
      const side = (lost: LostName): Trial[] =>
        forgetting(simulated({ turns, violated, cases: size }, next), lost, next);
      const report = compare(side(loss.baseline), side(loss.candidate));
      if (report.outcome === "regressed") alarms += 1;
      if (report.contracts[0]?.paired === true) paired += 1;
    }
    expect(paired).toBeGreaterThan(comparisons * 0.5);
    expect(alarms).toBeLessThanOrEqual(comparisons * 0.05);
  });
});

test("nothing changed, durations without a case on each side: at most 5 % false alarms", () => {
  const next = numbers(82);
  let alarms = 0;
  for (let run = 0; run < comparisons; run += 1) {
    // More pairs than are counted exactly, which takes longer.
    const size = Array.from({ length: 180 }, () => Math.exp(2 * next()));
    const side = (isLost: (value: number) => boolean): Measured[] =>
      size.map((middle, at) => {
        const value = middle * Math.exp(next());
        return isLost(value) && next() < 0.3 ? { value } : { value, caseId: `case-${at}` };
      });
    const measures: MeasureTrials[] = [
      {
        name: "duration",
        unit: "ms",
        baseline: side((value) => value > 5),
        candidate: side((value) => value < 5),
      },
    ];
    if (gate([], measures, { allowedGrowth: 0 }).outcome === "regressed") alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(comparisons * 0.05);
});

describe("the plan beside turns that name no case is found with the stated power", () => {
  const runs = 400;
  test.each([
    ["100 cases, 3 beside them", 100, 0.03],
    ["120 cases, a tenth beside them", 120, 0.1],
    ["120 cases, a quarter beside them", 120, 0.25],
  ])("%s", (_, turns, share) => {
    const next = numbers(83);
    let [planned, found] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      const side = (violated: number): Trial[] =>
        forgetting(
          simulated({ turns, violated: () => violated, cases: turns }, next),
          () => share,
          next,
        );
      const [baseline, shape] = [side(0.15), side(0)];
      const plan = planGate({ name: "ended", baseline, candidate: shape }, 1);
      if (plan.withoutCase === undefined || plan.smallestDrop === undefined) continue;
      planned += 1;
      const worse = 0.15 + plan.smallestDrop;
      const candidate = shape.map((trial): Trial =>
        next() < worse ? { ...trial, result: "violated" } : trial,
      );
      if (compare(baseline, candidate).outcome === "regressed") found += 1;
    }
    expect(planned).toBeGreaterThan(runs / 2);
    expect(found / planned).toBeGreaterThanOrEqual(0.8 - 3 * Math.sqrt(0.16 / planned));
  });

  test.each([0.03, 0.2])("growth of a measure, %s beside the cases", (share) => {
    const next = numbers(84);
    let [planned, found] = [0, 0];
    for (let run = 0; run < runs / 2; run += 1) {
      const side = (): Measured[] =>
        Array.from({ length: 190 }, (_, at) => ({
          value: 800 + 400 * next(),
          ...(next() < share ? {} : { caseId: `case-${at}` }),
        }));
      const trials = { name: "duration", unit: "ms", baseline: side(), candidate: side() };
      const { smallestGrowth: grown } = planGrowth(trials, 1);
      if (grown === undefined) continue;
      planned += 1;
      const candidate = trials.candidate.map((one) => ({
        ...one,
        value: Number(one.value) * (1 + grown),
      }));
      if (gate([], [{ ...trials, candidate }]).outcome === "regressed") found += 1;
    }
    expect(planned).toBeGreaterThan(runs / 4);
    expect(found / planned).toBeGreaterThanOrEqual(0.8 - 3 * Math.sqrt(0.16 / planned));
  });
});
