/**
 * @module Window footer: how far the list of turns reaches, with exact counts, what is still open,
 * and the way to older turns. The server draws it, and the page again whenever new turns arrived.
 */
import type { TurnRow } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../display/figures.ts";
import { queryOf, termText } from "../../display/filter-terms.ts";
import type { Term } from "../../display/filter-terms.ts";
import { pendingText, runningText, windowState } from "../../display/window-words.ts";
import type { WindowReach } from "../../display/window-words.ts";
import { Icon } from "../icons.tsx";
import { Badge } from "./badge.tsx";

/** A list of turns and its reach. */
export interface TurnsWindow extends WindowReach {
  readonly items: readonly TurnRow[];
  readonly root_count: number;
  readonly filtered_out: number;
  readonly as_of: string;
}

/** The footer of a list of turns. */
export const WindowFooter: FC<{
  readonly model: TurnsWindow;
  readonly path: string;
  readonly terms: readonly Term[];
  readonly query: URLSearchParams;
}> = ({ model, path, terms, query }) => {
  const { items, root_count: roots, filtered_out: out } = model;
  const paged = query.has("cursor");
  const { tone, icon, word } = windowState(model, paged);
  const running = runningText(items.filter(({ status }) => status === "started").length);
  const pending = pendingText(model.pending_frames);
  const filters = rowFilters(terms, query);
  return (
    <footer class="window" data-window data-as-of={model.as_of}>
      <Badge tone={tone} icon={icon} word={word} />
      <span>
        {countText(items.length)} {items.length === 1 ? "turn" : "turns"} of {countText(roots)}{" "}
        {roots === 1 ? "root" : "roots"}
        {model.window_complete ? ", all there are" : ""}
        {model.bounded ? "; reading met its bound: older ones were not looked at" : ""}
      </span>
      {running === undefined ? null : <span data-running>{running}</span>}
      {pending === undefined ? null : <span data-pending>{pending}</span>}
      {filters === undefined ? null : (
        <span>
          <code>{filters}</code> left out {countText(out)} of {countText(items.length + out)} turns
          that were read
        </span>
      )}
      <span class="end">
        {paged ? (
          <a class="button" href={withCursor(path, query, null)}>
            Newest
          </a>
        ) : null}
        {model.next_cursor === null ? null : (
          <a class="button" href={withCursor(path, query, model.next_cursor)} data-older>
            {model.bounded ? "Read on" : "Older"} <Icon name="more" />
          </a>
        )}
      </span>
    </footer>
  );
};

/** The filters that only rows can answer, as they stand in the bar. */
function rowFilters(terms: readonly Term[], query: URLSearchParams): string | undefined {
  const pageTerms = new URLSearchParams(queryOf(terms, new URLSearchParams())).get("q");
  const judged = ["verdict", "finding"].flatMap((name) => {
    const value = query.get(name);
    return value === null ? [] : [termText({ key: name, value, negated: false })];
  });
  const all = [...judged, ...(pageTerms === null ? [] : [pageTerms])];
  return all.length === 0 ? undefined : all.join(" ");
}

function withCursor(path: string, query: URLSearchParams, cursor: string | null): string {
  const changed = new URLSearchParams(query);
  if (cursor === null) changed.delete("cursor");
  else changed.set("cursor", cursor);
  const text = changed.toString();
  return text === "" ? path : `${path}?${text}`;
}
