/** @module PowerUnpaired: chance that the gate finds a drop between two sides that are one case. */
import { binomialAtLeast } from "./chance.ts";
import { isCleared } from "./clearance.ts";
import type { Design, Finder } from "./design.ts";
import { exactRegression } from "./exact-test.ts";
import { likely } from "./likely.ts";
import { read } from "./trials.ts";
import type { CaseCount } from "./trials.ts";

/** The chance for any two shares; what the test calls a regression is worked out once. */
export function unpairedFinder(design: Design): Finder {
  const fewest = new Map<number, number>();
  return (p1, p2) => {
    let power = 0;
    for (const { count, chance } of likely(design.baseline, p1)) {
      const from = fewest.get(count) ?? fewestViolated(design, count);
      fewest.set(count, from);
      power += chance * binomialAtLeast(from, design.candidate, p2);
    }
    return power;
  };
}

/** Fewest violations of the candidate that are a regression beside those of the baseline. */
function fewestViolated(design: Design, baseline: number): number {
  let [low, high] = [0, design.candidate + 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isRegression(countsOf(design, baseline, middle), design)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether the gate would answer so: see `gate.ts`, with the level after correction. */
function isRegression(counts: CaseCount, { alpha, allowed }: Design): boolean {
  const readings = [read(counts, "established"), read(counts, "best")];
  if (readings.some((one) => exactRegression(one) > alpha)) return false;
  if (allowed === undefined) return true;
  return (["established", "worst"] as const).some(
    (reading) => !isCleared([read(counts, reading)], allowed, false),
  );
}

function countsOf({ baseline, candidate, unknown }: Design, x: number, y: number): CaseCount {
  return {
    baseline: { holds: baseline - x, violated: x, unknown: unknown?.baseline ?? 0 },
    candidate: { holds: candidate - y, violated: y, unknown: unknown?.candidate ?? 0 },
  };
}
