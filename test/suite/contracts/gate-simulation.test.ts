/**
 * @module The gate over simulated turns with and without unknown results: how often it alarms where
 * nothing changed, and whether a planted drop is found as often as the plan states.
 */
import { gate, planGate } from "@turnproof/contracts";
import type { GateOutcome, GateSettings, Measured, Trial } from "@turnproof/contracts";
import { describe, expect, test } from "vitest";

import { powerOf } from "../../../packages/contracts/src/gate/power.ts";
import { numbers, simulated } from "./simulated-trials.ts";

const comparisons = 1_000;

function outcome(
  baseline: readonly Trial[],
  candidate: readonly Trial[],
  settings: GateSettings = {},
): GateOutcome {
  return gate([{ name: "ended", baseline, candidate }], [], settings).outcome;
}

/** Three standard errors of a share. */
function slack(share: number, of: number): number {
  return 3 * Math.sqrt((share * (1 - share)) / of);
}

const designs: readonly (readonly [string, number, number | undefined])[] = [
  ["40 turns a side", 40, undefined],
  ["120 turns a side", 120, undefined],
  ["60 cases, one turn each", 60, 60],
  ["12 cases, five turns each", 60, 12],
];
/** Shares of turns without a result, by side and by whether the turn violates. */
const losses = [
  { name: "a twentieth unknown", baseline: () => 0.05, candidate: () => 0.05 },
  { name: "half unknown", baseline: () => 0.5, candidate: () => 0.5 },
  { name: "unknown on one side", baseline: () => 0.6, candidate: () => 0 },
  {
    name: "violations hidden in the baseline",
    baseline: (violated: boolean) => (violated ? 0.8 : 0),
    candidate: () => 0,
  },
  {
    name: "turns that hold hidden in the candidate",
    baseline: () => 0,
    candidate: (violated: boolean) => (violated ? 0 : 0.6),
  },
];

