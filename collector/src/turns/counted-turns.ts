/**
 * @module CountedTurns: the question of a request with the filters of the list, for answers that
 * count turns. Each counts all turns of the filter in the principal's scope.
 */
import type { TurnQuestion } from "@turnproof/store";

import { scopeKey } from "../access/grants.ts";
import type { Reading } from "../access/grants.ts";
import { principalOf } from "../http/environment.ts";
import type { AppContext } from "../http/environment.ts";
import { readingFor } from "../http/query.ts";
import { turnQuestion } from "./turn-conditions.ts";
import type { TurnFilters } from "./turn-conditions.ts";

/** Query over all turns of a filter. */
export interface Counting {
  readonly reading: Reading;
  readonly question: TurnQuestion;
  /** Equal for equal questions of principals with equal scope. */
  readonly key: string;
}

/**
 * The question of a request with the filters of the list.
 *
 * @throws CodedError `parameter_invalid` for an invalid term of `q`
 */
export function countingOf(
  c: AppContext,
  parameters: Parameters<typeof readingFor>[1] & TurnFilters,
): Counting {
  const reading = readingFor(c, parameters);
  const { verdict, finding, q } = parameters;
  const question = turnQuestion(reading, { verdict, finding, q }, { typed: c.get("typed") });
  const key = JSON.stringify([scopeKey(principalOf(c)), reading.query, verdict, finding, q]);
  return { reading, question, key };
}
