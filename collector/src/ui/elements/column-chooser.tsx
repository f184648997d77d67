/**
 * @module ColumnChooser: which columns of the list are shown, and how dense its rows are. Each
 * choice is a link, and all of them are in the address.
 */
import type { FC } from "hono/jsx";

import { hiddenColumns, turnColumnNames } from "../display/list-columns.ts";
import { Icon } from "../icons.tsx";

/** The chooser of a list with this path and query. */
export const ColumnChooser: FC<{ readonly path: string; readonly query: URLSearchParams }> = ({
  path,
  query,
}) => {
  const hidden = hiddenColumns(query);
  const dense = query.get("rows") === "dense";
  const toggled = (name: string): string | null => {
    const next = hidden.has(name)
      ? [...hidden].filter((other) => other !== name)
      : [...hidden, name];
    return next.length === 0 ? null : next.join(",");
  };
  return (
    <details class="columns-menu" data-menu data-columns>
      <summary class="button small">
        <Icon name="settings" /> Columns
        {hidden.size === 0 ? null : <span class="muted">{hidden.size} hidden</span>}
      </summary>
      <div class="columns-list">
        <ul aria-label="Columns">
          {turnColumnNames.map(([name, word]) => (
            <li>
              <a
                href={hrefWith(path, query, "hide", toggled(name))}
                title={hidden.has(name) ? `Show ${word}` : `Hide ${word}`}
                class={hidden.has(name) ? undefined : "on"}
              >
                {word}
              </a>
            </li>
          ))}
        </ul>
        <ul aria-label="Rows">
          {[
            ["Normal rows", null],
            ["Dense rows", "dense"],
          ].map(([word, value]) => (
            <li>
              <a
                href={hrefWith(path, query, "rows", value ?? null)}
                aria-current={dense === (value === "dense") ? "true" : undefined}
              >
                {word}
              </a>
            </li>
          ))}
          {hidden.size === 0 ? null : (
            <li>
              <a href={hrefWith(path, query, "hide", null)}>Show all columns</a>
            </li>
          )}
        </ul>
      </div>
    </details>
  );
};

function hrefWith(
  path: string,
  query: URLSearchParams,
  name: string,
  value: string | null,
): string {
  const next = new URLSearchParams(query);
  if (value === null) next.delete(name);
  else next.set(name, value);
  const text = next.toString();
  return text === "" ? path : `${path}?${text}`;
}
