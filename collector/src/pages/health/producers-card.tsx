/**
 * @module ProducersCard: a row for each service with turns, reports or items in a range, with what
 * to do. In a chosen range one for each of its processes, too: without one, they are in the card of
 * losses, with what their numbers show.
 */
import type { FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import { countText } from "../../ui/display/figures.ts";
import { termText } from "../../ui/display/filter-terms.ts";
import { requestedRange } from "../../ui/display/time-range.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Count, Id, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";
import { ListEnd } from "../../ui/groups/list-end.tsx";
import { rangedHref } from "../../ui/layout.tsx";
import type { ProcessRange, ProducerRange, ReportedLoss } from "./range-rows.ts";
import type { HealthRange } from "./range.ts";

/** Rows that are shown; the others are in the JSON. */
const shownMax = 50;

/** The services of the range. */
export const ProducersCard: FC<{ readonly of: HealthRange; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { producers: rows } = of;
  return (
    <Card
      title="Services in this range"
      id="services"
      icon="orphan"
      flush
      end={
        <ListEnd context={context}>
          {countText(rows.length)} {rows.length === 1 ? "service" : "services"}
        </ListEnd>
      }
    >
      {rows.length === 0 ? (
        <p class="muted padded">No service has a turn, a report or an item in this range.</p>
      ) : (
        <Table stacks label="Services in this range" head={<Heads />}>
          {rows.slice(0, shownMax).map((row) => (
            <Row of={row} context={context} />
          ))}
        </Table>
      )}
      {rows.length > shownMax ? (
        <p class="muted padded">and {countText(rows.length - shownMax)} more in the export</p>
      ) : null}
      {Object.keys(requestedRange(context.query)).length === 0 ? null : (
        <Processes of={of.processes} />
      )}
    </Card>
  );
};

/** Number of rows of processes up to which the table is open at first. */
const openMax = 20;

/** Every process of the range; one of a service's processes can lose while the others do not. */
const Processes: FC<{ readonly of: readonly ProcessRange[] }> = ({ of: rows }) => {
  if (rows.length === 0) return <></>;
  return (
    <details class="more-producers" open={rows.length <= openMax}>
      <summary>
        {countText(rows.length)} {rows.length === 1 ? "producer" : "producers"} of these services
      </summary>
      <Table stacks label="Producers in this range" head={<ProcessHeads />}>
        {rows.slice(0, processesMax).map((row) => (
          <Process of={row} />
        ))}
      </Table>
      {rows.length > processesMax ? (
        <p class="muted padded">and {countText(rows.length - processesMax)} more in the JSON</p>
      ) : null}
    </details>
  );
};

/** Most rows of processes on the page. */
const processesMax = 200;

const ReportHeads: FC = () => (
  <>
    <th scope="col" class="num">
      Sampled out
    </th>
    <th scope="col" class="num">
      Write failures
    </th>
    <th scope="col">Last report</th>
  </>
);

/** Figures of reports; `who` begins the reason for one that is unknown. */
const ReportCells: FC<{ readonly of: ReportedLoss; readonly who: string }> = ({ of, who }) => (
  <>
    <td data-head="Sampled out" class="num">
      <Count of={of.sampled_out} why={`${who} reported this.`} />
    </td>
    <td data-head="Write failures" class="num">
      <Count of={of.write_failures} why={`${who} reported this.`} />
    </td>
    <td data-head="Last report">
      {of.last_report_at === null ? (
        <Unknown why={`${who} reported.`} />
      ) : (
        <Time at={of.last_report_at} form="daytime" />
      )}
    </td>
  </>
);

const ProcessHeads: FC = () => (
  <>
    <th scope="col">Producer</th>
    <th scope="col">Lost</th>
    <th scope="col">What to do</th>
    <th scope="col" class="num" title="Turns with an event of the producer">
      Turns
    </th>
    <ReportHeads />
  </>
);

const Process: FC<{ readonly of: ProcessRange }> = ({ of }) => (
  <tr>
    <td>
      {of.service === null ? <span class="muted">without a name</span> : <b>{of.service}</b>}{" "}
      {of.producer_id === null ? null : <Id of={of.producer_id} chars={32} copy />}
    </td>
    <td data-head="Lost" class="lost">
      <ReportedLost of={of} />
    </td>
    <td data-head="What to do" class="advice wide">
      {of.what_to_do}
    </td>
    <td data-head="Turns" class="num">
      <Count of={of.turns} />
    </td>
    <ReportCells of={of} who="It never" />
  </tr>
);

const Heads: FC = () => (
  <>
    <th scope="col">Service</th>
    <th scope="col">Lost</th>
    <th scope="col">What to do</th>
    <th scope="col" class="num" title="Turns with an event of the service">
      Turns
    </th>
    <th scope="col" class="num" title="Items of the service that were made durable">
      Items
    </th>
    <ReportHeads />
  </>
);

const tones = { known: "ok", at_least: "warn", unknown: "quiet" } as const;

const Row: FC<{ readonly of: ProducerRange; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { service } = of;
  const term = service === null ? "" : termText({ key: "app", value: service, negated: false });
  return (
    <tr>
      <td>
        {service === null ? (
          <span class="muted">without a name</span>
        ) : (
          <a href={rangedHref(context, `/traces?q=${encodeURIComponent(term)}`)}>{service}</a>
        )}
      </td>
      <td data-head="Lost" class="lost">
        <ReportedLost of={of} />
      </td>
      <td data-head="What to do" class="advice wide">
        {of.what_to_do}
      </td>
      <td data-head="Turns" class="num">
        <Count of={of.turns} />
      </td>
      <td data-head="Items" class="num">
        <Count of={of.items} why="Not recorded for a principal that is bound to a tenant." />
      </td>
      <ReportCells of={of} who="No process of it" />
    </tr>
  );
};

/** What a service or a process reports to have lost. */
export const ReportedLost: FC<{ readonly of: Pick<ProducerRange, "lost" | "lost_state"> }> = ({
  of: { lost, lost_state: state },
}) => {
  if (lost === null) return <Badge tone="quiet" icon="unknown" word="unknown" />;
  const word = state === "known" ? `known ${countText(lost)}` : `at least ${countText(lost)}`;
  return lost > 0 ? (
    <Badge tone="bad" icon="failed" word={word} />
  ) : (
    <Badge tone={tones[state]} icon={state === "known" ? "success" : "unknown"} word={word} />
  );
};
