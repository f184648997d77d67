/** @module ExportMenu: everything that a list selects, as files. */
import type { Child, FC } from "hono/jsx";

import { parametersOf, termsOf } from "../display/filter-terms.ts";
import { Icon } from "../icons.tsx";

/** Files of the list of turns, below its path. */
export const turnFiles = [
  ["/turns.csv", "Turns, CSV"],
  ["/turns.jsonl", "Turns, JSON lines"],
  ["/spans.csv", "Events of these turns, CSV"],
  ["/spans.jsonl", "Events of these turns, JSON lines"],
] as const;

/** Files of another list, after its path. */
const listFiles = [
  [".csv", "CSV"],
  [".jsonl", "JSON lines"],
] as const;

/** Parameters of lists beside their filters. */
const kept = ["sort", "order", "kind", "by", "id", "a", "b", "baseline", "candidate"];

/** The menu of a list with this path and query; words that were not understood are left out. */
export const ExportMenu: FC<{
  readonly path: string;
  readonly query: URLSearchParams;
  readonly files?: readonly (readonly [ending: string, name: string])[];
  /** The file has the same limit as the page; else it is whole. */
  readonly limited?: boolean;
  /** What the files lack, and where it is. */
  readonly children?: Child;
}> = ({ path, query, files = listFiles, limited = false, children }) => {
  const requested = new URLSearchParams(parametersOf(termsOf(query)));
  for (const name of limited ? [...kept, "limit"] : kept) {
    const value = query.get(name);
    if (value !== null) requested.set(name, value);
  }
  const text = requested.toString();
  return (
    <details class="columns-menu" data-menu>
      <summary class="button small">
        <Icon name="artifact" /> Export
      </summary>
      <div class="columns-list">
        <ul aria-label="Export of all rows under the filter">
          {files.map(([ending, name]) => (
            <li>
              <a href={`${path}${ending}${text === "" ? "" : `?${text}`}`} download="">
                {name}
              </a>
            </li>
          ))}
        </ul>
        {children === undefined ? null : <p class="columns-note muted">{children}</p>}
      </div>
    </details>
  );
};
