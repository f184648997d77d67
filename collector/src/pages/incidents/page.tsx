/** @module Incidents page: what went wrong, by priority and turns; each leads to its turns. */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { incidentsMax } from "../../turns/incidents.ts";
import type { FailedCall, Incident } from "../../turns/incidents.ts";
import { countedText, countText } from "../../ui/display/figures.ts";
import { queryOf, readTerms, termsOf } from "../../ui/display/filter-terms.ts";
import { reasonText, verdictReasonText } from "../../ui/display/kind-texts.ts";
import { pendingText } from "../../ui/display/window-texts.ts";
import { PriorityBadge } from "../../ui/elements/badge.tsx";
import { CallSpark } from "../../ui/elements/call-spark.tsx";
import { Duration, NotThere, Time } from "../../ui/elements/figure.tsx";
import { Card, Empty, Table } from "../../ui/elements/panel.tsx";
import { SortHead } from "../../ui/elements/sort-head.tsx";
import { SlicesChart } from "./slices-chart.tsx";
import { turnsText } from "../../ui/elements/time-figure.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { FilteredPage } from "../../ui/groups/filtered-page.tsx";
import { NoRows } from "../../ui/groups/no-rows.tsx";
import { IncidentTabs } from "../../ui/groups/incident-tabs.tsx";
import { Icon } from "../../ui/icons.tsx";
import { hrefOf, hrefWith, rangedHref } from "../../ui/layout.tsx";
import type { LostEvidence } from "../../turns/lost-evidence.ts";
import type { IncidentsModel } from "./route.ts";
import { pageAddress } from "../../ui/display/page-address.ts";

const orderTexts = "P0 first; in each priority, the incident with the most turns first";

/** The incidents. */
export function incidentsPage(model: IncidentsModel, context: PageContext): Child {
  return (
    <FilteredPage
      context={context}
      title="Incidents"
      script="incidents"
      tabs={<IncidentTabs context={context} here="incidents" />}
    >
      <SlicesChart
        slices={model.slices.map(({ from_ms, turns, turns_wrong }) => ({
          from_ms,
          counted: turns,
          part: turns_wrong,
        }))}
        frame={model.frame}
        of={model.turns}
        words={{ counted: turnsText, part: "went wrong" }}
      />
      {model.turns === 0 ? (
        <NoRows context={context} title="No turns here" icon="incidents">
          Incidents show as soon as turns arrive.
        </NoRows>
      ) : model.incidents === 0 ? (
        <Empty title="Nothing went wrong" icon="success">
          <p>
            None of {countText(model.turns)} turns has a finding, an error, lost evidence, or a call
            that failed or was answered by a fallback or with limits.
          </p>
        </Empty>
      ) : (
        <List model={model} context={context} />
      )}
      <Reach model={model} context={context} />
    </FilteredPage>
  );
}

const List: FC<{ readonly model: IncidentsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const at = { path: hrefOf(context, context.path), query: context.query, usual: "priority" };
  return (
    <Card
      title="What went wrong"
      icon="warning"
      id="incidents"
      flush
      end={<ListEnd context={context}>{shownText(model, context.query.has("sort"))}</ListEnd>}
    >
      <Table
        stacks
        label="Incidents"
        head={
          <>
            <SortHead field="priority" heading="Priority" at={at} title={orderTexts} />
            <th scope="col">What</th>
            <SortHead field="agent_id" heading="Where" at={at} rising />
            <SortHead field="turns" heading="Turns" at={at} class="num" />
            <SortHead
              field="tenants"
              heading="Tenants"
              at={at}
              class="num"
              title="Distinct tenants, the anonymous as one"
            />
            <SortHead field="first_at" heading="First" at={at} />
            <SortHead field="last_at" heading="Last" at={at} />
            <th scope="col" class="minor" title="Its turns over the whole time">
              Over time
            </th>
            <th scope="col">A typical turn</th>
          </>
        }
      >
        {model.items.map((incident) => (
          <Row of={incident} model={model} context={context} />
        ))}
      </Table>
    </Card>
  );
};

const Row: FC<{
  readonly of: Incident;
  readonly model: IncidentsModel;
  readonly context: PageContext;
}> = ({ of, model, context }) => {
  const href = turnsHref(context, of);
  return (
    <tr>
      <td>
        <PriorityBadge priority={of.priority} />
      </td>
      <What of={of} href={href} />
      <td data-head="Where" class="incident-what wide">
        {of.agents > 1 ? (
          `${countText(of.agents)} agents`
        ) : of.agent_id === null ? (
          <NotThere why="no agent was recorded" />
        ) : (
          of.agent_id
        )}
        {of.releases.length === 0 ? null : (
          <span class="muted">
            {of.releases
              .map(({ release, turns }) =>
                turns === of.turns
                  ? `release ${release}`
                  : `${countText(turns)} of release ${release}`,
              )
              .join(", ")}
          </span>
        )}
      </td>
      <td data-head="Turns" class="num">
        {countText(of.turns)}
      </td>
      <td data-head="Tenants" class="num">
        {countText(of.tenants)}
      </td>
      <td data-head="First">
        <Time at={of.first_at} form="daytime" />
      </td>
      <td data-head="Last">
        <Time at={of.last_at} form="daytime" />
      </td>
      <td data-head="Over time" class="minor">
        <CallSpark
          slices={of.slices.map(({ from_ms, turns }) => ({ from_ms, calls: turns, failed: 0 }))}
          frame={model.frame}
          unit="turns"
        />
      </td>
      <td data-head="A typical turn">
        {of.typical === null ? (
          <NotThere why="no root was recorded" />
        ) : (
          <a href={hrefOf(context, pageAddress("traces", of.typical.root_trace_id))}>
            <code class="id">{of.typical.root_trace_id.slice(0, 8)}</code>
          </a>
        )}
      </td>
    </tr>
  );
};

