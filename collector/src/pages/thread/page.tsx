/**
 * @module Thread page: the turns of one thread side by side, and all its events in the three
 * stores in one order of time.
 */
import type { Child, FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { ThreadSummary } from "../../turns/thread-summary.ts";
import type { ThreadModel } from "./route.ts";
import { Chip } from "../../ui/elements/chip.tsx";
import { Count, Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Note, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { ErrorCount, GroupTokens, GroupsFooter, ToolTriple } from "../../ui/groups/group-cells.tsx";
import { SideBySide } from "./side-by-side.tsx";
import { StoreTimeline } from "./store-timeline.tsx";
import { Tenants } from "../../ui/groups/tenants.tsx";
import { WindowInsights } from "../../ui/groups/window-insights.tsx";
import { AllTime, RangeWords } from "../../ui/groups/narrow.tsx";
import { Page, hrefOf, rangedHref } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** One thread. */
export function threadPage(model: ThreadModel, context: PageContext): Child {
  const { thread, turns } = model;
  const name = thread.thread_id ?? "";
  const none = turns.length === 0 && model.timeline.events.length === 0;
  return (
    <Page context={context} title={`Thread ${name}`} script="thread">
      <div class="chips" role="group" aria-label="Thread">
        <Chip name="thread" value={name} icon="threads" chars={60} copy="Thread id" />
        {none ? null : <Tenants of={thread.user_ids} />}
        {thread.agent_ids.map((agent) => (
          <Chip
            name="agent"
            value={agent}
            href={rangedHref(context, pageAddress("agents", agent))}
          />
        ))}
      </div>
      {none ? (
        <Empty title="No turns of this thread" icon="threads">
          <p>
            There are none
            <RangeWords context={context} />, or your role may not read them.{" "}
            <a href={hrefOf(context, `/traces/find?id=${encodeURIComponent(name)}`)}>
              Search the whole history
            </a>{" "}
            · <a href={hrefOf(context, "/threads")}>all threads</a>
            <AllTime context={context} />
          </p>
        </Empty>
      ) : (
        <>
          {thread.user_ids.length > 1 ? (
            <Note tone="bad">
              Turns of several tenants are in this thread. Memory is scoped by tenant; a thread that
              two of them share may be bound incorrectly; check the host.
            </Note>
          ) : null}
          <Figures of={thread} />
          <Card
            title="Turns side by side"
            icon="turns"
            id="turns"
            flush
            end={`${countText(turns.length)}, newest first`}
          >
            <SideBySide turns={turns} context={context} />
            <GroupsFooter window={model} context={context} what="This thread" />
          </Card>
          <WindowInsights
            insights={model.insights}
            roots={model.evidence_roots}
            context={context}
          />
          <StoreTimeline timeline={model.timeline} turns={model.limit} context={context} />
        </>
      )}
    </Page>
  );
}

const Figures: FC<{ readonly of: ThreadSummary }> = ({ of: thread }) => (
  <Tiles label="Thread in figures">
    <Tile name="turns" more="in this window">
      <Count of={thread.turns} />
    </Tile>
    <Tile name="with errors">
      <ErrorCount of={thread} />
    </Tile>
    <Tile name="tools" more="clean · limited · failed">
      <ToolTriple of={thread.tools} />
    </Tile>
    <Tile name="tokens" more="in → out">
      <GroupTokens of={thread} />
    </Tile>
    <Tile name="first">
      <Time at={thread.first_at} form="daytime" />
    </Tile>
    <Tile name="last">
      <Time at={thread.last_at} form="daytime" />
    </Tile>
  </Tiles>
);
