/** @module Clearance: a drop as large as the allowed one is hardly ever cleared. */
import { describe, expect, test } from "vitest";

import { binomial } from "./chance.ts";
import { isCleared } from "./clearance.ts";
import { gate } from "./gate.ts";
import type { CaseCount, Trial } from "./trials.ts";

describe("a drop as large as the allowed one is cleared with at most the chance of its level", () => {
  /** Chance that the candidate is cleared, of which each violation is one of a clean baseline. */
  function chanceToClear(n: number, drop: number, paired: boolean): number {
    let chance = 0;
    for (let violated = 0; violated <= n; violated += 1) {
      const side = (of: number): Trial[] =>
        Array.from({ length: n }, (_, at) => ({
          ...(paired ? { caseId: `case-${at}` } : {}),
          result: at < of ? "violated" : "holds",
        }));
      if (
        gate([{ name: "ended", baseline: side(0), candidate: side(violated) }], [], {
          allowedDrop: drop,
        }).outcome !== "no_regression"
      )
        break;
      chance += binomial(violated, n, drop);
    }
    return chance;
  }

  test.each([0.05, 0.1, 0.2])("beside a baseline without a violation: %s", (drop) => {
    for (const paired of [true, false]) {
      for (const n of [15, 31, 45, 59, 75, 93, 100, 149, 200]) {
        expect([n, paired, chanceToClear(n, drop, paired) <= 0.05]).toEqual([n, paired, true]);
      }
    }
    // So many turns clear it that the rule is no refusal of everything.
    expect(chanceToClear(200, 0.1, true)).toBeGreaterThan(0.01);
  });

  test("whatever the share of the baseline", () => {
    const allowed = { drop: 0.1, alpha: 0.05 };
    const side = (violated: number, of: number) => ({
      holds: of - violated,
      violated,
      unknown: 0,
    });
    for (const share of [0, 0.01, 0.05, 0.2, 0.5, 0.85]) {
      let [apart, pairs] = [0, 0];
      for (let x = 0; x <= 60; x += 1) {
        for (let y = 0; y <= 80; y += 1) {
          const one = { baseline: side(x, 60), candidate: side(y, 80) };
          const chance = binomial(x, 60, share) * binomial(y, 80, share + allowed.drop);
          if (isCleared([one], allowed, false)) apart += chance;
        }
      }
      expect(apart).toBeLessThanOrEqual(0.051);
      const better = Math.min(share, 0.4);
      for (let worse = 0; worse <= 60; worse += 1) {
        for (let up = 0; up <= 60 - worse; up += 1) {
          const of = (count: number, one: CaseCount): CaseCount[] => Array(count).fill(one);
          const cases = [
            ...of(worse, { baseline: side(0, 1), candidate: side(1, 1) }),
            ...of(up, { baseline: side(1, 1), candidate: side(0, 1) }),
            ...of(60 - worse - up, { baseline: side(0, 1), candidate: side(0, 1) }),
          ];
          const chance =
            binomial(worse, 60, better + allowed.drop) *
            binomial(up, 60 - worse, better / (1 - better - allowed.drop));
          if (chance > 1e-9 && isCleared(cases, allowed, true)) pairs += chance;
        }
      }
      expect(pairs).toBeLessThanOrEqual(0.051);
    }
  });
});
