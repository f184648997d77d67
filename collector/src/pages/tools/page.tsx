/** @module Tools page: calls of tools or models by one field; each count leads to its turns. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { callFields, failedOf } from "../../turns/call-rows.ts";
import type { CallRow, CallSums, ListedBy } from "../../turns/call-rows.ts";
import { callTerm } from "../../ui/display/call-term.ts";
import type { RequestedCall } from "../../ui/display/call-term.ts";
import { countedText, countText, durationText } from "../../ui/display/figures.ts";
import { queryOf, sameTerm, termsOf } from "../../ui/display/filter-terms.ts";
import type { Term } from "../../ui/display/filter-terms.ts";
import { rateText } from "../../ui/display/share-texts.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { CallSpark } from "../../ui/elements/call-spark.tsx";
import { Duration, NotThere } from "../../ui/elements/figure.tsx";
import { Card, Table, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { SortHead } from "../../ui/elements/sort-head.tsx";
import { Tabs } from "../../ui/elements/tabs.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { FilteredPage } from "../../ui/groups/filtered-page.tsx";
import { NoRows } from "../../ui/groups/no-rows.tsx";
import { hrefOf, hrefWith } from "../../ui/layout.tsx";
import { CallsChart } from "./calls-chart.tsx";
import type { ToolsModel } from "./route.ts";

const kindTexts = { tool: "Tool", model: "Model" } as const;

function fieldWord(kind: ToolsModel["kind"], by: ListedBy): string {
  if (by === "name") return kindTexts[kind];
  return { provider: "Provider", release: "Release", agent: "Agent" }[by];
}

/** The calls. */
export function toolsPage(model: ToolsModel, context: PageContext): Child {
  const terms = termsOf(context.query);
  const { kind, by } = model;
  return (
    <FilteredPage context={context} title={kind === "tool" ? "Tools" : "Models"} script="tools">
      <div class="page-actions">
        <Tabs
          label="Calls of"
          tabs={(["tool", "model"] as const).map((one) => ({
            name: `${kindTexts[one]}s`,
            href: hrefWith(context, { kind: one }),
            here: one === kind,
          }))}
        />
        <Tabs
          label="Calls by"
          tabs={callFields.map((field) => ({
            name: `by ${fieldWord(kind, field).toLowerCase()}`,
            href: hrefWith(context, { by: field }),
            here: field === by,
          }))}
        />
      </div>
      {model.total.calls === 0 ? (
        <NoRows context={context} title={`No ${kind} call in these turns`} icon={kind}>
          A call shows as soon as a turn records one.
        </NoRows>
      ) : (
        <>
          <SelectionNote model={model} terms={terms} />
          <Total model={model} />
          <CallsChart of={model} name={calledText(model)} />
          <Calls model={model} context={context} terms={terms} />
        </>
      )}
    </FilteredPage>
  );
}

/** What the figures are of, in words. */
function calledText({ kind, selected }: ToolsModel): string {
  if (selected === null) return `all ${kind}s`;
  const { name, provider } = selected;
  const named = name === undefined ? `every ${kind}` : (name ?? `a ${kind} without a name`);
  return provider === undefined
    ? named
    : `${named} of ${provider === null ? "a provider that was not recorded" : provider}`;
}

/** That terms select turns, where they name a tool or model. */
const SelectionNote: FC<{ readonly model: ToolsModel; readonly terms: readonly Term[] }> = ({
  model,
  terms,
}) => {
  const names = terms.some(({ key }) => key === "tool" || key === "model" || key === "call");
  if (model.selected === null && !names) return null;
  return (
    <p class="muted" data-selected>
      {model.selected === null
        ? `The filter selects turns. These are all ${model.kind} calls of these turns; each row has its own figures.`
        : `Only calls of ${calledText(model)}, in the turns that the filter selects.`}
    </p>
  );
};

