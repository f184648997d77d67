/**
 * @module Losses: each producer's account of its losses, in one table: those of the newest rows
 * with what their numbers show, and those that the ledger has beside them. Absent records cannot
 * show a loss, so a producer without a report is unknown, which is not zero.
 */
import type { ProducerLoss } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { countText } from "../../ui/display/figures.ts";
import { processAdvice } from "./advice.ts";
import { knownText, nothingRead, nothingReceived, lossOf } from "./health-figures.ts";
import type { HealthModel } from "./route.ts";
import { Badge } from "../../ui/elements/badge.tsx";
import { Count, Id, NotThere, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Table } from "../../ui/elements/panel.tsx";
import { ReportedLost } from "./producers-card.tsx";
import type { ProcessRange } from "./range-rows.ts";

const icons = { ok: "success", bad: "failed", quiet: "unknown" } as const;
/** Producers shown at first; the others are one click away, up to a bound. */
const shownMax = 20;
const moreMax = 180;
const order = { lost: 0, unknown: 1, nothing_lost: 2 } as const;

/** A producer in the newest rows, in the turns of all time, or in both. */
interface ProducerRow {
  readonly read: ProducerLoss | undefined;
  readonly ranged: ProcessRange | undefined;
}

/** The producers, those with a loss first, then the unknown ones. */
function producerRows(model: HealthModel): readonly ProducerRow[] {
  const processes = model.range?.processes ?? [];
  const ranged = new Map(processes.map((one) => [one.producer_id, one]));
  const read = new Set(model.producers.map(({ producer_id: id }) => id));
  const rows: readonly ProducerRow[] = [
    ...model.producers.map((one) => ({ read: one, ranged: ranged.get(one.producer_id) })),
    ...processes.flatMap((one) =>
      read.has(one.producer_id) ? [] : [{ read: undefined, ranged: one }],
    ),
  ];
  return rows.toSorted(
    (a, b) =>
      order[stateOf(a)] - order[stateOf(b)] ||
      (b.read?.sequence_gaps ?? 0) - (a.read?.sequence_gaps ?? 0) ||
      (b.read?.events ?? 0) - (a.read?.events ?? 0) ||
      (b.ranged?.turns ?? 0) - (a.ranged?.turns ?? 0),
  );
}

function stateOf({ read, ranged }: ProducerRow): keyof typeof order {
  if (read !== undefined) return read.state;
  const lost = ranged?.lost ?? null;
  if (lost === null) return "unknown";
  return lost > 0 ? "lost" : ranged?.lost_state === "known" ? "nothing_lost" : "unknown";
}

/** The table of producers. */
export const LossCard: FC<{ readonly model: HealthModel }> = ({ model }) => {
  const rows = producerRows(model);
  const part = model.collector === null;
  const refusals = (model.range?.ingest?.refusals.length ?? 0) > 0;
  const silent = model.producers.filter(({ state }) => state === "unknown").length;
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
      {rows.length === 0 ? null : (
        <Table stacks label="Losses by producer" head={<Head />}>
          {rows.slice(0, shownMax).map((row) => (
            <Producer of={row} part={part} refusals={refusals} />
          ))}
        </Table>
      )}
      {rows.length > shownMax ? (
        <details class="more-producers">
          <summary>{countText(rows.length - shownMax)} more producers</summary>
          <Table stacks label="More losses by producer" head={<Head />}>
            {rows.slice(shownMax, shownMax + moreMax).map((row) => (
              <Producer of={row} part={part} refusals={refusals} />
            ))}
          </Table>
          {rows.length > shownMax + moreMax ? (
            <p class="muted padded">
              and {countText(rows.length - shownMax - moreMax)} more in the JSON
            </p>
          ) : null}
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
    <th scope="col" class="num minor" title="Turns with an event of the producer, of all time">
      Turns
    </th>
    <th scope="col" class="num" title="Events of the producer in the newest rows">
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
    <th scope="col" class="minor">
      Last report
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
    return <>Unknown: no evidence could be read, so no producer's report was read.</>;
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
  readonly of: ProducerRow;
  readonly part: boolean;
  readonly refusals: boolean;
}> = ({ of: { read, ranged }, part, refusals }) => {
  const none = <NotThere why="none of its events is in the newest rows" />;
  const service = ranged?.service ?? null;
  const reportedAt = ranged?.last_report_at ?? null;
  return (
    <tr>
      <td>
        <Service
          id={read === undefined ? (ranged?.producer_id ?? null) : read.producer_id}
          names={read?.application_ids ?? (service === null ? [] : [service])}
        />
      </td>
      <td data-head="Lost" class="lost wide">
        {read === undefined ? (
          ranged === undefined ? null : (
            <ReportedLost of={ranged} />
          )
        ) : (
          <Lost of={read} part={part} />
        )}
      </td>
      <td data-head="What to do" class="advice wide">
        {read === undefined ? ranged?.what_to_do : processAdvice(read, { part, refusals })}
      </td>
      <td data-head="Turns" class="num minor">
        <Count of={ranged?.turns ?? null} why="Its turns are not counted by producer here." />
      </td>
      <td data-head="Events read" class="num">
        {read === undefined ? none : <Count of={read.events} />}
      </td>
      <td data-head="Gaps" class="num">
        {read === undefined ? (
          none
        ) : read.sequence_gaps === null ? (
          <Unknown why="No sequence number of this producer was read." />
        ) : (
          <Count of={read.sequence_gaps} />
        )}
      </td>
      <td data-head="Sampled out" class="num">
        <Known of={read?.sampled_out ?? ranged?.sampled_out ?? null} />
      </td>
      <td data-head="Write failures" class="num">
        <Known of={read?.write_failures ?? ranged?.write_failures ?? null} />
      </td>
      <td data-head="Last report" class="minor">
        {reportedAt === null ? (
          <Unknown why="No report of it was read." />
        ) : (
          <Time at={reportedAt} form="daytime" />
        )}
      </td>
    </tr>
  );
};

const Lost: FC<{ readonly of: ProducerLoss; readonly part: boolean }> = ({ of, part }) => {
  const { tone, word, why } = lossOf(of, part);
  return (
    <>
      <Badge tone={tone} icon={icons[tone]} word={word} /> <span class="muted">{why}</span>
    </>
  );
};

/** The service first, because a process id is random and means nothing to a reader. */
const Service: FC<{ readonly id: string | null; readonly names: readonly string[] }> = ({
  id,
  names: [application, ...others],
}) => (
  <>
    {application === undefined ? (
      <span class="muted">without a name</span>
    ) : (
      <b title={others.length === 0 ? undefined : `also for ${others.join(", ")}`}>{application}</b>
    )}
    {id === null ? null : (
      <>
        {" "}
        <Id of={id} chars={32} copy />
      </>
    )}
  </>
);

const Known: FC<{ readonly of: number | null }> = ({ of }) =>
  of === null ? <Unknown why="The producer has not reported this counter." /> : <Count of={of} />;
