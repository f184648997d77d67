/**
 * @module PowerGrowth: the chance that the gate finds that a measure grew by a factor, worked out
 * from the baseline's values and the sizes of both sides. The candidate's values are taken to be
 * spread as the baseline's are. The statistic is taken as normal, with the variance that it has
 * under this growth; what the test calls growth is worked out as the test does.
 */
import { normalAtLeast, normalQuantile } from "./chance.ts";
import { ranks, smallestSum, sumsOfChoices, sumsOfSigns } from "./rank-sums.ts";
import { exactPairs, exactValues } from "./rank-tests.ts";

/** What the power is worked out from. */
export interface GrowthDesign {
  /** Values of the baseline: of turns or, with `paired`, the medians of cases. Not negative. */
  readonly values: readonly number[];
  /** Known values of each side; with `paired`, cases that have one on both sides. */
  readonly baseline: number;
  readonly candidate: number;
  readonly paired: boolean;
  /** Turns without a value; with `paired`, cases that lack one on a side, all under `baseline`. */
  readonly unknown: { readonly baseline: number; readonly candidate: number };
  /** Growth that is allowed, as a share. */
  readonly margin: number;
  /** Level of the one-sided test, after correction. */
  readonly alpha: number;
}

/** Fewest values from which a spread is worked out. */
export const valuesMin = 3;

/** Chances of two and of three values, by which the variance of a rank statistic is known. */
interface Overlap {
  readonly one: number;
  /** Two values of the candidate above one of the baseline. */
  readonly above: number;
  /** One value of the candidate above two of the baseline. */
  readonly below: number;
}

/** Chance to find growth by a factor, which is 1 where nothing grew. */
export function growthFinder(design: GrowthDesign): (factor: number) => number {
  return design.paired ? pairedFinder(design) : unpairedFinder(design);
}

function unpairedFinder(design: GrowthDesign): (factor: number) => number {
  const { baseline: n1, candidate: n2, margin } = design;
  const from = Math.max(
    fewestWins(design, { baseline: 0, candidate: 0 }),
    fewestWins(design, design.unknown),
  );
  const sorted = design.values.toSorted((a, b) => a - b);
  return (factor) => {
    const { one, above, below } = overlap(sorted, factor / (1 + margin));
    const spread = (n2 - 1) * (above - one ** 2) + (n1 - 1) * (below - one ** 2);
    return chanceOf(from, n1 * n2 * one, n1 * n2 * (one * (1 - one) + spread));
  };
}

/** Fewest pairs of values in which the candidate's is larger, for the test to call it growth. */
function fewestWins(
  { baseline, candidate, alpha }: GrowthDesign,
  unknown: GrowthDesign["unknown"],
): number {
  const [n1, n2] = [baseline + unknown.baseline, candidate + unknown.candidate];
  const n = n1 + n2;
  const lowest = (n2 * (n2 + 1)) / 2;
  const { doubled, ties } = ranks([
    ...Array.from({ length: unknown.candidate }, () => 0),
    ...Array.from({ length: baseline + candidate }, (_, at) => 1 + at),
    ...Array.from({ length: unknown.baseline }, () => Number.POSITIVE_INFINITY),
  ]);
  if (n <= exactValues) return smallestSum(sumsOfChoices(doubled, n2), alpha) / 2 - lowest;
  const deviation = Math.sqrt((n1 * n2 * (n + 1 - ties / (n * (n - 1)))) / 12);
  return Math.ceil((n1 * n2) / 2 + 0.5 + normalQuantile(1 - alpha) * deviation);
}

/**
 * How the values lie where each of the candidate's is one of the baseline's times a factor. A value
 * is not compared with itself.
 *
 * @param sorted rising
 */
