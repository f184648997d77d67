/** @module Memory page: number of memory rows of one tenant, by kind, without content. */
import type { Child, FC } from "hono/jsx";

import { countText, wordsOf } from "../../ui/display/figures.ts";
import type { PageContext } from "../../http/page-context.ts";
import type { MemoryModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { ShareBar } from "../../ui/elements/bar.tsx";
import { Chips, TenantChip } from "../../ui/elements/chip.tsx";
import { NotThere, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Empty, Heads, Table } from "../../ui/elements/panel.tsx";
import { Narrow } from "../../ui/groups/narrow.tsx";
import { ExportMenu } from "../../ui/elements/export-menu.tsx";
import { Page, hrefOf } from "../../ui/layout.tsx";

/** Counts of one tenant. */
export function memoryPage(model: MemoryModel, context: PageContext): Child {
  const bound = context.principal?.userId !== undefined;
  return (
    <Page
      context={context}
      title="Memory"
      bar={
        <Narrow
          context={context}
          fields={bound ? ["agent_id", "memory_id"] : ["user_id", "agent_id", "memory_id"]}
        />
      }
    >
      {model.requested ? (
        <ExportMenu path={hrefOf(context, "/memory")} query={context.query} />
      ) : null}
      {model.requested ? (
        <Requested model={model} />
      ) : (
        <Empty title="Name a tenant first" icon="memory">
          <p>
            Memory is scoped: counts are of one tenant or of the anonymous rows, never of all
            tenants together. Enter the tenant above, or see the{" "}
            <a href={hrefOf(context, "/memory?scope=anonymous")}>anonymous rows</a>.
          </p>
        </Empty>
      )}
      {model.shared === null ? null : <Shared rows={model.shared} />}
    </Page>
  );
}

const Requested: FC<{ readonly model: MemoryModel }> = ({ model }) => {
  const { memory } = model;
  const most = model.kinds.reduce((max, { count }) => Math.max(max, count ?? 0), 0);
  return (
    <>
      <Chips label="Scope">
        <TenantChip userId={model.user_id} />
        <Badge
          tone={memory.ok ? "ok" : "bad"}
          icon={memory.ok ? "success" : "failed"}
          word={memory.ok ? `${memory.name} answers` : wordsOf(memory.code ?? "fails")}
        />
      </Chips>
      <Card
        title="Units by kind"
        icon="memory"
        flush
        end={
          model.total === null ? <Unknown why="A count is not known." /> : countText(model.total)
        }
      >
        <Table
          stacks
          label="Memory units by kind"
          head={
            <>
              <th scope="col">Kind</th>
              <th scope="col">Collection</th>
              <th scope="col" class="num">
                Units
              </th>
              <th scope="col" class="bar-col">
                <span class="sr">Units as a bar</span>
              </th>
              <th scope="col">Newest</th>
            </>
          }
        >
          {model.kinds.map(({ kind, collection, count, latest_at: latest }) => (
            <tr>
              <td>{wordsOf(kind)}</td>
              <td data-head="Collection">
                <code>{collection}</code>
              </td>
              <td data-head="Units" class="num">
                {count === null ? <Unknown why="The memory did not answer." /> : countText(count)}
              </td>
              <td class="bar-col">
                <ShareBar part={count} whole={most} label={`${count ?? "unknown"} units`} />
              </td>
              <td data-head="Newest">
                {latest === null ? (
                  <NotThere why="there is none" />
                ) : (
                  <Time at={latest} form="daytime" />
                )}
              </td>
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
};

const Shared: FC<{ readonly rows: NonNullable<MemoryModel["shared"]> }> = ({ rows }) => (
  <Card title="Shared by design" icon="link" flush end="without a tenant">
    <Table
      label="Shared kinds"
      head={<Heads texts={["Kind", "Collection"]} figures={["Records"]} />}
    >
      {rows.map(({ kind, collection, count, bounded }) => (
        <tr>
          <td>{wordsOf(kind)}</td>
          <td>
            <code>{collection}</code>
          </td>
          <td class="num">
            {count === null ? <Unknown /> : `${bounded ? "≥ " : ""}${countText(count)}`}
          </td>
        </tr>
      ))}
    </Table>
  </Card>
);
