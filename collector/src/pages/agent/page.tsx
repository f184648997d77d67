/**
 * @module Agent page: one agent: the trend of its turns, insights into the newest, links to its
 * turns, and the playground where the host mounts it.
 */
import type { ToolCounts } from "@turnproof/evidence";
import type { Child, FC } from "hono/jsx";

import { countText, shareText } from "../../ui/display/figures.ts";
import { countExtent, facetExtent } from "../../ui/display/turn-figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { AgentModel } from "./route.ts";
import type { TrendModel } from "../../turns/counted-trend.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Chip } from "../../ui/elements/chip.tsx";
import { Count, Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { ReleaseTable } from "../../ui/elements/release-table.tsx";
import { TrendChart } from "../../ui/elements/trend-chart.tsx";
import { TurnTable } from "../../ui/elements/turn-table.tsx";
import { ErrorCount, GroupTokens, GroupsFooter, ToolTriple } from "../../ui/groups/group-cells.tsx";
import { Playground } from "../../ui/groups/playground.tsx";
import { ToolBar } from "./tool-bar.tsx";
import { WindowInsights } from "../../ui/groups/window-insights.tsx";
import { AllTime, RangeWords } from "../../ui/groups/narrow.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";

/** One agent. `trend`: over all turns of the filter. */
export function agentPage(
  model: AgentModel,
  context: PageContext,
  trend: TrendModel | undefined,
): Child {
  const { agent, turns } = model;
  const name = agent.agent_id ?? "";
  const mounted = model.mounted?.includes(name) === true;
  return (
    <Page context={context} title={`Agent ${name}`} script="agent">
      <div class="chips" role="group" aria-label="Agent">
        <Chip name="agent" value={name} icon="agents" chars={60} />
        {mounted ? (
          <Badge tone="ok" icon="success" word="mounted here" />
        ) : (
          <Badge
            tone="quiet"
            icon="remote"
            word={turns.length === 0 ? "not mounted" : "has turns, not runnable here"}
          />
        )}
        {agent.application_ids.map((application) => (
          <Chip name="app" value={application} />
        ))}
        {agent.models.map((each) => (
          <Chip name="model" value={each} icon="model" />
        ))}
      </div>
      {turns.length === 0 ? (
        <Empty title="No turns of this agent" icon="agents">
          <p>
            There are none
            <RangeWords context={context} />, or your role may not read them.{" "}
            <a href={hrefOf(context, `/traces/find?id=${encodeURIComponent(name)}`)}>
              Search the whole history
            </a>{" "}
            · <a href={hrefOf(context, "/agents")}>all agents</a>
            <AllTime context={context} />
          </p>
        </Empty>
      ) : (
        <>
          <Figures model={model} />
          {trend === undefined ? null : <TrendCard trend={trend} model={model} context={context} />}
        </>
      )}
      <div class="agent-columns">
        <div class="agent-main">
          {turns.length === 0 ? null : (
            <>
              <WindowInsights
                insights={model.insights}
                roots={model.evidence_roots}
                context={context}
              />
              <ToolHealth tools={model.tools_by_name} />
            </>
          )}
        </div>
        {mounted ? <Playground agent={name} context={context} /> : null}
      </div>
      {turns.length === 0 ? null : <Turns model={model} context={context} />}
    </Page>
  );
}

/** The trend of all of its turns under the filter. */
const TrendCard: FC<{
  readonly trend: TrendModel;
  readonly model: AgentModel;
  readonly context: PageContext;
}> = ({ trend, model, context }) => {
  const filters = agentFilters(model.agent.agent_id ?? "", context.query);
  return (
    <Card
      title="Over time"
      icon="clock"
      id="trend"
      flush
      end={<span data-trend-extent>{facetExtent(trend)}</span>}
    >
      <div class="padded" data-histogram-place data-trend>
        <TrendChart trend={trend} extent={countExtent(trend)} />
      </div>
      <div data-releases>
        <ReleaseTable releases={trend.releases} place={{ base: hrefOf(context, ""), filters }} />
      </div>
    </Card>
  );
};

/** Filters of turns in this page's address, as parameters of the list of turns. */
function agentFilters(agent: string, query: URLSearchParams): URLSearchParams {
  const filters = new URLSearchParams(query);
  for (const name of ["limit", "cursor"]) filters.delete(name);
  filters.set("agent_id", agent);
  return filters;
}

const Figures: FC<{ readonly model: AgentModel }> = ({ model }) => {
  const { agent } = model;
  return (
    <Tiles label="Agent in figures">
      <Tile name="turns" more="in this window">
        <Count of={agent.turns} />
      </Tile>
      <Tile name="with errors" more={shareText(agent.turns_with_error, agent.turns)}>
        <ErrorCount of={agent} />
      </Tile>
      <Tile name="threads">
        <Count of={agent.threads} />
      </Tile>
      <Tile name="tools" more="clean · limited · failed">
        <ToolTriple of={agent.tools} />
      </Tile>
      <Tile name="tokens" more="in → out">
        <GroupTokens of={agent} />
      </Tile>
      <Tile name="last turn">
        <Time at={agent.last_at} form="daytime" />
      </Tile>
    </Tiles>
  );
};

const ToolHealth: FC<{ readonly tools: Readonly<Record<string, ToolCounts>> }> = ({ tools }) => {
  const rows = Object.entries(tools).toSorted((a, b) => b[1].results - a[1].results);
  return (
    <Card title="Tool health" icon="tool" id="tools" flush end={countText(rows.length)}>
      {rows.length === 0 ? (
        <p class="muted padded">No tool result was recorded in this window.</p>
      ) : (
        <Table
          stacks
          label="Tool outcomes by tool"
          head={
            <>
              <th scope="col">Tool</th>
              <th scope="col" class="bar-col">
                Outcomes
              </th>
              <th scope="col" class="num">
                Clean
              </th>
              <th scope="col" class="num">
                Empty
              </th>
              <th scope="col" class="num">
                Limited
              </th>
              <th scope="col" class="num">
                Fallback
              </th>
              <th scope="col" class="num">
                Failed
              </th>
            </>
          }
        >
          {rows.map(([name, counts]) => (
            <tr>
              <td>
                <code>{name}</code>
              </td>
              <td data-head="Outcomes" class="bar-col wide">
                <ToolBar of={counts} />
              </td>
              <Figure head="Clean" of={counts.clean} />
              <Figure head="Empty" of={counts.empty} />
              <Figure head="Limited" of={counts.degraded} />
              <Figure head="Fallback" of={counts.fallback} />
              <Figure head="Failed" of={counts.error + counts.provider_error} />
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
};

const Figure: FC<{ readonly head: string; readonly of: number }> = ({ head, of }) => (
  <td data-head={head} class={of === 0 ? "num muted" : "num"}>
    {countText(of)}
  </td>
);

/** Turns in the card; the list of turns has them all, with its filters and pages. */
const newestShown = 10;

const Turns: FC<{ readonly model: AgentModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const shown = model.turns.slice(0, newestShown);
  const filters = agentFilters(model.agent.agent_id ?? "", context.query).toString();
  const list = hrefOf(context, `/traces?${filters}`);
  return (
    <Card
      title="Newest turns"
      icon="turns"
      id="turns"
      flush
      end={`${countText(shown.length)} of ${countText(model.turns_counted)}`}
    >
      <div class="scroll list" role="region" aria-label="Turns of this agent" tabindex={0}>
        <TurnTable
          label="Turns of this agent, newest first"
          rows={shown}
          base={hrefOf(context, "")}
          ofOneAgent
        />
      </div>
      <GroupsFooter window={model} context={context} what="This agent" list={list} />
    </Card>
  );
};
