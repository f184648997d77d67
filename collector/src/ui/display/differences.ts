/**
 * @module Differences: what some turns say more often than others: counts and shares of both, and
 * nothing beyond counts. A share is of all turns of its side, also of those that do not say a
 * value, whose number stands beside.
 */
/** One value of a key of the filter bar, and how many turns of either side say it. */
export interface Difference {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly these: number;
  readonly others: number;
}

/** How many turns of either side say no value of a key. */
export interface Unsaid {
  readonly key: string;
  readonly name: string;
  readonly these: number;
  readonly others: number;
}

/** Both sides compared. */
export interface Differences {
  readonly these: number;
  readonly others: number;
  /** Values that a greater share of these turns say, the greatest difference first. */
  readonly values: readonly Difference[];
  /** Keys of which some turn says no value. */
  readonly unsaid: readonly Unsaid[];
}

const valuesMax = 40;

/** Turns of one side, counted by the values of a key. */
export interface SideCounts {
  readonly turns: number;
  readonly keys: readonly {
    readonly key: string;
    readonly counts: ReadonlyMap<string, number>;
    /** Turns that say no value. */
    readonly unsaid: number;
    readonly total: number;
  }[];
}

/**
 * Compares turns with all others of a window of which they are a part. A value that is too rare in
 * the window to be among its counts is left out.
 */
export function differencesOf(
  these: SideCounts,
  window: SideCounts,
  names: ReadonlyMap<string, string>,
): Differences {
  const others = window.turns - these.turns;
  const values: Difference[] = [];
  const unsaid: Unsaid[] = [];
  for (const { key, counts, unsaid: silent } of these.keys) {
    const name = names.get(key) ?? key;
    const around = window.keys.find((one) => one.key === key);
    const silentBeside = (around?.unsaid ?? silent) - silent;
    if (silent + silentBeside > 0) {
      unsaid.push({ key, name, these: silent, others: silentBeside });
    }
    for (const [value, found] of counts) {
      const inWindow = around?.counts.get(value);
      if (inWindow === undefined) continue;
      // What arrives between the two counts is in the second one alone.
      values.push({ key, name, value, these: found, others: Math.max(inWindow - found, 0) });
    }
  }
  const more = (of: Difference): number =>
    shareOf(of.these, these.turns) - shareOf(of.others, others);
  return {
    these: these.turns,
    others,
    values: values
      .filter((one) => more(one) > 0)
      .toSorted((a, b) => more(b) - more(a) || b.these - a.these || (a.value < b.value ? -1 : 1))
      .slice(0, valuesMax),
    unsaid,
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
