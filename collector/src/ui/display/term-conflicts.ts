/**
 * @module TermConflicts: terms of an address that no turn can meet together, as `agent_id=a` with
 * `q=agent:b`: a turn has one agent. Terms of one text are a list instead, which means either.
 */
import { oneOfTurn, termText, valuesOf } from "./filter-terms.ts";
import type { Term } from "./filter-terms.ts";

/** Terms of one key that exclude each other. */
export interface TermConflict {
  readonly key: string;
  readonly terms: readonly Term[];
  /**
   * The values of all of them as one term, and the terms beside it; undefined for a negated one.
   */
  readonly either: readonly Term[] | undefined;
}

/** The conflicts among the terms of an address, by key. */
export function conflictsOf(terms: readonly Term[]): readonly TermConflict[] {
  const keys = [...new Set(terms.map(({ key }) => key))].filter((key) => oneOfTurn.has(key));
  return keys.flatMap((key) => {
    const own = terms.filter((term) => term.key === key);
    const [first, ...others] = own.filter(({ negated }) => !negated);
    if (first === undefined) return [];
    const shared = others.reduce<readonly string[]>(
      (left, term) => left.filter((value) => valuesOf(term).includes(value)),
      valuesOf(first),
    );
    const refused = new Set(own.filter(({ negated }) => negated).flatMap(valuesOf));
    if (shared.some((value) => !refused.has(value))) return [];
    return [{ key, terms: own, either: refused.size > 0 ? undefined : eitherOf(terms, own) }];
  });
}

function eitherOf(terms: readonly Term[], own: readonly Term[]): readonly Term[] {
  const [value = "", ...others] = new Set(own.flatMap(valuesOf));
  const texts = new Set(own.map(termText));
  const rest = terms.filter((term) => !texts.has(termText(term)));
  const key = own[0]?.key ?? "";
  return [...rest, { key, value, ...(others.length === 0 ? {} : { others }), negated: false }];
}
