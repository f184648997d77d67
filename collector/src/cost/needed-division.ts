/**
 * @module NeededDivision: how calls are divided so that each group has one price: prices change at
 * midnight UTC, those of few models by the hour or by the size of the input.
 */
import type { CallFigures } from "@turnproof/store";

import type { PriceList } from "./price-list.ts";

/** How calls are divided so that each group has one price. */
export interface Division {
  readonly everyMs: number;
  readonly inputSteps: readonly number[];
}

const dayMs = 86_400_000;

/** The longest interval of which both are made: none of it crosses a change of prices. */
function commonMs(a: number, b: number): number {
  return b === 0 ? a : commonMs(b, a % b);
}

/** The division that the models of a query needed so far. A finer one gives the same costs. */
export class NeededDivision {
  readonly #steps = new Set<number>();
  #hours = false;

  /** That of intervals of this length. */
  division(everyMs: number): Division {
    return {
      everyMs: commonMs(everyMs, this.#hours ? 1_800_000 : dayMs),
      inputSteps: [...this.#steps].toSorted((a, b) => a - b),
    };
  }

  /** True where it is fine enough for the models of these calls; else it is from now on. */
  covers(list: PriceList, groups: readonly CallFigures[]): boolean {
    const before = [this.#hours, this.#steps.size];
    for (const { group } of groups) {
      const { name = null, provider = null } = group;
      this.#hours ||= list.hasHours(name, provider);
      for (const step of list.stepsOf(name, provider)) this.#steps.add(step);
    }
    return before[0] === this.#hours && before[1] === this.#steps.size;
  }
}
