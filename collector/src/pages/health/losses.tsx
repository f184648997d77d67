/**
 * @module Losses: each producer's account of its losses. Absent records cannot show a loss, so a
 * producer without a report is unknown, which is not zero.
 */
import type { ProducerLoss } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { processAdvice } from "./advice.ts";
import { knownText, nothingRead, nothingReceived, lossOf } from "./health-figures.ts";
import type { HealthModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Count, Id, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";

const icons = { ok: "success", bad: "failed", quiet: "unknown" } as const;
/** Producers shown at first; the others are one click away. */
const shownMax = 20;
const order = { lost: 0, unknown: 1, nothing_lost: 2 } as const;

/** The table of producers. */
export const LossCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const producers = model.producers.toSorted(
    (a, b) =>
      order[a.state] - order[b.state] ||
      (b.sequence_gaps ?? 0) - (a.sequence_gaps ?? 0) ||
      b.events - a.events,
  );
  const part = model.collector === null;
  const refusals = (model.range?.ingest?.refusals.length ?? 0) > 0;
  const silent = producers.filter(({ state }) => state === "unknown").length;
  return (
    <Card
      title="Telemetry loss"
      id="losses"
      icon="orphan"
      flush
      end={
        nothingReceived(model) ? "nothing received" : `in all: ${knownText(model.dropped_events)}`
      }
    >
      <div class="answer">
        <Answer model={model} silent={silent} />
      </div>
      {producers.length === 0 ? null : (
        <Table stacks label="Losses by producer" head={<Head />}>
          {producers.slice(0, shownMax).map((producer) => (
            <Producer of={producer} part={part} refusals={refusals} />
          ))}
        </Table>
      )}
      {producers.length > shownMax ? (
        <details class="more-producers">
          <summary>{countText(producers.length - shownMax)} more producers</summary>
          <Table stacks label="More losses by producer" head={<Head />}>
            {producers.slice(shownMax).map((producer) => (
              <Producer of={producer} part={part} refusals={refusals} />
            ))}
          </Table>
        </details>
      ) : null}
    </Card>
  );
};

const Head: FC = () => (
  <>
    <th scope="col">Producer</th>
    <th scope="col">Lost</th>
    <th scope="col">What to do</th>
    <th scope="col" class="num" title="Events of the producer in this window">
      Events read
    </th>
    <th
      scope="col"
      class="num"
      title="Sequence numbers missing, up to the last one that was read or reported"
    >
      Gaps
    </th>
    <th scope="col" class="num">
      Sampled out
    </th>
    <th scope="col" class="num">
      Write failures
    </th>
  </>
);

const lostText = (events: number): string =>
  events === 1 ? "1 event is" : `${countText(events)} events are`;

const Answer: FC<{ readonly model: HealthModel; readonly silent: number }> = ({
  model,
  silent,
}) => {
  const { producers, dropped_events: lost } = model;
  if (producers.length === 0 && nothingRead(model)) {
    return <>Unknown: no store could be read, so no producer's report was read.</>;
  }
  if (producers.length === 0) return <>No producer reported in this window.</>;
  const known = producers.reduce((sum, producer) => sum + (producer.lost ?? 0), 0);
  if (lost.value !== null) {
    return lost.value === 0 ? (
      <>No: every producer in this window accounted for all of its events.</>
    ) : (
      <>Yes: {lostText(lost.value)} known to be lost.</>
    );
  }
  return (
    <>
      {known > 0 ? `Yes: at least ${lostText(known)} known to be lost. ` : ""}
      {countText(silent)} of {countText(producers.length)}{" "}
      {producers.length === 1 ? "producer" : "producers"} cannot be accounted for, so the whole is
      unknown.
    </>
  );
};

const Producer: FC<{
  readonly of: ProducerLoss;
  readonly part: boolean;
  readonly refusals: boolean;
}> = ({ of, part, refusals }) => {
  const { tone, word, why } = lossOf(of, part);
  return (
    <tr>
      <td>
        <Service of={of} />
      </td>
      <td data-head="Lost" class="wide">
        <Badge tone={tone} icon={icons[tone]} word={word} /> <span class="muted">{why}</span>
      </td>
      <td data-head="What to do" class="advice wide">
        {processAdvice(of, { part, refusals })}
      </td>
      <td data-head="Events read" class="num">
        <Count of={of.events} />
      </td>
      <td data-head="Gaps" class="num">
        {of.sequence_gaps === null ? (
          <Unknown why="No sequence number of this producer was read." />
        ) : (
          <Count of={of.sequence_gaps} />
        )}
      </td>
      <td data-head="Sampled out" class="num">
        <Known of={of.sampled_out} />
      </td>
      <td data-head="Write failures" class="num">
        <Known of={of.write_failures} />
      </td>
    </tr>
  );
};

/** The service first, because a process id is random and means nothing to a reader. */
const Service: FC<{ readonly of: ProducerLoss }> = ({ of }) => {
  const { producer_id: id, application_ids: applications } = of;
  const [application, ...others] = applications;
  return (
    <>
      {application === undefined ? (
        <span class="muted">without a name</span>
      ) : (
        <b title={others.length === 0 ? undefined : `also for ${others.join(", ")}`}>
          {application}
        </b>
      )}
      {id === null ? null : (
        <>
          {" "}
          <Id of={id} chars={32} copy />
        </>
      )}
    </>
  );
};

const Known: FC<{ readonly of: number | null }> = ({ of }) =>
  of === null ? <Unknown why="The producer has not reported this counter." /> : <Count of={of} />;
