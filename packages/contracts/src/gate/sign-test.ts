/**
 * @module SignTest: the exact one-sided test of cases in pairs. The unit is the case: turns of one
 * case on one side may have a state in common, so they count as one. If nothing changed, both sides
 * of a case could as well be swapped, which changes the sign of its difference. With one turn on
 * each side of every case this is McNemar's test.
 */
import { binomialAtLeast } from "./chance.ts";
import type { CaseCount, TrialCount } from "./trials.ts";

/** Most steps of size 1 between no difference and a whole one. */
const finest = 840;
/** Most additions of one test. */
const additionsMax = 2e7;

/**
 * Share of all ways to swap the sides of cases in which the candidate is at least as much worse as
 * it was, by the sum over the cases of the difference of the shares that violate. Differences are
 * rounded away from zero to steps where there are many cases of unlike sizes; the test is exact for
 * the rounded ones.
 *
 * @returns p-value of "the candidate is not worse", 1 where no case differs
 */
export function pairedRegression(cases: readonly CaseCount[]): number {
  const signed = differences(cases);
  const sizes = signed.map((one) => Math.abs(one));
  const unit = sizes.reduce(divisor, 0);
  if (unit === 0) return 1;
  const steps = sizes.map((one) => one / unit);
  // A sum of swapped signs is as large as this one where what is swapped sums up to nothing or
  // less.
  const worse = signed.reduce((sum, one) => sum + Math.max(0, one), 0) / unit;
  if (steps.every((one) => one === 1)) return binomialAtLeast(worse, steps.length, 0.5);
  return shareFrom(steps, worse);
}

/** Share of all choices of some steps whose sum is at least `from`. */
function shareFrom(steps: readonly number[], from: number): number {
  const total = steps.reduce((sum, one) => sum + one, 0);
  const chances = new Float64Array(total + 1);
  chances[0] = 1;
  let reached = 0;
  for (const step of steps) {
    reached += step;
    for (let sum = reached; sum >= 0; sum -= 1) {
      const without = chances[sum] ?? 0;
      chances[sum] = (without + (sum >= step ? (chances[sum - step] ?? 0) : 0)) / 2;
    }
  }
  let share = 0;
  // The small ones first, so that they are not lost beside the large ones.
  for (let sum = total; sum >= from; sum -= 1) share += chances[sum] ?? 0;
  return Math.min(1, share);
}

/** Difference of each case that differs, in whole steps; above zero the candidate is worse. */
function differences(cases: readonly CaseCount[]): readonly number[] {
  const fractions = cases.flatMap(({ baseline, candidate }) => {
    const [left, right] = [known(baseline), known(candidate)];
    const above = candidate.violated * left - baseline.violated * right;
    if (above === 0 || left === 0 || right === 0) return [];
    const common = divisor(Math.abs(above), left * right);
    return [{ above: above / common, of: (left * right) / common }];
  });
  const most = Math.max(1, Math.min(finest, Math.floor(additionsMax / fractions.length ** 2)));
  let steps = 1;
  for (const { of } of fractions) {
    steps = (steps / divisor(steps, of)) * of;
    if (steps > most) break;
  }
  const used = Math.min(steps, most);
  return fractions.map(
    ({ above, of }) => Math.sign(above) * Math.ceil((Math.abs(above) * used) / of),
  );
}

/** Greatest common divisor. */
function divisor(a: number, b: number): number {
  let [left, right] = [a, b];
  while (right !== 0) [left, right] = [right, left % right];
  return left;
}

function known({ holds, violated }: TrialCount): number {
  return holds + violated;
}