const Total: FC<{ readonly model: ToolsModel }> = ({ model }) => {
  const { total, turns_counted: turns } = model;
  return (
    <Tiles label={`Calls of ${calledText(model)}`}>
      <Tile
        name="Calls"
        more={
          <span>
            {model.selected === null ? "" : `of ${calledText(model)}, `}in{" "}
            {countedText(turns, "turn")}
          </span>
        }
      >
        {countText(total.calls)}
      </Tile>
      <Tile name="Failed" more={countedText(failedOf(total.outcomes), "call")}>
        {rateText(failedOf(total.outcomes), total.calls)}
      </Tile>
      <Tile name="Median" more="of the known durations">
        <Duration ms={total.p50_ms} />
      </Tile>
      <Tile
        name="p95"
        more={
          total.duration_unknown === 0
            ? "of every call"
            : `${countText(total.duration_unknown)} of unknown duration`
        }
      >
        <Duration ms={total.p95_ms} />
      </Tile>
    </Tiles>
  );
};

const outcomeColumns = {
  tool: [
    ["failed", "Failed", "Ended in error, or the provider did"],
    ["empty", "Empty", "Succeeded without a result"],
    ["degraded", "Degraded", "A usable result with limitations"],
    ["fallback", "Fallback", "A usable result by another way"],
    ["unknown", "Unknown", "How it ended was not recorded"],
  ],
  model: [
    ["failed", "Failed", "Ended in error"],
    ["partial", "Partial", "Ended before it was whole"],
    ["started", "Open", "Began, and no end was recorded"],
    ["unknown", "Unknown", "How it ended was not recorded"],
  ],
} as const;

const times = [
  ["p50_ms", "p50"],
  ["p95_ms", "p95"],
  ["p99_ms", "p99"],
] as const;

const sortable: ReadonlySet<string> = new Set([
  "failed",
  "empty",
  "degraded",
  "fallback",
  "unknown",
]);

const Calls: FC<{
  readonly model: ToolsModel;
  readonly context: PageContext;
  readonly terms: readonly Term[];
}> = ({ model, context, terms }) => {
  const { kind, by, items, groups } = model;
  const word = fieldWord(kind, by);
  const at = { path: hrefOf(context, "/tools"), query: context.query };
  const head = (field: string, name: string, title?: string): Child => (
    <SortHead
      field={field}
      heading={name}
      at={at}
      class="num"
      {...(title === undefined ? {} : { title })}
    />
  );
  const pending = pendingText(model.pending_frames);
  return (
    <Card
      title={`Calls by ${word.toLowerCase()}`}
      icon={kind}
      flush
      end={<ListEnd context={context}>{countText(groups)}</ListEnd>}
    >
      <Table
        stacks
        label={`Calls by ${word.toLowerCase()}`}
        head={
          <>
            <th scope="col">{word}</th>
            {head("calls", "Calls")}
            {outcomeColumns[kind].map(([field, name, title]) =>
              sortable.has(field) ? (
                head(field, name, title)
              ) : (
                <th scope="col" class="num" title={title}>
                  {name}
                </th>
              ),
            )}
            {times.map(([field, name]) => head(field, name))}
            <th scope="col" title="Calls over time, failed ones in red; above them p95 as a line">
              Over time
            </th>
          </>
        }
      >
        {items.map((row) => (
          <Row row={row} model={model} context={context} terms={terms} />
        ))}
      </Table>
      {items.length === groups ? null : (
        <p class="muted padded">
          The first {countText(items.length)} of {countText(groups)}.
        </p>
      )}
      {pending === undefined ? null : (
        <p class="muted padded" data-pending>
          {pending}
        </p>
      )}
    </Card>
  );
};

const Row: FC<{
  readonly row: CallRow;
  readonly model: ToolsModel;
  readonly context: PageContext;
  readonly terms: readonly Term[];
}> = ({ row, model, context, terms }) => {
  const { kind, by } = model;
  const href = (outcome?: string): string | undefined =>
    turnsHref(context, terms, { value: row.value, kind, by, outcome });
  return (
    <tr>
      <td>
        {row.value === null ? (
          <NotThere why={`no ${fieldWord(kind, by).toLowerCase()} was recorded`} />
        ) : (
          <Linked href={href()} row>
            {row.value}
          </Linked>
        )}
      </td>
      <td data-head="Calls" class="num">
        <Linked href={href()}>{countText(row.calls)}</Linked>
      </td>
      {outcomeColumns[kind].map(([field, name]) => (
        <td data-head={name} class="num">
          <Outcome of={row} field={field} name={name} href={href(field)} />
        </td>
      ))}
      {times.map(([field, name]) => (
        <td data-head={name} class="num">
          <Duration ms={row[field]} />
        </td>
      ))}
      <td data-head="Over time">
        <OverTime row={row} model={model} context={context} terms={terms} />
      </td>
    </tr>
  );
};

