/**
 * @module Turns page: home. Turns newest first under one filter bar, a histogram with a brush,
 * facets, a live tail, and a footer with the window's coverage.
 */
import type { Child, FC, PropsWithChildren } from "hono/jsx";

import { textKey } from "../../ui/display/filter-keys.ts";
import { termsOf, unclearOf } from "../../ui/display/filter-terms.ts";
import type { Term } from "../../ui/display/filter-terms.ts";
import { chosenColumns, listClasses } from "../../ui/display/list-columns.ts";
import { builtInViews, viewQuery } from "../../ui/display/list-views.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { TurnsModel } from "./route.ts";
import { ColumnChooser } from "./column-chooser.tsx";
import { ChartSwitch } from "./chart-switch.tsx";
import { FilterBar } from "../../ui/elements/filter-bar.tsx";
import { LaterPart } from "../../ui/elements/later.tsx";
import { ListViews } from "../../ui/elements/list-views.tsx";
import { ExportMenu, turnFiles } from "../../ui/elements/export-menu.tsx";
import { Empty } from "../../ui/elements/panel.tsx";
import { WindowFooter } from "../../ui/elements/window-footer.tsx";
import { TurnTable } from "../../ui/elements/turn-table.tsx";
import { usualOrder } from "../../turns/turn-position.ts";
import type { SharedView } from "../../turns/shared-views.ts";
import { FigureSlots } from "./figures.tsx";
import { FirstSteps } from "./first-steps.tsx";
import { SharedList } from "./shared-list.tsx";
import { ScopeLine } from "../../ui/groups/turns-scope.tsx";
import { Icon } from "../../ui/icons.tsx";
import { Page, hrefOf, hrefWith } from "../../ui/layout.tsx";

/** What the page has beside its rows. */
interface BesideRows {
  /** The views that operators share. */
  readonly shared: readonly SharedView[];
  /** True where the reader has no turn at all, whatever the filter and the range. */
  readonly bare: boolean;
}

/** The turns, newest first. */
export function turnsPage(
  model: TurnsModel,
  context: PageContext,
  { shared, bare: hasNone }: BesideRows,
): Child {
  const base = hrefOf(context, "");
  const path = hrefOf(context, "/traces");
  const terms = termsOf(context.query);
  // Under another filter than time the list with its saved views stays.
  const bare = hasNone && terms.every(isTime);
  const none = model.items.length === 0;
  return (
    <Page
      context={context}
      title="Turns"
      script="turns"
      unclear={unclearOf(context.query)}
      bar={
        <>
          <FilterBar action={path} terms={terms} query={context.query} />
          <LiveSwitch paged={context.query.has("cursor")} />
        </>
      }
    >
      <ScopeLine context={context} terms={terms} path={path} />
      {bare ? <FirstSteps context={context} /> : null}
      <div class="turns" data-turns hidden={bare}>
        <FigureSlots />
        <ChartSwitch
          chosen={context.query.get("chart")}
          hrefOf={(chart) => hrefWith(context, { chart })}
        />
        {none || terms.every(isTime) ? null : <WhatIsSpecial />}
        <ListViews
          views={builtInViews}
          path={path}
          query={viewQuery(context.query)}
          keeper={`${base} ${context.principal?.name ?? ""}`}
        >
          <SharedList views={shared} context={context} />
        </ListViews>
        <TurnList model={model} context={context} />
        <LaterPart />
      </div>
    </Page>
  );
}

function isTime({ key }: Term): boolean {
  return key === "after" || key === "before";
}

/** Values that set the filter's turns apart from others; counted when the reader opens it. */
const WhatIsSpecial: FC = () => (
  <details class="card fold" data-differences hidden>
    <summary>
      <Icon name="compare" />
      <h2>What sets these turns apart</h2>
      <span class="muted">compared with other turns of the same time</span>
      <kbd aria-hidden="true">w</kbd>
    </summary>
    <div data-differences-place>
      <p class="padded muted">Counting…</p>
    </div>
  </details>
);

const TurnList: FC<{ readonly model: TurnsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const { query } = context;
  const path = hrefOf(context, "/traces");
  const none = model.items.length === 0 && (termsOf(query).length > 0 || query.has("cursor"));
  return (
    <div class="list" slot="list">
      <div class="list-tools">
        <ExportMenu path={path} query={query} files={turnFiles}>
          Events without a turn, such as reports of producers, are in no turn&apos;s file:{" "}
          <a href={`${path}/export?table=events&format=jsonl`} download="">
            all events
          </a>
        </ExportMenu>
        <ColumnChooser path={path} query={query} />
      </div>
      <ListRegion wide={chosenColumns(query).shown.size > 0}>
        <TurnTable
          label={query.has("sort") ? "Turns, sorted" : "Turns, newest first"}
          rows={model.items}
          base={hrefOf(context, "")}
          live
          classes={listClasses(query)}
          sorting={{ path, query, usual: usualOrder.by }}
        />
      </ListRegion>
      {none ? (
        <Empty title="No turn here passes these filters">
          <p>
            {model.pending_frames === 0
              ? "The store holds no turn that matches."
              : "The store holds no turn that matches yet."}{" "}
            <a href={path}>Clear all filters</a>
          </p>
          <TextReach context={context} />
        </Empty>
      ) : null}
      <WindowFooter model={model} path={path} query={query} />
    </div>
  );
};

/** Columns that are shown whatever the room scroll in a region of their own, not with the page. */
const ListRegion: FC<PropsWithChildren<{ readonly wide: boolean }>> = ({ wide, children }) =>
  wide ? (
    <div class="scroll" role="region" aria-label="Turns with all their columns" tabindex={0}>
      {children}
    </div>
  ) : (
    <>{children}</>
  );

/** What free text is compared with, and the search of what it is not. */
const TextReach: FC<{ readonly context: PageContext }> = ({ context }) => {
  const [text] = termsOf(context.query).filter(({ key, negated }) => key === textKey && !negated);
  if (text === undefined) return null;
  return (
    <p>
      Text without a key is compared with whole ids of a turn, its trace, user, run, task and
      memory, with the beginning of its trace&apos;s id from 8 hexadecimal digits on, with a part of
      the id of its thread or agent, and with its readable names, findings and insights.{" "}
      <a href={hrefOf(context, `/traces/find?id=${encodeURIComponent(text.value)}`)}>
        Search ids and events for “{text.value}”
      </a>
    </p>
  );
};

const LiveSwitch: FC<{ readonly paged: boolean }> = ({ paged }) =>
  paged ? null : (
    <button
      class="button"
      type="button"
      data-live
      hidden
      aria-pressed="true"
      aria-label="Live tail"
    >
      <Icon name="live" />
      <span data-word>Live</span>
    </button>
  );
