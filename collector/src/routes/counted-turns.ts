/**
 * @module CountedTurns: turns read whole to be counted, the newest received first, until none is
 * left or the budget is spent; what was left out is said.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { Keyset } from "@turnproof/store";

import { scopeKey } from "../auth/grants.ts";
import type { Reading } from "../auth/grants.ts";
import { principalOf } from "../http/environment.ts";
import type { AppContext } from "../http/environment.ts";
import { readingFor } from "../http/query.ts";
import type { Parts } from "../parts.ts";
import { readTurns } from "./turn-reading.ts";
import { rowFilterOf } from "./turns.ts";
import type { RowFilter } from "./turns.ts";

/** What is asked of all turns of a filter. */
export interface TurnsQuestion {
  readonly reading: Reading;
  readonly filter: RowFilter;
  /** The same for the same question of an asker who may see the same. */
  readonly key: string;
}

/**
 * The question of a request with the filters of the list.
 *
 * @throws CodedError `parameter_invalid` for a term of `q` that is none
 */
export function questionOf(
  c: AppContext,
  parameters: Parameters<typeof readingFor>[1] & Parameters<typeof rowFilterOf>[0],
): TurnsQuestion {
  const reading = readingFor(c, parameters);
  const { verdict, finding, q } = parameters;
  const key = JSON.stringify([scopeKey(principalOf(c)), reading.query, verdict, finding, q]);
  return { reading, filter: rowFilterOf(parameters, false), key };
}

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