function overlap(sorted: readonly number[], factor: number): Overlap {
  const n = sorted.length;
  const wins = sorted.map((value) => {
    const larger = n - firstWhere(n, (other) => (sorted[other] ?? 0) * factor > value);
    return larger - (value * factor > value ? 1 : 0);
  });
  const losses = sorted.map((value) => {
    const smaller = firstWhere(n, (other) => (sorted[other] ?? 0) >= value * factor);
    return smaller - (value < value * factor ? 1 : 0);
  });
  const pairs = n * (n - 1);
  return {
    one: total(wins, (count) => count) / pairs,
    above: total(wins, (count) => count * (count - 1)) / (pairs * (n - 2)),
    below: total(losses, (count) => count * (count - 1)) / (pairs * (n - 2)),
  };
}

/** First of the places 0 to n at which a statement is true that is true of all above. */
function firstWhere(n: number, isTrue: (at: number) => boolean): number {
  let [low, high] = [0, n];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isTrue(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function total(counts: readonly number[], of: (count: number) => number): number {
  return counts.reduce((sum, count) => sum + of(count), 0);
}

/** Most values of which all differences are formed. */
const spreadMax = 48;

/** The two turns of a case are taken as independent: where cases agree, the chance is higher. */
function pairedFinder(design: GrowthDesign): (factor: number) => number {
  const { baseline: n, margin } = design;
  const from = Math.max(fewestRises(design, 0), fewestRises(design, design.unknown.baseline));
  const sorted = differences(design.values);
  const count = sorted.length;
  return (factor) => {
    // A rise is a difference above `-shift`; two together are one above `-2 * shift`.
    const shift = Math.log(factor / (1 + margin));
    const rises = (count - firstWhere(count, (at) => (sorted[at] ?? 0) > -shift)) / count;
    const partners = sorted.map(
      (value) => count - firstWhere(count, (at) => (sorted[at] ?? 0) > -2 * shift - value),
    );
    const both = total(partners, (some) => some) / count ** 2;
    const three = total(partners, (some) => some ** 2) / count ** 3;
    const mean = n * rises + ((n * (n - 1)) / 2) * both;
    const variance =
      n * (n - 1) * (n - 2) * (three - both ** 2) +
      ((n * (n - 1)) / 2) * (2 * (rises - both) ** 2 + 3 * both * (1 - both)) +
      n * rises * (1 - rises);
    return chanceOf(from, mean, variance);
  };
}

/** Smallest sum of the ranks of the cases that rose, for the test to call it growth. */
function fewestRises({ baseline, alpha }: GrowthDesign, unknown: number): number {
  const n = baseline + unknown;
  const { doubled, ties } = ranks([
    ...Array.from({ length: baseline }, (_, at) => 1 + at),
    ...Array.from({ length: unknown }, () => Number.POSITIVE_INFINITY),
  ]);
  if (n <= exactPairs) return smallestSum(sumsOfSigns(doubled), alpha) / 2;
  const deviation = Math.sqrt((n * (n + 1) * (2 * n + 1)) / 24 - ties / 48);
  return Math.ceil((n * (n + 1)) / 4 + 0.5 + normalQuantile(1 - alpha) * deviation);
}

/** Differences of the logarithms of any two of the values, rising. */
function differences(values: readonly number[]): readonly number[] {
  const sorted = values.map((value) => Math.log(value)).toSorted((a, b) => a - b);
  const size = Math.min(sorted.length, spreadMax);
  const some = Array.from(
    { length: size },
    (_, at) => sorted[Math.round((at * (sorted.length - 1)) / Math.max(1, size - 1))] ?? 0,
  );
  return some
    .flatMap((one, i) =>
      some.flatMap((other, j) => (i === j ? [] : [one === other ? 0 : one - other])),
    )
    .toSorted((a, b) => a - b);
}

/** Chance that a statistic of whole steps reaches a value. */
function chanceOf(from: number, mean: number, variance: number): number {
  if (!Number.isFinite(from)) return 0;
  if (variance <= 0) return mean >= from ? 1 : 0;
  return normalAtLeast((from - 0.5 - mean) / Math.sqrt(variance));
}
