/**
 * @module FilterBar: one line of terms. Without script it is a form whose terms the server
 * converts to parameters; with script it completes keys and values as they are typed.
 */
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import type { Facet } from "../display/turn-figures.ts";
import { keptParameters, queryOf, sameTerm, termText, unclearOf } from "../display/filter-terms.ts";
import type { Term } from "../display/filter-terms.ts";
import { Icon } from "../icons.tsx";

/** The bar with the terms of the address in it. */
export const FilterBar: FC<{
  readonly action: string;
  readonly terms: readonly Term[];
  readonly placeholder?: string;
  /** The address of the list; its order, limit and chart are kept. */
  readonly query: URLSearchParams;
}> = ({ action, terms, placeholder, query }) => {
  const unclear = unclearOf(query);
  return (
    <form class="filter" method="get" action={action} role="search" aria-label="Turns" data-filter>
      <Icon name="filter" />
      <input
        class="field"
        name="q"
        type="text"
        maxlength={1000}
        value={[...terms.map(termText), ...unclear].join(" ")}
        placeholder={placeholder ?? "any text or id, has:error tool:search -agent:x"}
        aria-label="Filter turns"
        {...(unclear.length === 0
          ? {}
          : { "aria-invalid": "true", "aria-describedby": "filter-unclear" })}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
      {keptParameters.map((name) => {
        const value = query.get(name);
        return value === null ? null : <input type="hidden" name={name} value={value} />;
      })}
      <kbd aria-hidden="true">/</kbd>
    </form>
  );
};

/** One name for the chip and for the value of a facet, between which the focus goes. */
const controlOf = (term: Term): string => `term ${termText(term)}`;

/** True for a term with a chip; the range of time is in the header's picker. */
export function isChip({ key, negated }: Term): boolean {
  return negated || (key !== "after" && key !== "before");
}

/** The terms as chips that a click removes. */
export const TermChips: FC<{
  readonly path: string;
  readonly terms: readonly Term[];
  readonly query: URLSearchParams;
}> = ({ path, terms, query }) => (
  <>
    {terms.filter(isChip).map((term) => (
      <a
        class="chip term"
        href={`${path}${queryOf(
          terms.filter((other) => !sameTerm(other, term)),
          query,
        )}`}
        title={`Remove ${termText(term)}`}
        data-control={controlOf(term)}
      >
        <span class="value">{termText(term)}</span>
        <Icon name="close" label="remove" />
      </a>
    ))}
  </>
);

/** The rest of a facet: a button where the browser holds more values than it shows. */
const More: FC<{
  readonly facet: string;
  readonly shown: number;
  readonly here: number;
  readonly total: number;
}> = ({ facet, shown, here, total }) =>
  total <= shown ? null : here <= shown ? (
    <p class="muted">and {countText(total - shown)} more</p>
  ) : (
    <button class="button small" type="button" data-more={facet}>
      Show {countText(here - shown)} more
    </button>
  );

/** Values of a facet that are drawn; the answer has more, for its button and for completion. */
const drawnMax = 6;

/** Facets of turns; each value adds its term or removes it. */
export const Facets: FC<{
  readonly facets: readonly Facet[];
  readonly path: string;
  readonly terms: readonly Term[];
  readonly query: URLSearchParams;
  /** Keys of the facets that are shown as far as they are here; in the browser only. */
  readonly whole?: ReadonlySet<string>;
}> = ({ facets, path, terms, query, whole }) => (
  <>
    {facets.map(({ key, name, values, total }) => (
      <section class="facet" aria-label={name} data-facet={key}>
        <h3>{name}</h3>
        <ul>
          {values
            .slice(0, whole?.has(key) === true ? values.length : drawnMax)
            .map(({ value, count }) => {
              const term = { key, value, negated: false };
              const on = terms.some((other) => sameTerm(other, term));
              const others = terms.filter((other) => other.key !== key || other.negated);
              return (
                <li>
                  <a
                    href={`${path}${queryOf(on ? others : [...others, term], query)}`}
                    aria-current={on ? "true" : undefined}
                    data-control={controlOf(term)}
                  >
                    <span class="value" title={value}>
                      {value}
                    </span>
                    {countText(count)}
                  </a>
                </li>
              );
            })}
        </ul>
        <More
          facet={key}
          shown={whole?.has(key) === true ? values.length : Math.min(values.length, drawnMax)}
          here={whole === undefined ? 0 : values.length}
          total={total}
        />
      </section>
    ))}
  </>
);