describe.each(losses)("nothing changed, $name: at most 5 % false alarms", (loss) => {
  test.each(designs)("%s", (_, turns, cases) => {
    const next = numbers(31);
    let alarms = 0;
    for (let run = 0; run < comparisons; run += 1) {
      const rates = Array.from({ length: cases ?? 1 }, () => next() * 0.4);
      const violated = (at: number): number => rates[at % rates.length] ?? 0;
      const baseline = simulated({ turns, violated, unknown: loss.baseline, cases }, next);
      const candidate = simulated({ turns, violated, unknown: loss.candidate, cases }, next);
      if (outcome(baseline, candidate) === "regressed") alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(comparisons * 0.05);
  });
});

test("measures of which half of the values is unknown: at most 5 % false alarms", () => {
  const next = numbers(33);
  const values = (): Measured[] =>
    Array.from({ length: 60 }, () => (next() < 0.5 ? {} : { value: Math.exp(4 * next()) }));
  let alarms = 0;
  for (let run = 0; run < comparisons; run += 1) {
    const measures = [{ name: "duration", unit: "ms", baseline: values(), candidate: values() }];
    if (gate([], measures, { allowedGrowth: 0 }).outcome === "regressed") alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(comparisons * 0.05);
});

test("with a twentieth unknown a real regression is still an alarm", () => {
  const next = numbers(32);
  const unknown = (): number => 0.05;
  const baseline = simulated({ turns: 200, violated: () => 0.1, unknown }, next);
  const candidate = simulated({ turns: 200, violated: () => 0.5, unknown }, next);
  expect(outcome(baseline, candidate)).toBe("regressed");
});

/** A drop that is planted, and the sizes in which it is looked for. */
interface PlantedDrop {
  readonly turns: number;
  readonly paired: boolean;
  readonly drop: number;
  readonly unknown?: number;
  readonly allowedDrop?: number;
}

describe("the stated power is the share of planted drops that are found", () => {
  const runs = 1_000;
  const violated = 0.1;
  const alpha = 0.05;
  test.each([
    ["unpaired, 30 a side", { turns: 30, paired: false, drop: 0.35 }],
    ["unpaired, 80 a side", { turns: 80, paired: false, drop: 0.18 }],
    ["unpaired, 300 a side", { turns: 300, paired: false, drop: 0.08 }],
    ["unpaired, 100 a side, 5 unknown", { turns: 100, paired: false, unknown: 5, drop: 0.25 }],
    ["unpaired, 300 a side, 30 unknown", { turns: 300, paired: false, unknown: 30, drop: 0.25 }],
    ["paired, 40 cases", { turns: 40, paired: true, drop: 0.25 }],
    ["paired, 150 cases", { turns: 150, paired: true, drop: 0.12 }],
    ["paired, 150 cases, 8 unknown", { turns: 150, paired: true, unknown: 8, drop: 0.25 }],
    // A drop that is significant, and mostly within what is allowed.
    ["unpaired, 600 a side, allowed", { turns: 600, paired: false, allowedDrop: 0.12, drop: 0.09 }],
    ["paired, 400 cases, allowed", { turns: 400, paired: true, allowedDrop: 0.15, drop: 0.11 }],
  ] as const)("%s", (_, design) => {
    const { turns, paired, drop, unknown = 0, allowedDrop = 0.05 } = design as PlantedDrop;
    const known = turns - unknown;
    // Unknown: the last of the candidate, and as many before them of the baseline.
    const stated = powerOf(
      {
        paired,
        baseline: paired ? turns - 2 * unknown : known,
        candidate: paired ? turns - 2 * unknown : known,
        unknown: { baseline: unknown, candidate: unknown },
        violated,
        alpha,
        allowed: { drop: allowedDrop, alpha },
      },
      drop,
    );
    const hidden = (side: readonly Trial[], from: number): readonly Trial[] =>
      side.map((trial, at) =>
        at >= from && at < from + unknown ? { ...trial, result: "not_established" } : trial,
      );
    const next = numbers(41);
    const cases = paired ? turns : undefined;
    let found = 0;
    for (let run = 0; run < runs; run += 1) {
      const baseline = simulated({ turns, violated: () => violated, cases }, next);
      const candidate = simulated({ turns, violated: () => violated + drop, cases }, next);
      const end = turns - unknown;
      const sides = [hidden(baseline, end - unknown), hidden(candidate, end)] as const;
      if (outcome(...sides, { alpha, allowedDrop }) === "regressed") found += 1;
    }
    expect(Math.abs(found / runs - stated)).toBeLessThanOrEqual(slack(stated, runs) + 0.001);
  });
});

describe("a drop of the size that the plan states is found with the power that it states", () => {
  const runs = 600;
  test.each([
    ["unpaired, 60 a side", 60, undefined, undefined, 0],
    ["unpaired, 200 a side", 200, undefined, undefined, 0],
    ["unpaired, 120 a side, a twentieth unknown", 120, undefined, undefined, 0.05],
    ["60 cases", 60, 60, undefined, 0],
    ["200 cases, a fiftieth unknown", 200, 200, undefined, 0.02],
    ["20 cases, five turns each", 100, 20, undefined, 0],
    ["20 cases, five turns each, a fiftieth unknown", 100, 20, undefined, 0.02],
    ["10 cases, one baseline turn beside nine", 10, 10, 90, 0],
  ])("%s", (_, turns, cases, others, unknownShare) => {
    const next = numbers(51);
    const unknown = (): number => unknownShare;
    let [planned, found] = [0, 0];
    for (let run = 0; run < runs; run += 1) {
      const baseline = simulated({ turns, violated: () => 0.15, unknown, cases }, next);
      const size = others ?? turns;
      // The plan reads how many turns have a result, so the planted drop is that of its sizes.
      const has = Array.from({ length: size }, () => next() >= unknownShare);
      const shape = has.map((known, at): Trial => ({
        result: known ? "holds" : "not_established",
        ...(cases === undefined ? {} : { caseId: `case-${at % cases}` }),
      }));
      const plan = planGate({ name: "ended", baseline, candidate: shape }, 1);
      if (plan.smallestDrop === undefined) continue;
      const worse = 0.15 + plan.smallestDrop;
      const candidate = shape.map((trial): Trial =>
        trial.result === "holds" && next() < worse ? { ...trial, result: "violated" } : trial,
      );
      planned += 1;
      if (outcome(baseline, candidate) === "regressed") found += 1;
    }
    expect(planned).toBeGreaterThan(runs / 2);
    expect(found / planned).toBeGreaterThanOrEqual(0.8 - slack(0.8, planned));
  });
});
