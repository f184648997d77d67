/**
 * @module CountedTurns: turns read whole to be counted, the newest received first, until none is
 * left or the budget is spent; what was left out is said.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { Keyset } from "@turnproof/store";

import type { Reading } from "../auth/grants.ts";
import type { Parts } from "../parts.ts";
import { readTurns } from "./turn-reading.ts";
import type { RowFilter } from "./turns.ts";

/** What a count may cost. */
export interface CountBudget {
  /** Turns that are read at once: between two reads the time is looked at. */
  readonly turnsPerRead: number;
  readonly turns: number;
  readonly ms: number;
}

/** What one that is shown beside a list may. */
const besideList: CountBudget = { turnsPerRead: 500, turns: 2_000, ms: 1_000 };

/** Turns that were read. */
export interface CountedTurns {
  readonly rows: readonly TurnRow[];
  /** True when turns of the filter may have been left out. */
  readonly more: boolean;
  /** Receipt of the oldest turn that was counted, where older ones were left out. */
  readonly since: string | null;
}

/** Turns of a reading that pass the filter. */
export async function countedTurns(
  parts: Parts,
  reading: Reading,
  filter: RowFilter,
  budget: CountBudget = besideList,
): Promise<CountedTurns> {
  const began = parts.now();
  const rows: TurnRow[] = [];
  let after: Keyset | undefined;
  let more: boolean;
  do {
    const read = await readTurns(parts, reading, {
      limit: budget.turnsPerRead,
      after,
      signal: parts.closing,
      ...filter,
    });
    rows.push(...read.items);
    after = read.next ?? undefined;
    more = after !== undefined || read.bounded;
  } while (after !== undefined && rows.length < budget.turns && parts.now() - began < budget.ms);
  return { rows, more, since: more ? (rows.at(-1)?.received_at ?? null) : null };
}
