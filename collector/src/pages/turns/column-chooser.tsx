/**
 * @module ColumnChooser: which columns of the list are shown, and how dense its rows are. Each
 * choice is a link, and all of them are in the address. A column that depends on the room of the
 * list has two links, of which the stylesheet shows the one that is true.
 */
import type { FC } from "hono/jsx";

import { chosenColumns, roomColumns, turnColumnNames } from "../../ui/display/list-columns.ts";
import type { ChosenColumns } from "../../ui/display/list-columns.ts";
import { Icon } from "../../ui/icons.tsx";

interface ListPlace {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The chooser of a list with this path and query. */
export const ColumnChooser: FC<ListPlace> = ({ path, query }) => {
  const chosen = chosenColumns(query);
  const { hidden, shown } = chosen;
  const byRoom = roomColumns.filter((name) => !hidden.has(name) && !shown.has(name));
  return (
    <details class="columns-menu" data-menu data-columns>
      <summary class="button small" data-control="columns">
        <Icon name="settings" /> Columns
        {hidden.size + byRoom.length === 0 ? null : <HiddenCount hidden={hidden} byRoom={byRoom} />}
      </summary>
      <div class="columns-list">
        <ul aria-label="Columns">
          {turnColumnNames.map(([name, word]) => (
            <li>
              {hidden.has(name) || byRoom.includes(name) ? (
                <a
                  href={hrefWith({ path, query }, withShown(chosen, name))}
                  title={`Show ${word}`}
                  data-control={`columns ${name}`}
                  class={hidden.has(name) ? undefined : `left-out of-${name}`}
                >
                  {word}
                </a>
              ) : null}
              {hidden.has(name) ? null : (
                <a
                  href={hrefWith({ path, query }, withHidden(chosen, name))}
                  title={`Hide ${word}`}
                  data-control={`columns ${name}`}
                  class={byRoom.includes(name) ? `on fits of-${name}` : "on"}
                >
                  {word}
                </a>
              )}
            </li>
          ))}
        </ul>
        <RowChoices at={{ path, query }} chosen={chosen} />
      </div>
    </details>
  );
};

/** The height of rows, and all columns or those that fit. */
const RowChoices: FC<{
  readonly at: ListPlace;
  readonly chosen: { readonly hidden: ReadonlySet<string>; readonly shown: ReadonlySet<string> };
}> = ({ at, chosen: { hidden, shown } }) => {
  const dense = at.query.get("rows") === "dense";
  return (
    <ul aria-label="Rows">
      {[
        ["Normal rows", null],
        ["Dense rows", "dense"],
      ].map(([word, value]) => (
        <li>
          <a
            href={hrefWith(at, { rows: value ?? null })}
            data-control={`columns ${word}`}
            aria-current={dense === (value === "dense") ? "true" : undefined}
          >
            {word}
          </a>
        </li>
      ))}
      {shown.size === roomColumns.length && hidden.size === 0 ? null : (
        <li>
          <a
            href={hrefWith(at, { hide: null, show: roomColumns.join(",") })}
            data-control="columns all"
          >
            Show all columns
          </a>
        </li>
      )}
      {shown.size + hidden.size === 0 ? null : (
        <li>
          <a href={hrefWith(at, { hide: null, show: null })} data-control="columns usual">
            Columns that fit
          </a>
        </li>
      )}
    </ul>
  );
};

/** The number of hidden columns: the stylesheet counts the marks, also of those without room. */
const HiddenCount: FC<{
  readonly hidden: ReadonlySet<string>;
  readonly byRoom: readonly string[];
}> = ({ hidden, byRoom }) => (
  <span class={hidden.size === 0 ? "muted columns-left by-room" : "muted columns-left"}>
    {[...hidden].map(() => (
      <i />
    ))}
    {byRoom.map((name) => (
      <i class={`left-out of-${name}`} />
    ))}
  </span>
);

function withHidden({ hidden, shown }: ChosenColumns, name: string): Choice {
  return {
    hide: joined([...hidden, name]),
    show: joined([...shown].filter((one) => one !== name)),
  };
}

/** The column stays shown where it has no room. */
function withShown({ hidden, shown }: ChosenColumns, name: string): Choice {
  return {
    hide: joined([...hidden].filter((one) => one !== name)),
    show: joined(roomColumns.includes(name) ? [...shown, name] : [...shown]),
  };
}

function joined(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(",");
}

type Choice = Readonly<Record<string, string | null>>;

function hrefWith({ path, query }: ListPlace, choice: Choice): string {
  const next = new URLSearchParams(query);
  for (const [name, value] of Object.entries(choice)) {
    if (value === null) next.delete(name);
    else next.set(name, value);
  }
  const text = next.toString();
  return text === "" ? path : `${path}?${text}`;
}
