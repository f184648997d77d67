/**
 * @module CountedTurns: the query of a request with the filters of the list, for answers that
 * count turns. Each counts all turns of the filter in the principal's scope.
 */
import type { TurnQuery } from "@turnproof/store";

import { scopeKey } from "../access/grants.ts";
import { principalOf } from "../http/environment.ts";
import type { AppContext } from "../http/environment.ts";
import { readingFor } from "../http/query.ts";
import { rangeOf } from "../ui/display/time-range.ts";
import type { RequestedRange } from "../ui/display/time-range.ts";
import type { Parts } from "../parts.ts";
import { knownNames } from "./free-text.ts";
import { turnQueryOf } from "./turn-conditions.ts";
import type { TurnFilters } from "./turn-conditions.ts";

/** Query over all turns of a filter. */
export interface Counting {
  readonly query: TurnQuery;
  /** The range that its charts cover; undefined where an end is open. */
  readonly within: readonly [number, number] | undefined;
  /**
   * Equal for equal queries of principals with equal scope, while no damage is met or located.
   */
  readonly key: string;
}

/**
 * The query of a request with the filters of the list.
 *
 * @throws CodedError `parameter_invalid` for an invalid term of `q`
 */
export async function countingOf(
  c: AppContext,
  { store, damage, ingest }: Pick<Parts, "store" | "damage" | "ingest">,
  parameters: Parameters<typeof readingFor>[1] & TurnFilters,
): Promise<Counting> {
  const atMs = c.get("now")();
  const reading = readingFor(c, parameters, atMs);
  const { verdict, finding, q } = parameters;
  const requested = {
    start_time: parameters.start_time,
    end_time: parameters.end_time,
  } as RequestedRange;
  const names = await knownNames(store.ledger, reading.scope, q);
  const reads = { typed: c.get("typed"), names };
  const query = turnQueryOf(reading, { verdict, finding, q }, reads);
  // A relative time stays as it was written, or no answer would serve a second request.
  const filters = { ...reading.query, ...requested };
  const found = [damage.report().located, ingest.gaps()];
  const key = JSON.stringify([scopeKey(principalOf(c)), filters, verdict, finding, q, found]);
  return { query, within: rangeOf(requested, atMs), key };
}
