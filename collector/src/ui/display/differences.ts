/**
 * @module Differences: values that are more frequent in some turns than in others: counts and
 * shares of both, nothing else. A share is of all turns of its side, including those without a
 * value, whose number is shown as well.
 */
/** One value of a key of the filter bar, and the number of turns with it on either side. */
export interface Difference {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly these: number;
  readonly others: number;
}

/** Number of turns without a value of a key, on either side. */
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
  /** Values with a greater share in these turns, the greatest difference first. */
  readonly values: readonly Difference[];
  /** Keys that some turn has no value of. */
  readonly unsaid: readonly Unsaid[];
  /** Names of keys with more values than were compared: only their most frequent ones were. */
  readonly cut: readonly string[];
}

const valuesMax = 40;

/** Turns of one side, counted by the values of a key. */
export interface SideCounts {
  readonly turns: number;
  readonly keys: readonly {
    readonly key: string;
    readonly counts: ReadonlyMap<string, number>;
    /** Turns without a value. */
    readonly unsaid: number;
    readonly total: number;
  }[];
}

/**
 * Compares turns with all others of the window that they are a part of. A value too rare to be
 * among the window's counts is left out.
 */
export function differencesOf(
  these: SideCounts,
  window: SideCounts,
  names: ReadonlyMap<string, string>,
): Differences {
  const others = window.turns - these.turns;
  const values: Difference[] = [];
  const unsaid: Unsaid[] = [];
  const cut: string[] = [];
  for (const { key, counts, unsaid: silent, total } of these.keys) {
    const name = names.get(key) ?? key;
    const around = window.keys.find((one) => one.key === key);
    const silentBeside = (around?.unsaid ?? silent) - silent;
    if (silent + silentBeside > 0) {
      unsaid.push({ key, name, these: silent, others: silentBeside });
    }
    let compared = 0;
    for (const [value, found] of counts) {
      const inWindow = around?.counts.get(value);
      if (inWindow === undefined) continue;
      compared += 1;
      // Turns that arrive between the two counts are only in the second one.
      values.push({ key, name, value, these: found, others: Math.max(inWindow - found, 0) });
    }
    if (compared < total) cut.push(name);
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
    cut,
  };
}

function shareOf(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
