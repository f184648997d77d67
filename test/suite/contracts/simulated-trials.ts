/** @module SimulatedTrials: turns of known rates, the same in every run. */
import type { Trial } from "@turnproof/contracts";

/** Numbers from 0 to 1 of a seed. */
export function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** How the turns of a side come out. */
export interface SimulatedSide {
  readonly turns: number;
  /** Share that violates, by the turn's place. */
  readonly violated: (at: number) => number;
  /** Share of turns without a result, by whether the turn violates. */
  readonly unknown?: (violated: boolean) => number;
  /** Number of cases; turns name none without it. */
  readonly cases?: number | undefined;
}

/** The turns of one side. */
export function simulated(
  { turns, violated, unknown, cases }: SimulatedSide,
  next: () => number,
): readonly Trial[] {
  return Array.from({ length: turns }, (_, at) => {
    const isViolated = next() < violated(at);
    const isUnknown = unknown !== undefined && next() < unknown(isViolated);
    return {
      result: isUnknown ? "not_established" : isViolated ? "violated" : "holds",
      ...(cases === undefined ? {} : { caseId: `case-${at % cases}` }),
    };
  });
}
