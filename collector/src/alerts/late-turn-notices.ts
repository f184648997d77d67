/**
 * @module LateTurnNotices: turns that a collector wrote or judged late, for the one that evaluates
 * the rules: it passed their windows already, and no signal of another process reaches it.
 */
import { randomUUID } from "node:crypto";

import type { CollectorState } from "@turnproof/store";

type State = Pick<CollectorState, "list" | "write">;

/** Receipt of the first of some late turns, epoch milliseconds, by the notice about them. */
export type LateTurns = ReadonlyMap<string, number>;

/** A notice in the row of its collector: its number, and that receipt. */
type Notice = readonly [count: number, sinceMs: number];

/** Notices of one collector in its row; a look that takes longer than all of these misses some. */
const noticesMax = 500;
const keepMs = 86_400_000;

/** Late turns of one collector, passed on in a row of its own. */
export class OwnLateTurns {
  readonly #state: State;
  readonly #name: string;
  #notices: readonly Notice[] = [];
  #count = 0;

  constructor(state: State, scope: string) {
    this.#state = state;
    this.#name = `${scope} ${randomUUID()}`;
  }

  /** Adds a notice; the earlier ones stay, because the reader may not have seen them. */
  async add(sinceMs: number): Promise<void> {
    this.#count += 1;
    this.#notices = [...this.#notices, [this.#count, sinceMs] as const].slice(-noticesMax);
    await this.#state.write("late_turns", {
      name: this.#name,
      version: this.#count,
      value: JSON.stringify(this.#notices),
      keepUntilMs: Date.now() + keepMs,
    });
  }
}

/** The notices of all collectors of a deployment. */
export async function lateTurns(state: State, scope: string): Promise<LateTurns> {
  const rows = await state.list("late_turns");
  return new Map(
    rows
      .filter(({ name }) => name.startsWith(`${scope} `))
      .flatMap(({ name, value }) =>
        (JSON.parse(value) as Notice[]).map(([count, ms]) => [`${name} ${count}`, ms] as const),
      ),
  );
}

/** Notices, each counted once. */
export class OthersTurns {
  #seen: LateTurns = new Map();

  /** The first receipt of those since the last call; infinite without one. */
  next(late: LateTurns): number {
    const fresh = [...late].flatMap(([notice, ms]) => (this.#seen.has(notice) ? [] : ms));
    this.#seen = late;
    return Math.min(...fresh);
  }
}
