/**
 * @module Campaign: a promise and a way to attack it in rounds. Each round draws from its number
 * alone, so that a later run goes on where an earlier one ended, and a round that found something
 * can be run again.
 */

/** What a round counted; names that end in `_max` keep the largest, all others are summed. */
export type Figures = Readonly<Record<string, number>>;

/** A campaign that runs. */
export interface Rounds {
  /** Attacks once. @throws an error that names what was found; its text holds no content */
  round(seed: number): Promise<Figures>;
  close(): Promise<void>;
}

/** A promise under attack. */
export interface Campaign {
  readonly name: string;
  /** What must hold, one sentence. */
  readonly promise: string;
  /** The figure that is counted towards the goal, and how much of it there is to be. */
  readonly unit: string;
  readonly goal: number;
  open(): Promise<Rounds>;
}

/** Adds the figures of a round. */
export function added(sum: Figures, more: Figures): Figures {
  const names = new Set([...Object.keys(sum), ...Object.keys(more)]);
  return Object.fromEntries(
    [...names].map((name) => {
      const [left = 0, right = 0] = [sum[name], more[name]];
      return [name, name.endsWith("_max") ? Math.max(left, right) : left + right];
    }),
  );
}
