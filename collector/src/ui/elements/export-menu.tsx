/** @module ExportMenu: all turns of the list's filter, or their events, as files. */
import type { FC } from "hono/jsx";

import { parametersOf, termsOf } from "../display/filter-terms.ts";
import { Icon } from "../icons.tsx";

const files: readonly (readonly [file: string, name: string])[] = [
  ["turns.csv", "Turns, CSV"],
  ["turns.jsonl", "Turns, JSON lines"],
  ["spans.csv", "Events, CSV"],
  ["spans.jsonl", "Events, JSON lines"],
];

/** The menu of a list with this path and query; words that were not understood are left out. */
export const ExportMenu: FC<{ readonly path: string; readonly query: URLSearchParams }> = ({
  path,
  query,
}) => {
  const asked = new URLSearchParams(parametersOf(termsOf(query)));
  for (const name of ["sort", "order"]) {
    const value = query.get(name);
    if (value !== null) asked.set(name, value);
  }
  const text = asked.toString();
  return (
    <details class="columns-menu" data-menu>
      <summary class="button small">
        <Icon name="artifact" /> Export
      </summary>
      <div class="columns-list">
        <ul aria-label="Export of every turn that passes">
          {files.map(([file, name]) => (
            <li>
              <a href={`${path}/${file}${text === "" ? "" : `?${text}`}`} download="">
                {name}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </details>
  );
};