/**
 * Calls and p95 over time; leads to the chart of these calls alone, with the value of each
 * interval.
 */
const OverTime: FC<{
  readonly row: CallRow;
  readonly model: ToolsModel;
  readonly context: PageContext;
  readonly terms: readonly Term[];
}> = ({ row, model, context, terms }) => {
  const spark = <CallSpark slices={row.slices} frame={model.frame} />;
  const term = rowTerm(row.value, model);
  if (term === undefined || terms.some((one) => sameTerm(one, term))) return spark;
  const times = row.slices.flatMap(({ p95_ms: ms }) => ms ?? []);
  const range =
    times.length === 0
      ? "p95 over time"
      : `p95 over time, ${durationText(Math.min(...times))} to ${durationText(Math.max(...times))}`;
  return (
    <a
      href={`${hrefOf(context, "/tools")}${queryOf([...terms, term], context.query)}`}
      title={`${range}: the chart of ${row.value}`}
      data-over-time
    >
      {spark}
    </a>
  );
};

/** The term for the calls of a row; undefined where its value cannot be written. */
function rowTerm(value: string | null, { kind, by }: ToolsModel): Term | undefined {
  if (value === null || value.includes('"')) return undefined;
  if (by === "name") return { key: kind, value, negated: false };
  if (by !== "provider") return { key: by, value, negated: false };
  const call = callTerm({ kind, provider: value });
  return call === undefined ? undefined : { key: "call", value: call, negated: false };
}

const Linked: FC<{
  readonly href: string | undefined;
  readonly row?: boolean;
  readonly title?: string;
  readonly children?: Child;
}> = ({ href, row = false, title, children }) =>
  href === undefined ? (
    <>{children}</>
  ) : (
    <a href={href} title={title} {...(row ? { "data-row": true } : {})}>
      {children}
    </a>
  );

/** A share that leads to the turns with such a call. */
const Outcome: FC<{
  readonly of: CallSums;
  readonly field: string;
  readonly name: string;
  readonly href: string | undefined;
}> = ({ of, field, name, href }) => {
  const count = field === "failed" ? failedOf(of.outcomes) : (of.outcomes[field] ?? 0);
  if (count === 0) return <span class="muted">0 %</span>;
  const title = `${countText(count)} of ${countText(of.calls)} ${name.toLowerCase()}: their turns`;
  return (
    <Linked href={href} title={title}>
      {rateText(count, of.calls)}
    </Linked>
  );
};

/** The turns with such a call; undefined where its value cannot be written as a term. */
function turnsHref(
  context: PageContext,
  terms: readonly Term[],
  of: {
    readonly value: string | null;
    readonly kind: "tool" | "model";
    readonly by: ListedBy;
    readonly outcome: string | undefined;
  },
): string | undefined {
  const { value, kind, by, outcome } = of;
  const call: RequestedCall = {
    kind,
    ...(by === "name" ? { name: value } : by === "provider" ? { provider: value } : {}),
    ...(outcome === undefined ? {} : { outcome }),
  };
  const term = callTerm(call);
  const ofTurn = by === "release" || by === "agent";
  if (term === undefined || (ofTurn && (value === null || value.includes('"')))) return undefined;
  const requested = [
    ...terms,
    ...(ofTurn ? [{ key: by, value: value ?? "", negated: false }] : []),
    { key: "call", value: term, negated: false },
  ];
  return `${hrefOf(context, "/traces")}${queryOf(requested, new URLSearchParams())}`;
}
