/** @module Gate: false alarms, power and outcomes over simulated turns. */
import { describe, expect, test } from "vitest";

import { gate } from "./gate.ts";
import type { GateOutcome, GatePlan } from "./gate-report.ts";
import { gateText } from "../report/gate-text.ts";
import { planLines } from "../report/gate-texts.ts";
import type { Measured } from "./measures.ts";
import { planGate, planTogether } from "./plan.ts";
import { powerOf, smallestDrop } from "./power.ts";
import type { Trial, TrialResult } from "./trials.ts";

/** The words of a plan, beside another one of the same level. */
function wordsOf(plan: GatePlan): string | undefined {
  return planLines({ contracts: { one: plan, other: plan }, measures: {} })[0]?.[1];
}

/** Numbers from 0 to 1 that are the same in every run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function trials(
  n: number,
  violated: (at: number) => number,
  next: () => number,
  cases?: number,
): readonly Trial[] {
  return Array.from({ length: n }, (_, at) => ({
    result: next() < violated(at) ? "violated" : "holds",
    ...(cases === undefined ? {} : { caseId: `case-${at % cases}` }),
  }));
}

function of(results: Partial<Record<TrialResult, number>>): readonly Trial[] {
  return Object.entries(results).flatMap(([result, n]) =>
    Array.from({ length: n }, () => ({ result: result as TrialResult })),
  );
}

const outcome = (
  baseline: readonly Trial[],
  candidate: readonly Trial[],
  settings = {},
): GateOutcome => gate([{ name: "ended", baseline, candidate }], [], settings).outcome;

describe("a thousand comparisons in which nothing changed give at most 5 % false alarms", () => {
  const designs: readonly (readonly [string, number, number | undefined])[] = [
    ["40 turns a side", 40, undefined],
    ["200 turns a side", 200, undefined],
    ["60 cases, one turn each", 60, 60],
    ["12 cases, five turns each", 60, 12],
  ];
  test.each(designs)("%s", (_, n, cases) => {
    const next = numbers(11);
    let alarms = 0;
    for (let run = 0; run < 1_000; run += 1) {
      const rates = Array.from({ length: cases ?? 1 }, () => next() * 0.4);
      const rate = (at: number): number => rates[at % rates.length] ?? 0;
      const sides = ["a", "b", "c"].map((name) => ({
        name,
        baseline: trials(n, rate, next, cases),
        candidate: trials(n, rate, next, cases),
      }));
      if (gate(sides, []).outcome === "regressed") alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(50);
    expect(alarms).toBeGreaterThan(0);
  });

  test.each([
    ["30 cases, five turns that agree", 30, 5, 1],
    ["40 cases, two turns that agree", 40, 2, 1],
    ["40 cases, three turns, half of them agree", 40, 3, 0.5],
  ] as const)("%s", (_, cases, each, agreeing) => {
    const next = numbers(13);
    const side = (): Trial[] =>
      Array.from({ length: cases }, (__, at) => {
        const state = next() < 0.25;
        return Array.from({ length: each }, (): Trial => {
          const isViolated = next() < agreeing ? state : next() < 0.25;
          return { caseId: `case-${at}`, result: isViolated ? "violated" : "holds" };
        });
      }).flat();
    let alarms = 0;
    for (let run = 0; run < 1_000; run += 1) {
      if (outcome(side(), side()) === "regressed") alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(50);
    expect(alarms).toBeGreaterThan(0);
  });

  test.each([
    ["cases of each side's own, three turns that agree", 3, false],
    ["cases of each side's own, values that agree", 5, true],
  ] as const)("40 %s", (_, each, ofMeasures) => {
    const next = numbers(ofMeasures ? 19 : 17);
    const turns = (side: string): (Trial & { value: number })[] =>
      Array.from({ length: 40 }, (__, at) => {
        const result: TrialResult = next() < 0.25 ? "violated" : "holds";
        const value = Math.exp(3 * next());
        return Array.from({ length: each }, () => ({ caseId: `${side}-${at}`, result, value }));
      }).flat();
    let alarms = 0;
    for (let run = 0; run < 1_000; run += 1) {
      const sides = { baseline: turns("before"), candidate: turns("after") };
      const report = ofMeasures
        ? gate([], [{ name: "duration", unit: "ms", ...sides }], { allowedGrowth: 0 })
        : gate([{ name: "ended", ...sides }], []);
      if (report.outcome === "regressed") alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(50);
    expect(alarms).toBeGreaterThan(0);
  });

  test("measures", () => {
    const next = numbers(12);
    let alarms = 0;
    for (let run = 0; run < 1_000; run += 1) {
      const values = (): { value: number }[] =>
        Array.from({ length: 30 }, () => ({ value: Math.exp(2 * next() + 3 * next()) }));
      const measures = [
        { name: "duration", unit: "ms", baseline: values(), candidate: values() },
        { name: "tokens", unit: "tokens", baseline: values(), candidate: values() },
      ];
      if (gate([], measures, { allowedGrowth: 0 }).outcome === "regressed") alarms += 1;
    }
    expect(alarms).toBeLessThanOrEqual(50);
    expect(alarms).toBeGreaterThan(0);
  });
});

test.each([
  ["50 cases, one turn before and five after", 50, 1, 5, 0.03],
  ["30 cases, one turn before and ten after", 30, 1, 10, 0.05],
  ["30 cases, ten turns before and one after", 30, 10, 1, 0.9],
] as const)("nothing changed, %s: at most 5 %% false alarms", (_, cases, before, after, share) => {
  const next = numbers(29);
  const side = (each: number): readonly Trial[] => trials(cases * each, () => share, next, cases);
  let alarms = 0;
  for (let run = 0; run < 1_000; run += 1) {
    if (outcome(side(before), side(after)) === "regressed") alarms += 1;
  }
  expect(alarms).toBeLessThanOrEqual(50);
});

describe("a planted drop of the stated size is found with the stated power", () => {
  test.each([
    ["80 turns a side", { baseline: 80, candidate: 80, paired: false }],
    ["150 cases", { baseline: 150, candidate: 150, paired: true }],
  ])("%s", (_, sizes) => {
    const design = { ...sizes, violated: 0.1, alpha: 0.05 };
    const planted = smallestDrop(design, 0.8) ?? 1;
    expect(planted).toBeLessThan(0.25);
    expect(powerOf(design, planted)).toBeGreaterThanOrEqual(0.8);
    expect(powerOf(design, planted - 0.01)).toBeLessThan(0.8);
    const next = numbers(21);
    const cases = sizes.paired ? sizes.baseline : undefined;
    let found = 0;
    for (let run = 0; run < 500; run += 1) {
      const baseline = trials(sizes.baseline, () => 0.1, next, cases);
      const candidate = trials(sizes.candidate, () => 0.1 + planted, next, cases);
      if (outcome(baseline, candidate, { allowedDrop: 0 }) === "regressed") found += 1;
    }
    // Three standard errors of 500 runs.
    expect(found / 500).toBeGreaterThan(0.8 - 3 * Math.sqrt((0.8 * 0.2) / 500));
  });

  test("few turns find nothing, and the plan says so without the answer", () => {
    const few = { name: "ended", baseline: of({ holds: 2 }), candidate: of({ violated: 2 }) };
    expect(planGate(few, 1)).not.toHaveProperty("smallestDrop");
    expect(gate([few], []).outcome).toBe("not_enough_evidence");
    const baseline = of({ holds: 95, violated: 5 });
    const plan = planGate({ name: "ended", baseline, candidate: of({ holds: 100 }) }, 2);
    expect(plan).toMatchObject({ alpha: 0.025, power: 0.8 });
    expect(plan.smallestDrop).toBeGreaterThan(0.1);
    // A turn without a result weighs against a regression, and the plan states how many there are.
    const open = { name: "ended", baseline, candidate: of({ holds: 95, not_established: 5 }) };
    const lacking = planGate(open, 2);
    expect(lacking.smallestDrop).toBeGreaterThan(plan.smallestDrop ?? 1);
    expect(wordsOf(lacking)).toContain("with 0 and 5 turns not established");
    expect(wordsOf(plan)).not.toContain("not established");
    expect(wordsOf(plan)).toContain("(level 0.025, which is 0.05 split over 2 tests, baseline");
    // A rate that is not known is not made up.
    const unknown = { name: "ended", baseline: [], candidate: of({ holds: 100 }) };
    expect(planGate(unknown, 2)).toEqual({ alpha: 0.025, power: 0.8 });
    expect(wordsOf(planGate(unknown, 2))).toContain("no result of the baseline is known");
    // Results of the candidate change no plan.
    expect(planGate({ name: "ended", baseline, candidate: of({ violated: 100 }) }, 2)).toEqual(
      plan,
    );
  });
});

describe("outcomes", () => {
  test("worse, not worse, and not enough to say", () => {
    expect(outcome(of({ holds: 95, violated: 5 }), of({ holds: 60, violated: 40 }))).toBe(
      "regressed",
    );
    expect(outcome(of({ holds: 900, violated: 20 }), of({ holds: 905, violated: 15 }))).toBe(
      "no_regression",
    );
    expect(outcome(of({ holds: 10 }), of({ holds: 10 }))).toBe("not_enough_evidence");
    expect(outcome([], [])).toBe("not_enough_evidence");
    expect(gate([], []).outcome).toBe("not_enough_evidence");
  });

  test("turns without a result can turn the answer, so there is none", () => {
    const bad = of({ holds: 60, violated: 40 });
    expect(outcome(of({ holds: 95, violated: 5, not_established: 100 }), bad)).toBe(
      "not_enough_evidence",
    );
    expect(outcome(of({ holds: 900 }), of({ holds: 800, not_established: 100 }))).toBe(
      "not_enough_evidence",
    );
    expect(outcome(of({ holds: 95, violated: 5, not_established: 2 }), bad)).toBe("regressed");
  });

  test("cases of both sides pair up, and the rest is left out", () => {
    const side = (ids: readonly string[], result: TrialResult): readonly Trial[] =>
      ids.map((caseId) => ({ caseId, result }));
    const baseline = side(["a", "b", "c", "d"], "holds");
    const candidate = side(["b", "c", "d", "e"], "violated");
    const [only] = gate([{ name: "ended", baseline, candidate }], []).contracts;
    expect(only).toMatchObject({
      paired: true,
      cases: 3,
      withoutPartner: { baseline: 1, candidate: 1 },
    });
    expect(only?.p).toBeCloseTo(1 / 8, 12);
    const [apart] = gate(
      [{ name: "ended", baseline, candidate: of({ violated: 4 }) }],
      [],
    ).contracts;
    expect(apart).toMatchObject({ paired: false, cases: 1 });
  });

  test("without pairs one turn of each case is compared, and the others are counted", () => {
    const side = (name: string, results: readonly TrialResult[]): readonly Trial[] =>
      results.map((result, at) => ({ caseId: `${name}-${at >> 1}`, result }));
    const baseline = side("before", ["holds", "violated", "holds", "holds"]);
    const candidate = [...side("after", ["violated", "holds"]), ...of({ holds: 2 })];
    const report = gate([{ name: "ended", baseline, candidate }], []);
    expect(report.contracts[0]).toMatchObject({
      paired: false,
      repeated: { baseline: 2, candidate: 1 },
      baseline: { holds: 2, violated: 0 },
      candidate: { holds: 2, violated: 1 },
    });
    expect(gateText(report, planTogether([{ name: "ended", baseline, candidate }], []))).toContain(
      "2 name no case), without 2 and 1 turns whose case has another turn",
    );
    const values = (name: string): Measured[] =>
      Array.from({ length: 8 }, (_, at) => ({ caseId: `${name}-${at >> 1}`, value: at }));
    const measure = { name: "duration", unit: "ms", baseline: values("a"), candidate: values("b") };
    expect(gate([], [measure]).measures[0]?.baseline).toMatchObject({ known: 4, median: 3 });
  });

  test("many turns of one case in pairs are one case, and clear nothing", () => {
    const side = Array.from({ length: 400 }, (): Trial => ({ caseId: "only", result: "holds" }));
    const report = gate([{ name: "ended", baseline: side, candidate: side }], []);
    expect(report).toMatchObject({ outcome: "not_enough_evidence" });
    expect(report.contracts[0]).toMatchObject({ paired: true, cases: 1, drop: 0 });
    expect(report.contracts[0]?.dropInterval?.high).toBeGreaterThan(0.3);
  });

  test("violations of repeated attempts have a warning", () => {
    const side = (results: readonly TrialResult[]): readonly Trial[] =>
      results.map((result, at) => ({ caseId: `case-${at % 3}`, result }));
    const baseline = side(["holds", "holds", "holds"]);
    const candidate = side(["violated", "holds", "holds", "violated", "holds"]);
    const report = gate([{ name: "ended", baseline, candidate }], []);
    expect(report.contracts[0]).toMatchObject({ candidate: { holds: 2, violated: 1 } });
    expect(report.warnings).toEqual([
      "ended is compared without the turns beyond those of their case on the other side: " +
        "0 of 0 such turns of the baseline violate it, and 1 of 2 of the candidate.",
    ]);
  });

  test("medians are those of the turns in pairs", () => {
    const pairs = (value: number): Measured[] =>
      Array.from({ length: 6 }, (_, at) => ({ caseId: `case-${at}`, value }));
    const others = Array.from({ length: 5 }, () => ({ value: 9_000 }));
    const of = { name: "duration", unit: "ms", baseline: pairs(10), candidate: pairs(20) };
    const report = gate([], [{ ...of, candidate: [...of.candidate, ...others] }]);
    expect(report.measures[0]).toMatchObject({
      paired: true,
      candidate: { known: 6, median: 20 },
    });
  });

  test("what is required decides, also a contract that applied to no turn", () => {
    const ended = { name: "ended", baseline: of({ holds: 400 }), candidate: of({ holds: 400 }) };
    const typo = { name: "refund", baseline: [], candidate: [] };
    const none = { name: "cost", unit: "US dollars", baseline: [{}], candidate: [{}] };
    const outcomeOf = (...required: string[]): string =>
      gate([ended, typo], [none], { required }).outcome;
    expect(outcomeOf()).toBe("no_regression");
    expect(outcomeOf("ended")).toBe("no_regression");
    expect(outcomeOf("refund")).toBe("not_enough_evidence");
    expect(outcomeOf("cost")).toBe("not_enough_evidence");
    expect(outcomeOf("default")).toBe("not_enough_evidence");
    expect(gate([ended], [none], { required: ["cost"] }).warnings).toEqual([
      "cost is required, and not recorded on either side.",
    ]);
  });

  test("violations of cases that one side has not are named, and weigh nothing", () => {
    const side = (from: number, result: TrialResult): readonly Trial[] =>
      Array.from({ length: 60 }, (_, at) => ({ caseId: `case-${from + at}`, result }));
    const candidate = [...side(0, "holds"), ...side(60, "violated")];
    const report = gate([{ name: "ended", baseline: side(0, "holds"), candidate }], []);
    expect(report).toMatchObject({ outcome: "no_regression" });
    expect(report.warnings).toEqual([
      "ended is compared without the turns of cases that one side has not: 0 of 0 such turns of " +
        "the baseline violate it, and 60 of 60 of the candidate.",
    ]);
  });

  test("pass^k is over the ways to choose k turns of a case", () => {
    const side = (results: readonly TrialResult[]): readonly Trial[] =>
      results.map((result) => ({ caseId: "a", result }));
    const baseline = side(["holds", "holds", "violated"]);
    const candidate = side(["holds", "holds", "not_established"]);
    const [only] = gate([{ name: "ended", baseline, candidate }], [], { k: 2 }).contracts;
    expect(only?.passK.baseline).toMatchObject({ k: 2, cases: 1, value: 1 / 3 });
    expect(only?.passK.candidate).toMatchObject({ value: 1, low: 1 / 3, high: 1 });
  });

  test("a measure that grew beyond what is allowed, one that did not, and unknown values", () => {
    const values = (from: number, unknown = 0): { value?: number }[] => [
      ...Array.from({ length: 40 }, (_, at) => ({ value: from + at })),
      ...Array.from({ length: unknown }, () => ({})),
    ];
    const ofMeasure = (baseline: { value?: number }[], candidate: { value?: number }[]) =>
      gate([], [{ name: "duration", unit: "ms", baseline, candidate }]).measures[0];
    expect(ofMeasure(values(1_000), values(1_300))?.outcome).toBe("regressed");
    expect(ofMeasure(values(1_000), values(1_000))?.outcome).toBe("no_regression");
    expect(ofMeasure(values(1_000), values(1_100))?.outcome).toBe("not_enough_evidence");
    const uncertain = ofMeasure(values(1_000), values(1_300, 60));
    expect(uncertain?.candidate).toMatchObject({ known: 40, unknown: 60 });
    expect(uncertain?.outcome).toBe("not_enough_evidence");
  });
});
