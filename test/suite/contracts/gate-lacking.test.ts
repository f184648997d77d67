/**
 * @module Measures in the gate that a side lacks, or has as ranges: they are compared as far as
 * they are known, and are never left out in silence.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { gate, gateText, planTogether } from "@turnproof/contracts";
import type { GateReport, Measured, MeasureTrials } from "@turnproof/contracts";
import type { TurnEvent } from "@turnproof/evidence";
import { afterAll, expect, test } from "vitest";

import { turnproof } from "./command.ts";
import { end, model } from "./turns.ts";

const folder = mkdtempSync(join(tmpdir(), "turnproof-gate-lacking-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Sixty turns of one model call with these counts of tokens. */
function side(name: string, tokens: TurnEvent["attributes"]): string {
  const lines = Array.from({ length: 60 }, (_, at) => {
    const call = model(1, { provider: "openai", model: "gpt-4o-mini" });
    const { input_tokens: _in, output_tokens: _out, ...rest } = call.attributes;
    return [{ ...call, attributes: { ...rest, ...tokens } }, end()].map((event) =>
      JSON.stringify({
        ...event,
        root_trace_id: `${name}-${at}`,
        event_id: `${name}-${at}-${event.event_id}`,
      }),
    );
  });
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, lines.flat().join("\n"));
  return path;
}

async function compare(
  baseline: string,
  candidate: string,
  ...more: readonly string[]
): Promise<{ readonly code: number; readonly text: string; readonly report: GateReport }> {
  const sides = ["gate", "--baseline", baseline, "--candidate", candidate, "--whole", ...more];
  const { code, out } = await turnproof(...sides, "--json");
  const { out: text } = await turnproof(...sides);
  return { code, text, report: JSON.parse(out) as GateReport };
}

const outcomes = ({ measures }: GateReport): Record<string, string> =>
  Object.fromEntries(measures.map(({ name, outcome }) => [name, outcome]));

const exact = { input_tokens: 1_000, output_tokens: 100, cached_tokens: 0 };

test("a measure that the candidate lacks is not enough evidence", async () => {
  const { code, report, text } = await compare(side("has", exact), side("lacks", {}));
  expect(code).toBe(3);
  expect(outcomes(report)).toEqual({
    duration: "no_regression",
    tokens: "not_enough_evidence",
    cost: "not_enough_evidence",
  });
  expect(report.notRecorded).toEqual([]);
  expect(text).toMatch(
    /not enough evidence +tokens\n.*\n +candidate +median unknown \(not recorded on any of 60 turns\)/,
  );
});

test("a measure that neither side has is named, and no part of the split", async () => {
  const { code, report, text } = await compare(side("none", {}), side("nor", {}));
  expect(code).toBe(0);
  expect(outcomes(report)).toEqual({ duration: "no_regression" });
  expect(report.notRecorded).toEqual(["tokens", "cost"]);
  expect(text).toContain("split over 2 tests");
  expect(text).toContain("Not recorded on either side, and not compared: tokens, cost.");
});

test("a cost is a range where cached tokens are not recorded, and is compared as one", async () => {
  const { cached_tokens: _, ...open } = exact;
  const sides = [side("open", open), side("again", open)] as const;
  const same = await compare(...sides);
  expect(outcomes(same.report)).toMatchObject({
    tokens: "no_regression",
    cost: "not_enough_evidence",
  });
  expect(same.text).toMatch(/cost.*\n +baseline +median \S+ to \S+ \(60 turns, 60 of them a range/);
  expect(same.text).toContain("with 60 and 60 values that are a range");
  // No bound on the cost is required, and no further turn decides it: the rest is the outcome.
  expect(same.code).toBe(0);
  expect(same.text).toContain("not enough evidence, decides nothing  cost, US dollars");
  expect(same.text).toContain("warning  cost decides nothing: its values are ranges");
  expect((await compare(...sides, "--require", "cost")).code).toBe(3);
  expect((await compare(...sides, "--require", "tokens")).code).toBe(0);
  const far = { ...open, input_tokens: 10_000, output_tokens: 1_000 };
  const grown = await compare(side("open", open), side("far", far));
  expect(outcomes(grown.report)).toMatchObject({ cost: "regressed" });
  const less = await compare(side("far", far), side("open", open));
  expect(outcomes(less.report)).toMatchObject({ cost: "no_regression" });
});

test("a required measure must be decided, also where it is not recorded", async () => {
  const sides = [side("none", {}), side("nor", {})] as const;
  expect((await compare(...sides, "--require", "duration")).code).toBe(0);
  expect((await compare(...sides, "--require", "duration", "cost")).code).toBe(3);
  const [baseline, candidate] = sides;
  const call = ["gate", "--baseline", baseline, "--candidate", candidate, "--require", "speed"];
  const wrong = await turnproof(...call);
  expect(wrong.code).toBe(2);
  expect(wrong.err).toContain("--require takes duration, tokens, cost and names of the contracts.");
});

test("ranges take no part only where their middles show no regression", () => {
  const report = (low: number, high: number): GateReport => {
    const trials = { name: "cost", unit: "US dollars", baseline: values(1, 1.5, false) };
    const ended = Array.from({ length: 400 }, () => ({ result: "holds" }) as const);
    const contract = { name: "ended", baseline: ended, candidate: ended };
    return gate([contract], [{ ...trials, candidate: values(low, high, false) }]);
  };
  expect(report(1, 1.5)).toMatchObject({
    outcome: "no_regression",
    measures: [{ decides: false }],
  });
  // The middle grew by a third.
  expect(report(1.2, 2.1)).toMatchObject({
    outcome: "not_enough_evidence",
    measures: [{ decides: true }],
  });
  expect(report(1.8, 2)).toMatchObject({ outcome: "regressed", measures: [{ decides: true }] });
  const alone = { name: "cost", unit: "US dollars", baseline: values(1, 1.5, false) };
  expect(gate([], [{ ...alone, candidate: values(1, 1.5, false) }]).outcome).toBe(
    "not_enough_evidence",
  );
});

const values = (low: number, high: number, paired: boolean): Measured[] =>
  Array.from({ length: 40 }, (_, at) => ({
    value: { low: low + at / 1_000, high: high + at / 1_000 },
    ...(paired ? { caseId: `case-${at}` } : {}),
  }));

test.each([false, true])("ranges decide only where every value in them does: %s", (paired) => {
  const of = (low: number, high: number): MeasureTrials => ({
    name: "cost",
    unit: "US dollars",
    baseline: values(1, 1.5, paired),
    candidate: values(low, high, paired),
  });
  const outcome = (...ends: [number, number]): string => gate([], [of(...ends)]).outcome;
  expect(outcome(1, 1.5)).toBe("not_enough_evidence");
  expect(outcome(1.6, 2)).toBe("not_enough_evidence");
  expect(outcome(1.8, 2)).toBe("regressed");
  expect(outcome(0.5, 1)).toBe("no_regression");
  // The stated growth includes what the ranges hide.
  const plan = (one: MeasureTrials): number =>
    planTogether([], [one]).measures["cost"]?.smallestGrowth ?? Infinity;
  expect(plan(of(1, 1.5))).toBeGreaterThan(0.3 + plan(of(1, 1)));
  expect(gateText(gate([], [of(1, 1.5)]), planTogether([], [of(1, 1.5)]))).toContain(
    "with 40 and 40 values that are a range",
  );
});
