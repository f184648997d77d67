/**
 * @module Window footer: coverage of the list of turns, with exact counts, pending events, and a
 * link to older turns. The server draws it, and the page redraws it when new turns arrive.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../display/figures.ts";
import { pendingText, runningText, windowState } from "../display/window-texts.ts";
import type { WindowReach } from "../display/window-texts.ts";
import { pageSizes, turnsShown } from "../display/list-columns.ts";
import { Icon } from "../icons.tsx";
import { Badge } from "./badge.tsx";

/** A list of turns and its coverage. */
export interface TurnsWindow extends WindowReach {
  readonly items: readonly TurnRow[];
  readonly as_of: string;
}

/** The footer of a list of turns. */
export const WindowFooter: FC<{
  readonly model: TurnsWindow;
  readonly path: string;
  readonly query: URLSearchParams;
}> = ({ model, path, query }) => {
  const { items } = model;
  const paged = query.has("cursor");
  const { tone, icon, word } = windowState(model, paged);
  const running = runningText(items.filter(({ status }) => status === "started").length);
  const pending = pendingText(model.pending_frames);
  return (
    <footer class="window" data-window data-as-of={model.as_of}>
      <Badge tone={tone} icon={icon} word={word} />
      <span>
        {countText(items.length)} {items.length === 1 ? "turn" : "turns"}
        {model.window_complete ? ", complete" : " on this page"}
      </span>
      <OrderChoice path={path} query={query} />
      {running === undefined ? null : <span data-running>{running}</span>}
      {pending === undefined ? null : <span data-pending>{pending}</span>}
      <PageSize path={path} query={query} />
      <span class="end">
        {paged ? (
          <a class="button" href={withCursor(path, query, null)} data-control="page newest">
            Newest
          </a>
        ) : null}
        {model.next_cursor === null ? null : (
          <a
            class="button"
            href={withCursor(path, query, model.next_cursor)}
            data-older
            data-control="page older"
          >
            Older <Icon name="more" />
          </a>
        )}
      </span>
    </footer>
  );
};

/** How many turns a page has, as links. */
const PageSize: FC<{ readonly path: string; readonly query: URLSearchParams }> = ({
  path,
  query,
}) => {
  const chosen = Number(query.get("limit") ?? turnsShown);
  return (
    <span class="sizes" role="group" aria-label="Turns on a page">
      {pageSizes.map((size) => {
        const next = new URLSearchParams(query);
        if (size === turnsShown) next.delete("limit");
        else next.set("limit", String(size));
        return (
          <a
            href={withCursor(path, next, null)}
            aria-current={size === chosen ? "true" : undefined}
            data-control={`size ${size}`}
          >
            {String(size)}
          </a>
        );
      })}
      a page
    </span>
  );
};

/** The list's own order or that of receipt; a column's order is chosen at its head. */
const OrderChoice: FC<{ readonly path: string; readonly query: URLSearchParams }> = ({
  path,
  query,
}) => {
  const sort = query.get("sort");
  if ((sort !== null && sort !== "first_received") || query.has("order")) return null;
  const next = new URLSearchParams(query);
  if (sort === null) next.set("sort", "first_received");
  else next.delete("sort");
  return (
    <span>
      newest by {sort === null ? "own time" : "receipt"} ·{" "}
      <a href={withCursor(path, next, null)} data-control="order">
        {sort === null ? "by receipt" : "by own time"}
      </a>
    </span>
  );
};

function withCursor(path: string, query: URLSearchParams, cursor: string | null): string {
  const changed = new URLSearchParams(query);
  if (cursor === null) changed.delete("cursor");
  else changed.set("cursor", cursor);
  const text = changed.toString();
  return text === "" ? path : `${path}?${text}`;
}
