/**
 * @module The plan of a measure over simulated turns: growth of the size that it states is found
 * with the power that it states, whatever the spread of the values.
 */
import { gate, gateText, planGrowth, planTogether } from "@turnproof/contracts";
import type { Measured, MeasureTrials } from "@turnproof/contracts";
import { describe, expect, test } from "vitest";

import { numbers } from "./simulated-trials.ts";

/** Three standard errors of a share. */
function slack(share: number, of: number): number {
  return 3 * Math.sqrt((share * (1 - share)) / of);
}

interface Design {
  readonly baseline: number;
  readonly candidate: number;
  readonly paired?: boolean;
  /** Share of the values that is not recorded. */
  readonly unknown?: number;
  readonly tests?: number;
}

/** Values of four shapes: nearly even, of a long tail, of two humps, exponential. */
const shapes: Readonly<Record<string, (next: () => number) => number>> = {
  even: (next) => 800 + 400 * next(),
  "long tail": (next) => 1_000 / (1 - 0.98 * next()),
  "two humps": (next) => (next() < 0.4 ? 300 : 2_000) * (1 + 0.3 * next()),
  exponential: (next) => -1_000 * Math.log(1 - next()),
};

function side(
  size: number,
  shape: (next: () => number) => number,
  { paired = false, unknown = 0 }: Design,
  next: () => number,
): Measured[] {
  return Array.from({ length: size }, (_, at) => {
    const value = shape(next);
    const isUnknown = next() < unknown;
    return {
      ...(paired ? { caseId: `case-${at}` } : {}),
      ...(isUnknown ? {} : { value }),
    };
  });
}

const grown = (side: readonly Measured[], factor: number): Measured[] =>
  side.map((one) => (typeof one.value === "number" ? { ...one, value: one.value * factor } : one));

const measure = (baseline: Measured[], candidate: Measured[]): MeasureTrials => ({
  name: "duration",
  unit: "ms",
  baseline,
  candidate,
});

const designs: readonly (readonly [string, Design])[] = [
  ["12 and 12 turns", { baseline: 12, candidate: 12 }],
  ["60 and 60 turns", { baseline: 60, candidate: 60 }],
  ["150 and 40 turns", { baseline: 150, candidate: 40 }],
  ["100 and 100 turns, a twentieth unknown", { baseline: 100, candidate: 100, unknown: 0.05 }],
  ["100 and 100 turns, six tests", { baseline: 100, candidate: 100, tests: 6 }],
  // Counted exactly as 60 are, which takes four times as long.
  ["36 cases", { baseline: 36, candidate: 36, paired: true }],
  ["20 cases", { baseline: 20, candidate: 20, paired: true }],
  ["130 cases, a fiftieth unknown", { baseline: 130, candidate: 130, paired: true, unknown: 0.02 }],
];

describe.each(Object.entries(shapes))("values: %s", (_, shape) => {
  test.each(designs)("%s: stated growth is found with the stated power", (_name, design) => {
    const next = numbers(71);
    const tests = design.tests ?? 1;
    // Sizes that are counted exactly take longer.
    const runs = design.paired === true || design.baseline < 40 ? 200 : 600;
    const [planned, found] = [new Array<number>(), new Array<boolean>()];
    for (let run = 0; run < runs; run += 1) {
      const baseline = side(design.baseline, shape, design, next);
      const same = side(design.candidate, shape, design, next);
      const { smallestGrowth } = planGrowth(measure(baseline, same), tests);
      if (smallestGrowth === undefined) continue;
      planned.push(smallestGrowth);
      const candidate = grown(same, 1 + smallestGrowth);
      const report = gate([], [measure(baseline, candidate)], { alpha: 0.05 / tests });
      found.push(report.outcome === "regressed");
    }
    expect(planned.length).toBeGreaterThan(runs / 2);
    expect(Math.min(...planned)).toBeGreaterThan(0.1);
    const share = found.filter(Boolean).length / found.length;
    expect(share).toBeGreaterThanOrEqual(0.8 - slack(0.8, found.length));
    if (design.unknown === undefined) expect(share).toBeLessThanOrEqual(0.93);
  });
});

describe("the plan of a measure", () => {
  const next = numbers(72);
  const values = (size: number): Measured[] =>
    side(size, shapes["even"] ?? next, { baseline: 0, candidate: 0 }, next);

  test("reads no value of the candidate", () => {
    const [baseline, candidate] = [values(40), values(40)];
    expect(planGrowth(measure(baseline, candidate), 2)).toEqual(
      planGrowth(measure(baseline, grown(candidate, 9)), 2),
    );
  });

  test("more turns find less growth, and missing values and more tests find more", () => {
    const smallest = (size: number, lacking: number, tests: number): number => {
      const open = Array.from({ length: lacking }, () => ({}));
      const own = values(size);
      return (
        planGrowth(measure(own, [...own.slice(lacking), ...open]), tests).smallestGrowth ?? NaN
      );
    };
    expect(smallest(400, 0, 1)).toBeLessThan(smallest(40, 0, 1));
    expect(smallest(100, 10, 1)).toBeGreaterThan(smallest(100, 0, 1));
    expect(smallest(100, 0, 9)).toBeGreaterThan(smallest(100, 0, 1));
  });

  test("few turns find no growth, and that is stated", () => {
    const few = measure(values(2), values(2));
    expect(planGrowth(few, 1)).toEqual({ alpha: 0.05, power: 0.8, allowedGrowth: 0.1 });
    const three = measure(values(3), values(3));
    // Of 20 ways one is as extreme, and no level below 0.05 is reached.
    expect(planGrowth(three, 2)).not.toHaveProperty("smallestGrowth");
    const text = gateText(gate([], [few]), planTogether([], [few]));
    expect(text).toMatch(/^plan {2}duration: no growth can be found with power 80\.0 %/);
  });

  test("values of zero grow by no factor", () => {
    const nothing = Array.from({ length: 50 }, () => ({ value: 0 }));
    expect(planGrowth(measure(nothing, nothing), 1)).not.toHaveProperty("smallestGrowth");
    const paired = nothing.map((one, at) => ({ ...one, caseId: `case-${at}` }));
    expect(planGrowth(measure(paired, paired), 1)).not.toHaveProperty("smallestGrowth");
  });

  test("a constant baseline finds what is beyond what is allowed", () => {
    const constant = Array.from({ length: 50 }, () => ({ value: 700 }));
    expect(planGrowth(measure(constant, constant), 1).smallestGrowth).toBeCloseTo(0.1, 3);
  });

  test("stands before the outcome, with what is not recorded", () => {
    const lacking = measure(values(60), [...values(55), {}, {}]);
    const text = gateText(gate([], [lacking]), planTogether([], [lacking]));
    expect(text).toMatch(
      /^plan {2}duration: growth of \d+\.\d % or more is found with power 80\.0 % \(level 0\.05, 10\.0 % allowed, with 0 and 2 turns without a value\)\n/,
    );
  });
});
