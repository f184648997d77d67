/**
 * @module Threads page: threads by their id, those of the newest turns first or in another order.
 */
import type { Child, FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { ThreadSummary } from "../../turns/thread-summary.ts";
import type { ThreadsModel } from "./route.ts";
import { Id, Name, Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table } from "../../ui/elements/panel.tsx";
import { SortHead } from "../../ui/elements/sort-head.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import {
  GroupCells,
  GroupHeads,
  GroupsFooter,
  groupSorting,
} from "../../ui/groups/group-cells.tsx";
import { AllTime, Narrow, NarrowedBy } from "../../ui/groups/narrow.tsx";
import { Tenants } from "../../ui/groups/tenants.tsx";
import { Page, hrefOf, rangedHref } from "../../ui/layout.tsx";
import { pageAddress } from "../../ui/display/page-address.ts";

/** The threads. */
export function threadsPage(model: ThreadsModel, context: PageContext): Child {
  return (
    <Page
      context={context}
      title="Threads"
      bar={<Narrow context={context} fields={["agent_id", "user_id"]} />}
    >
      <NarrowedBy context={context} />
      {model.items.length === 0 ? (
        <Empty title="No thread in this window" icon="threads">
          <p>
            Threads show as soon as turns name one. <a href={hrefOf(context, "/traces")}>Turns</a>
            <AllTime context={context} />
          </p>
        </Empty>
      ) : (
        <>
          <Card
            title="Threads"
            icon="threads"
            flush
            end={<ListEnd context={context}>{countText(model.items.length)}</ListEnd>}
          >
            <Table
              stacks
              label="Threads"
              head={
                <>
                  <SortHead field="last" heading="Last" at={groupSorting(context)} />
                  <SortHead field="value" heading="Thread" at={groupSorting(context)} rising />
                  <th scope="col">Tenant</th>
                  <th scope="col">Agents</th>
                  <GroupHeads at={groupSorting(context)} />
                </>
              }
            >
              {model.items.map((item) => (
                <Row item={item} context={context} />
              ))}
            </Table>
            <GroupsFooter window={model} context={context} what="Threads" />
          </Card>
        </>
      )}
    </Page>
  );
}

const Row: FC<{ readonly item: ThreadSummary; readonly context: PageContext }> = ({
  item,
  context,
}) => (
  <tr>
    <td>
      <Time at={item.last_at} form="daytime" />
    </td>
    <td>
      {item.thread_id === null ? (
        <span class="muted">without a thread</span>
      ) : (
        <a class="id" href={rangedHref(context, pageAddress("threads", item.thread_id))} data-row>
          {item.thread_id}
        </a>
      )}
    </td>
    <td data-head="Tenant">
      <Tenants of={item.user_ids} />
    </td>
    <td data-head="Agents">
      {item.agent_ids.length === 0 ? <Id of={null} why="No agent was recorded." /> : null}
      {item.agent_ids.map((agent, place) => (
        <>
          {place === 0 ? null : ", "}
          <Name of={agent} />
        </>
      ))}
    </td>
    <GroupCells of={item} />
  </tr>
);