/** The cause, with how many of the turns behind its link count here. */
const What: FC<{ readonly of: Incident; readonly href: string | undefined }> = ({ of, href }) => {
  const call = of.call_failed;
  const listed = href === undefined ? undefined : listedText(of);
  return (
    <td class="incident-what">
      {href === undefined ? (
        <b>{causeText(of)}</b>
      ) : (
        <a href={href} data-row>
          {causeText(of)}
        </a>
      )}
      {listed === undefined ? null : (
        <span class="muted" data-listed>
          {listed}
        </span>
      )}
      {of.scattered ? (
        <span class="muted" title="At most two turns of an agent are near each other.">
          Scattered turns
        </span>
      ) : null}
      {call === null ? null : <span class="muted">{callText(call)}</span>}
    </td>
  );
};

/** What went wrong, in words. */
function causeText({ kind, name, call, names }: Incident): string {
  const several = `${countText(names)} ${call === "model" ? "models" : "tools"}`;
  const named = names > 1 ? several : (name ?? `a ${call ?? "call"} without a name`);
  switch (kind) {
    case "finding":
      return reasonText(name ?? "");
    case "failed_call":
      return `${named} failed`;
    case "error":
      return "Error without a failed call";
    case "evidence":
      return name === null ? "Evidence lost or missing" : verdictReasonText(name);
    case "limited_call":
      return `${named}: fallback or limited`;
  }
}

/** Number of turns that the link lists, where no terms select those of the incident alone. */
function listedText({ turns, q_turns: listed }: Incident): string | undefined {
  if (listed === null || listed === turns) return undefined;
  return `The link lists ${countText(listed)} turns, those of other rows included.`;
}

function shownText({ items, incidents, skipped }: IncidentsModel, sorted: boolean): string {
  const all = countText(incidents);
  const from = countText(Math.min(skipped + 1, incidents));
  const shown =
    items.length === incidents ? all : `${from} to ${countText(skipped + items.length)} of ${all}`;
  return sorted ? shown : `${shown}, by priority, then turns`;
}

function callText({ name, error_type: type, outcome, calls }: FailedCall): string {
  const how = type ?? (outcome ?? "unknown").replaceAll("_", " ");
  return `${name ?? "a call"}: ${how}, ${countText(calls)} ${calls === 1 ? "call" : "calls"}`;
}

/** The turns of an incident, inside the filters of the page. */
function turnsHref(context: PageContext, { q }: Incident): string | undefined {
  if (q === null) return undefined;
  const own = readTerms(q).terms;
  const bounded = new Set(["after", "before"]);
  const requested = [...termsOf(context.query).filter(({ key }) => !bounded.has(key)), ...own];
  return `${hrefOf(context, "/traces")}${queryOf(requested, new URLSearchParams())}`;
}

const Reach: FC<{ readonly model: IncidentsModel; readonly context: PageContext }> = ({
  model,
  context,
}) => {
  const pending = pendingText(model.pending_frames);
  const { pause_ms: pause, incidents, turns, turns_wrong: wrong, turns_left: left } = model;
  const read = model.turns_read;
  const next = model.skipped + model.items.length;
  return (
    <footer class="window" data-window>
      {incidents === 0 ? null : (
        <span>
          {countText(wrong)} of {countedText(turns, "turn")} went wrong;{" "}
          {read < wrong ? `the newest ${countText(read)} were read; ` : ""}
          each is in one incident, under its most urgent cause.{" "}
          {context.query.has("sort") ? "" : `${orderTexts}. `}A pause of more than{" "}
          <Duration ms={pause} /> ends an incident. Scattered turns of one cause are one row: at
          most two of an agent are near each other.
          <LostText of={model.lost_evidence} context={context} /> Telemetry that was lost is on{" "}
          <a href={rangedHref(context, "/traces/health")}>Health</a>.
        </span>
      )}
      {pending === undefined ? null : <span data-pending>{pending}</span>}
      {model.skipped === 0 && left === 0 ? null : (
        <span class="end">
          {model.skipped === 0 ? null : (
            <a
              class="button"
              href={hrefWith(context, { skip: before(model.skipped) })}
              data-newer
              data-control="page newer"
            >
              Previous
            </a>
          )}
          {left === 0 ? null : (
            <a
              class="button"
              href={hrefWith(context, { skip: String(next) })}
              data-older
              data-control="page older"
            >
              Next: {countText(incidents - next)} with {countedText(left, "turn")}{" "}
              <Icon name="more" />
            </a>
          )}
        </span>
      )}
    </footer>
  );
};

/** The turns that a loss may concern, of which those with a more urgent cause are in other rows. */
const LostText: FC<{ readonly of: LostEvidence; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { turns, turns_unknown: unknown } = of;
  if (turns + unknown === 0) return null;
  const terms = [...termsOf(context.query), { key: "has", value: "lost", negated: false }];
  const href = `${hrefOf(context, "/traces")}${queryOf(terms, new URLSearchParams())}`;
  const open = unknown === 0 ? "" : `, of ${countText(unknown)} it is not known`;
  return (
    <>
      {" "}
      Evidence was lost while <a href={href}>{countedText(turns, "turn")}</a>{" "}
      {turns === 1 ? "was" : "were"} open{open}.
    </>
  );
};

/** Where the page before begins; the first page is the address without a place. */
function before(skipped: number): string | null {
  const at = skipped - incidentsMax;
  return at <= 0 ? null : String(at);
}
