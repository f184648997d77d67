/**
 * @module Facets in the browser: the values of all turns under the filters with their turn counts,
 * with more of them than the page comes with; counted again when rows arrive.
 */
import { parametersOf, termsOf } from "../../../ui/display/filter-terms.ts";
import { facetExtent } from "../../../ui/display/turn-figures.ts";
import type { Facet, FacetReach } from "../../../ui/display/turn-figures.ts";
import type { TurnRow as Row } from "@turnproof/evidence";
import { Facets } from "../../../ui/elements/filter-bar.tsx";
import { base, drawn, fetchJson, find, findAll } from "../../../ui/client/page.ts";
import { renewal } from "../../../ui/client/renewal.ts";

/** Fields of the answer that the page uses. */
interface Model extends FacetReach {
  readonly facets: readonly Facet[];
}

/** The facets of a page. */
export interface FacetList {
  /** Values of a key for completion; threads come from the page. */
  names(key: string): readonly string[];
  /** Rows were added or removed: counts again. Older counts are not called all turns meanwhile. */
  renew(items: readonly Row[]): void;
}

/** Loads the facets of the page with this query and draws them. */
export function facetList(query: URLSearchParams): FacetList {
  // Words that the page did not understand are left out of the request.
  const filters = new URLSearchParams(parametersOf(termsOf(query)));
  let whole: Model | undefined;
  let rows: readonly Row[] = [];
  const opened = new Set<string>();
  const draw = (facets: readonly Facet[]): void => {
    const list = (
      <Facets
        facets={facets}
        path={`${base}/traces`}
        terms={termsOf(query)}
        query={query}
        {...(whole === undefined ? {} : { whole: opened })}
      />
    );
    const place = find(".facet-list");
    // A reader who is on a value by keys stays on it.
    const held = place?.contains(document.activeElement) === true ? document.activeElement : null;
    place?.replaceChildren(drawn(list));
    const href = held?.getAttribute("href") ?? "";
    if (href !== "")
      findAll(".facet-list a")
        .find((a) => a.getAttribute("href") === href)
        ?.focus();
  };
  find(".facet-list")?.addEventListener("click", ({ target }) => {
    const key = (target as Element).closest<HTMLElement>("[data-more]")?.dataset["more"];
    if (key === undefined || whole === undefined) return;
    const shown = findAll(`[data-facet="${key}"] li`).length;
    opened.add(key);
    draw(whole.facets);
    // The button is gone: the reader goes on at the first value that it has shown.
    findAll(`[data-facet="${key}"] li a`)[shown]?.focus();
  });
  const request = async (): Promise<void> => {
    const model = await fetchJson<Model>(`${base}/traces/facets.json?${filters.toString()}`);
    if (model === undefined || model.turns < rows.length) return;
    whole = model;
    notify(facetExtent(model));
    draw(model.facets);
  };
  const again = renewal(request);
  return {
    names: (key) => (key === "thread" ? threadsHere() : valuesOf(key, whole)),
    renew(items) {
      rows = items;
      again();
      if (whole !== undefined && whole.turns >= rows.length) return;
      whole = undefined;
      notify("Counting all turns…");
    },
  };
}

function notify(extent: string): void {
  const place = find("[data-facet-extent]");
  if (place !== undefined) place.textContent = extent;
}

/** Counted values; before the answer those on the page. */
function valuesOf(key: string, whole: Model | undefined): readonly string[] {
  if (whole === undefined) return findAll(`[data-facet="${key}"] .value`).map(({ title }) => title);
  return (whole.facets.find((facet) => facet.key === key)?.values ?? []).map(({ value }) => value);
}

function threadsHere(): readonly string[] {
  const ids = findAll("td.c-thread .id");
  return [...new Set(ids.map((id) => id.dataset["whole"] ?? id.textContent))];
}
