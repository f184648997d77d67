/** @module Agents page: agents with evidence, mounted agents, and the figures of their turns. */
import type { Child, FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { AgentSummary } from "../../turns/agent-summary.ts";
import type { AgentsModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Name, NotMeasured, NotThere, Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table } from "../../ui/elements/panel.tsx";
import { SortHead } from "../../ui/elements/sort-head.tsx";
import type { SortContext } from "../../ui/elements/sort-head.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import {
  GroupCells,
  GroupHeads,
  GroupsFooter,
  groupSorting,
} from "../../ui/groups/group-cells.tsx";
import { AgentTabs } from "../../ui/groups/agent-tabs.tsx";
import { AllTime, Narrow, NarrowedBy } from "../../ui/groups/narrow.tsx";
import { Page, hrefOf, rangedHref } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** The agents. */
export function agentsPage(model: AgentsModel, context: PageContext): Child {
  const seen = new Set(model.items.flatMap((item) => item.agent_id ?? []));
  const idle = (model.mounted ?? []).filter((agent) => !seen.has(agent));
  const none = model.items.length === 0 && idle.length === 0;
  return (
    <Page
      context={context}
      title="Agents"
      bar={<Narrow context={context} fields={["application_id", "user_id"]} />}
    >
      <AgentTabs context={context} here="list" />
      <NarrowedBy context={context} />
      {none ? (
        <Empty title="No agent in this window" icon="agents">
          <p>
            An agent shows as soon as one of its turns arrives.{" "}
            <a href={hrefOf(context, "/traces")}>Turns</a>
            <AllTime context={context} />
          </p>
        </Empty>
      ) : (
        <>
          <Card
            title="Agents"
            icon="agents"
            flush
            end={<ListEnd context={context}>{countText(model.items.length)}</ListEnd>}
          >
            <Table stacks label="Agents" head={<Head at={groupSorting(context)} />}>
              {model.items.map((item) => (
                <Row item={item} mounted={model.mounted} context={context} />
              ))}
              {idle.map((agent) => (
                <tr>
                  <td>
                    <AgentLink agent={agent} context={context} />
                  </td>
                  <td>
                    <NotThere why="no turn in this window" />
                  </td>
                  <td>
                    <Badge tone="ok" icon="success" word="mounted" />
                  </td>
                  <td colspan={9} class="muted">
                    no turn in this window
                  </td>
                </tr>
              ))}
            </Table>
            <GroupsFooter window={model} context={context} what="Agents" />
          </Card>
        </>
      )}
    </Page>
  );
}

const Head: FC<{ readonly at: SortContext }> = ({ at }) => (
  <>
    <SortHead field="value" heading="Agent" at={at} rising />
    <SortHead field="last" heading="Last" at={at} />
    <th scope="col" class="minor">
      Registration
    </th>
    <th scope="col" class="minor">
      Application
    </th>
    <GroupHeads at={at} threads />
    <th scope="col" class="minor wide-only" title="By name; the list does not sort by models">
      Models
    </th>
  </>
);

/** The first model, and the number of others. */
const Models: FC<{ readonly names: readonly string[] }> = ({ names: [first, ...others] }) => {
  if (first === undefined) return <NotMeasured short why="No model was recorded." />;
  if (others.length === 0) return <>{first}</>;
  return (
    <>
      {first} <span class="muted">+{others.length}</span>
    </>
  );
};

const AgentLink: FC<{ readonly agent: string; readonly context: PageContext }> = ({
  agent,
  context,
}) => (
  <a href={rangedHref(context, pageAddress("agents", agent))} data-row>
    <b>
      <Name of={agent} />
    </b>
  </a>
);

const Row: FC<{
  readonly item: AgentSummary;
  readonly mounted: readonly string[] | null;
  readonly context: PageContext;
}> = ({ item, mounted, context }) => (
  <tr>
    <td>
      {item.agent_id === null ? (
        <span class="muted">without a name</span>
      ) : (
        <AgentLink agent={item.agent_id} context={context} />
      )}
    </td>
    <td data-head="Last">
      <Time at={item.last_at} form="daytime" />
    </td>
    <td data-head="Registration" class="minor">
      {item.agent_id !== null && mounted?.includes(item.agent_id) === true ? (
        <Badge tone="ok" icon="success" word="mounted" title="It can be run from here." />
      ) : (
        <Badge
          tone="quiet"
          icon="remote"
          word="seen"
          title="It has evidence; the host of this collector does not mount it."
        />
      )}
    </td>
    <td data-head="Application" class="minor">
      {item.application_ids.length === 0 ? (
        <span class="muted">not recorded</span>
      ) : (
        item.application_ids.join(", ")
      )}
    </td>
    <GroupCells of={item} threads={item.threads} />
    <td data-head="Models" class="models minor wide-only" title={item.models.join(", ")}>
      <Models names={item.models} />
    </td>
  </tr>
);
