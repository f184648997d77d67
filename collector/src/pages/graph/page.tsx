/** @module Graph page: agents and what they use, as a drawing and as a table of its connections. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import type { GraphEdge } from "../../ui/display/agent-graph.ts";
import { callTerm } from "../../ui/display/call-term.ts";
import { countText, shareText } from "../../ui/display/figures.ts";
import { queryOf, termsOf } from "../../ui/display/filter-terms.ts";
import type { Term } from "../../ui/display/filter-terms.ts";
import { rateText } from "../../ui/display/share-texts.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { AgentGraph, failingShare, leftOf } from "./agent-graph.tsx";
import { Duration, NotThere } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { FilteredPage } from "../../ui/groups/filtered-page.tsx";
import { NoRows } from "../../ui/groups/no-rows.tsx";
import { AgentTabs } from "../../ui/groups/agent-tabs.tsx";
import { hrefOf } from "../../ui/layout.tsx";
import type { GraphModel } from "./route.ts";

/** The graph. */
export function graphPage(model: GraphModel, context: PageContext): Child {
  const terms = termsOf(context.query);
  return (
    <FilteredPage
      context={context}
      title="Agent graph"
      script="graph"
      tabs={<AgentTabs context={context} here="graph" />}
    >
      {model.agents.length === 0 ? (
        <NoRows context={context} title="No agent in these turns" icon="agents">
          An agent shows as soon as one of its turns arrives.
        </NoRows>
      ) : (
        <Graph model={model} context={context} terms={terms} />
      )}
    </FilteredPage>
  );
}

const Graph: FC<{
  readonly model: GraphModel;
  readonly context: PageContext;
  readonly terms: readonly Term[];
}> = ({ model, context, terms }) => {
  const left = leftOf(model);
  const pending = pendingText(model.pending_frames);
  return (
    <>
      <Card
        title="What agents use"
        icon="agents"
        flush
        end={left === 0 ? null : `${countText(left)} more in the table`}
      >
        <p class="graph-scrolls muted padded">
          The drawing scrolls to the side. <a href="#connections">The same as a table</a>
        </p>
        <div class="scroll padded" role="group" aria-label="Drawing" tabindex={0}>
          <AgentGraph graph={model} />
        </div>
        <p class="muted padded">
          Width: number of calls. Dashed red: at least {shareText(failingShare, 1)} of them failed,
          or of memory were degraded.
          {model.edges.some(({ kind }) => kind === "agent")
            ? " On the left, an arrow leads to the agent that is called."
            : ""}
        </p>
      </Card>
      <Card
        title="Connections"
        id="connections"
        icon="filter"
        flush
        end={<ListEnd context={context}>{countText(model.edges.length)}</ListEnd>}
      >
        <Table
          label="Connections"
          stacks
          head={
            <>
              <th scope="col">Agent</th>
              <th scope="col">Uses</th>
              <th scope="col">Name</th>
              <th scope="col" class="num" title="Calls; of memory, turns">
                Calls
              </th>
              <th scope="col" class="num" title="From the first to the last turn">
                An hour
              </th>
              <th scope="col" class="num" title="Failed calls; for memory, degraded ones">
                Failed
              </th>
              <th scope="col" class="num">
                p95
              </th>
            </>
          }
        >
          {model.edges.map((edge) => (
            <Edge of={edge} model={model} href={turnsHref(context, terms, edge)} />
          ))}
        </Table>
        {pending === undefined ? null : (
          <p class="muted padded" data-pending>
            {pending}
          </p>
        )}
      </Card>
    </>
  );
};

const Edge: FC<{
  readonly of: GraphEdge;
  readonly model: GraphModel;
  readonly href: string | undefined;
}> = ({ of, model, href }) => {
  const rate = hourly(of.calls, model);
  // What is counted of memory is another thing than of the rows around it.
  const isMemory = of.kind === "memory";
  return (
    <tr>
      <td>{of.agent_id ?? <NotThere why="no agent was recorded" />}</td>
      <td class="muted" data-head="Uses">
        {of.kind}
      </td>
      <td data-head="Name">
        {of.name === null ? (
          <NotThere why="no name was recorded" />
        ) : href === undefined ? (
          of.name
        ) : (
          <a href={href} data-row title="Its turns">
            {of.name}
          </a>
        )}
      </td>
      <td class="num" data-head={isMemory ? "Turns" : "Calls"}>
        {countText(of.calls)}
        {isMemory ? <span class="muted"> {of.calls === 1 ? "turn" : "turns"}</span> : null}
      </td>
      <td class="num" data-head="An hour">
        {rate === null ? <NotThere why="all turns ended at one moment" /> : rate}
      </td>
      <td class="num" data-head={isMemory ? "Degraded" : "Failed"}>
        {rateText(of.failed, of.calls)}
        {isMemory ? <span class="muted"> degraded</span> : null}
      </td>
      <td class="num" data-head="p95">
        {isMemory ? (
          <NotThere why="the duration of a memory is in its turn" />
        ) : (
          <Duration ms={of.p95_ms} />
        )}
      </td>
    </tr>
  );
};

/** Calls an hour over the time of the turns. */
function hourly(calls: number, { first_ms: first, last_ms: last }: GraphModel): string | null {
  if (first === null || last === null || last <= first) return null;
  return String(Number(((calls * 3_600_000) / (last - first)).toPrecision(3)));
}

function turnsHref(
  context: PageContext,
  terms: readonly Term[],
  of: GraphEdge,
): string | undefined {
  const { agent_id: agent, kind, name } = of;
  if (agent === null || agent.includes('"')) return undefined;
  const call = kind === "memory" ? undefined : callTerm({ kind, name });
  if (kind !== "memory" && call === undefined) return undefined;
  const requested = [
    ...terms,
    { key: "agent", value: agent, negated: false },
    call === undefined
      ? { key: "has", value: "memory", negated: false }
      : { key: "call", value: call, negated: false },
  ];
  return `${hrefOf(context, "/traces")}${queryOf(requested, new URLSearchParams())}`;
}
