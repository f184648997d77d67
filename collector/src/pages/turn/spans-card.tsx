/**
 * @module SpansCard: the spans of a turn as a table, the other form of the waterfall. It is sorted
 * and paged by links, so that it works without scripts; a row leads to its event.
 */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText, durationText } from "../../ui/display/figures.ts";
import { spanColumns } from "../../ui/display/span-table.ts";
import type { SpanColumn, SpanPage, SpanRow, SpanView } from "../../ui/display/span-table.ts";
import { StatusBadge } from "../../ui/elements/badge.tsx";
import { NotThere, Unknown } from "../../ui/elements/figure.tsx";
import { Card } from "../../ui/elements/panel.tsx";
import { Tabs } from "../../ui/elements/tabs.tsx";
import { Icon } from "../../ui/icons.tsx";
import { hrefWith } from "../../ui/layout.tsx";

/** Parameters of the table in the address of a turn. */
export const spanParameters = ["spans", "spans_order", "spans_page"] as const;

/** What an address selects; undefined where it selects the waterfall alone. */
export function spanViewOf(query: URLSearchParams): SpanView | undefined {
  const by = spanColumns.find((column) => column === query.get("spans"));
  if (by === undefined) return undefined;
  return {
    by,
    descending: query.get("spans_order") === "descending",
    page: Number(query.get("spans_page") ?? "1"),
  };
}

/** Links to the turn without the table, and with it. */
export const SpanTabs: FC<{ readonly context: PageContext }> = ({ context }) => {
  const shown = spanViewOf(context.query) !== undefined;
  const without = Object.fromEntries(spanParameters.map((name) => [name, null]));
  return (
    <Tabs
      label="Form of the spans"
      tabs={[
        { name: "Waterfall", href: hrefWith(context, without), here: !shown },
        {
          name: "Waterfall and table",
          href: `${hrefWith(context, { ...without, spans: "start" })}#spans`,
          here: shown,
        },
      ]}
    />
  );
};

const heads: { readonly [C in SpanColumn]: readonly [word: string, title: string] } = {
  start: ["Start", "From the start of the waterfall"],
  name: ["Name", "Tool, model or operation"],
  kind: ["Kind", "Kind of the event"],
  status: ["Status", "Status of its result"],
  duration: ["Duration", "From its start to its end"],
  level: ["Level", "Depth in the tree; 1 is the top"],
  below: ["Below", "Spans and points below it in the tree"],
};
const figures: ReadonlySet<SpanColumn> = new Set(["start", "duration", "level", "below"]);

/** The table. `page`: what {@link spanPage} returns for the view. */
export const SpansCard: FC<{
  readonly page: SpanPage;
  readonly view: SpanView;
  readonly context: PageContext;
}> = ({ page, view, context }) => (
  <Card title="Spans" id="spans" icon="raw" flush end={`${countText(page.total)} in all`}>
    <div class="scroll" role="group" aria-label="Spans" tabindex={0}>
      <table class="grid" aria-label="Spans">
        <thead>
          <tr>
            {spanColumns.map((column) => (
              <Head column={column} view={view} context={context} />
            ))}
          </tr>
        </thead>
        <tbody>
          {page.rows.map((row) => (
            <Row of={row} />
          ))}
        </tbody>
      </table>
    </div>
    {page.pages > 1 ? <Pages of={page} context={context} /> : null}
  </Card>
);

const Head: FC<{
  readonly column: SpanColumn;
  readonly view: SpanView;
  readonly context: PageContext;
}> = ({ column, view, context }) => {
  const [word, title] = heads[column];
  const here = view.by === column;
  const descending = here && !view.descending;
  const next = { spans: column, spans_order: descending ? "descending" : null, spans_page: null };
  return (
    <th
      scope="col"
      class={figures.has(column) ? "num" : undefined}
      title={title}
      aria-sort={here ? (view.descending ? "descending" : "ascending") : undefined}
    >
      <a class="sort" href={`${hrefWith(context, next)}#spans`}>
        {word}
        {here ? <Icon name={view.descending ? "down" : "up"} /> : null}
      </a>
    </th>
  );
};

const Row: FC<{ readonly of: SpanRow }> = ({ of: { node, name, kind, startMs, level } }) => (
  <tr>
    <td class="num">
      {startMs === null ? <Unknown why="Its start is not recorded." /> : durationText(startMs)}
    </td>
    <td>
      <a href={`#e-${encodeURIComponent(node.event_id)}`}>{name}</a>
    </td>
    <td class="muted">{kind}</td>
    <td>
      <StatusBadge status={node.status} />
    </td>
    <td class="num">
      {node.timing === "instantaneous" ? (
        <NotThere why="A point in time has no duration." />
      ) : node.duration_ms === null ? (
        <Unknown why="Its duration is not recorded." />
      ) : (
        durationText(node.duration_ms)
      )}
    </td>
    <td class="num">{countText(level)}</td>
    <td class="num">{countText(node.descendant_count)}</td>
  </tr>
);

const Pages: FC<{ readonly of: SpanPage; readonly context: PageContext }> = ({ of, context }) => {
  const href = (page: number): string =>
    `${hrefWith(context, { spans_page: page === 1 ? null : String(page) })}#spans`;
  return (
    <nav class="span-pages padded" aria-label="Pages of the table">
      {of.page > 1 ? <a href={href(of.page - 1)}>Previous page</a> : null}
      <span class="muted">
        Page {countText(of.page)} of {countText(of.pages)}
      </span>
      {of.page < of.pages ? <a href={href(of.page + 1)}>Next page</a> : null}
    </nav>
  );
};
