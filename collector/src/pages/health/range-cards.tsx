/**
 * @module RangeCards: health over the range of the page: at a glance, by service with what to do,
 * what was received and refused. Everything here is exact or shows what is unknown.
 */
import type { Child, FC } from "hono/jsx";

import type { PageContext } from "../../http/page-context.ts";
import {
  bytesText,
  countedText,
  countText,
  durationText,
  wordsOf,
} from "../../ui/display/figures.ts";
import { Count, Duration, Time, Unknown } from "../../ui/elements/figure.tsx";
import { Card, Fact, Facts, Note, Table, Tile, Tiles } from "../../ui/elements/panel.tsx";
import { rangedHref } from "../../ui/layout.tsx";
import { refusalText } from "./advice.ts";
import type { LostEvidence } from "../../turns/lost-evidence.ts";
import { ProducersCard } from "./producers-card.tsx";
import { ranked } from "./health-figures.ts";
import { RangeChart } from "./range-chart.tsx";
import type { IngestRange } from "./range-ingest.ts";
import type { RangeOrphans } from "./range-orphans.ts";
import type { HealthRange } from "./range.ts";

/** Health over the range. */
export const RangeCards: FC<{ readonly of: HealthRange | null; readonly context: PageContext }> = ({
  of,
  context,
}) =>
  of === null ? (
    <Note tone="bad">The turns of this range cannot be read: see the store below.</Note>
  ) : (
    <>
      <RangeTiles of={of} context={context} />
      <ProducersCard of={of} context={context} />
      {of.ingest === null ? null : (
        <>
          <ReceivedCard of={of.ingest} />
          <RefusedCard of={of.ingest} />
        </>
      )}
    </>
  );

const RangeTiles: FC<{ readonly of: HealthRange; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { ingest, unjudged } = of;
  const rows = of.producers;
  const lost = rows.reduce((sum, row) => sum + (row.lost ?? 0), 0);
  const open = rows.filter(({ lost_state: state }) => state !== "known").length;
  return (
    <Tiles label="In this range">
      <Tile
        name="turns"
        more={
          of.turns === 0 ? "none in this range" : <UnjudgedText of={unjudged} context={context} />
        }
      >
        <Count of={of.turns} />
      </Tile>
      <Tile
        name="events lost"
        more={
          rows.length === 0
            ? "no service in this range"
            : open === 0
              ? "all services reported counts"
              : `${countText(open)} of ${countText(rows.length)} services not known`
        }
      >
        {rows.length === 0 ? (
          <NoFigure />
        ) : rows.length === open && lost === 0 ? (
          <Unknown why="No service of this range accounted for its events." />
        ) : (
          `${open > 0 ? "≥ " : ""}${countText(lost)}`
        )}
      </Tile>
      <Tile
        name="turns a loss may concern"
        more={
          of.turns === 0 ? (
            "no turn in this range"
          ) : (
            <LostText of={of.lost_evidence} context={context} />
          )
        }
      >
        {of.turns === 0 ? (
          <NoFigure />
        ) : of.lost_evidence.turns_unknown === of.turns ? (
          <Unknown why="No turn of this range was judged with the reasons of its verdict." />
        ) : (
          `${of.lost_evidence.turns_unknown > 0 ? "≥ " : ""}${countText(of.lost_evidence.turns)}`
        )}
      </Tile>
      <OrphanTile of={of} context={context} />
      {ingest === null ? null : <IngestTiles of={ingest} />}
    </Tiles>
  );
};

/** Refusals that are shown; the others are in the JSON. */
const shownMax = 50;

/** A figure over nothing is no zero. */
export const NoFigure: FC = () => <span class="muted">–</span>;

const IngestTiles: FC<{ readonly of: IngestRange }> = ({ of }) => {
  const refused = sumOf(of.refused) + sumOf(of.rejected);
  const known = of.recorded !== null;
  const least = of.unrecorded.length > 0 ? "≥ " : "";
  const figure = (count: number): Child =>
    known ? `${least}${countText(count)}` : <Unknown why="Nothing of this range was recorded." />;
  return (
    <>
      <Tile
        name="items received"
        more={
          of.received_per_second === null
            ? "not recorded"
            : of.received === 0 && of.unrecorded.length === 0
              ? "none in this range"
              : of.received === 0
                ? "nothing received while it ran"
                : `${rateText(of.received_per_second)} a second while it ran`
        }
      >
        {figure(of.received)}
      </Tile>
      <Tile name="items refused" more="and rejected, by code below">
        {figure(refused)}
      </Tile>
      {known && of.received === 0 && of.peaks?.judge_behind_ms === null ? (
        <Tile name="judge behind" more="nothing received to judge">
          <NoFigure />
        </Tile>
      ) : (
        <Tile name="judge behind" more="longest delay after a turn was due">
          <Duration
            ms={of.peaks?.judge_behind_ms}
            why="No judge has kept a mark since the start, or nothing of this range was recorded."
          />
        </Tile>
      )}
    </>
  );
};

const UnjudgedText: FC<{ readonly of: HealthRange["unjudged"]; readonly context: PageContext }> = ({
  of,
  context,
}) =>
  of.turns === 0 ? (
    <>all of them judged</>
  ) : (
    <>
      <a href={rangedHref(context, "/traces?q=verdict%3Aunjudged")}>
        {countText(of.turns)} not judged
      </a>
      {of.oldest_received_at === null ? null : (
        <>
          , the oldest since <Time at={of.oldest_received_at} form="daytime" />
        </>
      )}
    </>
  );

const LostText: FC<{ readonly of: LostEvidence; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { turns, turns_unknown: unknown } = of;
  const open = unknown === 0 ? "" : `${countText(unknown)} not known`;
  if (turns === 0) return <>{open === "" ? "no verdict names a loss" : open}</>;
  return (
    <>
      <a href={rangedHref(context, "/traces?q=has%3Alost")}>show them</a>
      {open === "" ? "" : `, ${open}`}
    </>
  );
};

const OrphanTile: FC<{ readonly of: HealthRange; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  const { ingest, orphans } = of;
  return (
    <Tile
      name="orphan spans"
      more={
        of.turns === 0 ? (
          "no turn in this range"
        ) : orphans === null && ingest !== null ? (
          "the spans cannot be read"
        ) : (
          <OrphansText of={orphans} context={context} />
        )
      }
    >
      {of.turns === 0 ? (
        <NoFigure />
      ) : orphans === null ? (
        <Unknown
          why={
            ingest === null
              ? "You read a part of each trace; a parent may be in the other part."
              : "The spans cannot be read."
          }
        />
      ) : orphans.turns_known === 0 && orphans.turns_arriving > 0 ? (
        <Unknown why="All turns received something in the last minute; a parent may still arrive." />
      ) : orphans.turns_known === 0 && orphans.turns_unknown > 0 ? (
        <Unknown why="No turn of this range was recorded with the number of its orphans." />
      ) : (
        `${orphans.complete && orphans.turns_unknown === 0 ? "" : "≥ "}${countText(orphans.spans)}`
      )}
    </Tile>
  );
};

const OrphansText: FC<{ readonly of: RangeOrphans | null; readonly context: PageContext }> = ({
  of,
  context,
}) => {
  if (of === null) return <>not for a part of a trace</>;
  const { turns, turns_arriving: arriving, turns_known: known, turns_unknown: unknown } = of;
  if (known === 0 && arriving > 0) return <>{countedText(arriving, "turn")} still arriving</>;
  const others = [
    unknown === 0 ? [] : `${countText(unknown)} not known`,
    arriving === 0 ? [] : `${countText(arriving)} still arriving`,
  ].flat();
  if (turns === 0) {
    return <>{[known === 0 ? [] : "every parent is there", others].flat(2).join(", ")}</>;
  }
  return (
    <>
      in{" "}
      <a href={rangedHref(context, "/traces?q=has%3Aorphan")}>
        {countText(turns)} {turns === 1 ? "turn" : "turns"}
      </a>
      {others.map((text) => `, ${text}`)}
    </>
  );
};

function rateText(perSecond: number): string {
  return perSecond >= 100 ? countText(Math.round(perSecond)) : perSecond.toPrecision(2);
}

function sumOf(counts: { readonly [name: string]: number }): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

const ReceivedCard: FC<{ readonly of: IngestRange }> = ({ of }) => (
  <Card title="Received in this range" id="received" icon="clock" end="in full minutes">
    <RangeChart of={of} />
    <Facts>
      <Fact name="not recorded">
        <Unrecorded of={of} />
      </Fact>
      <Fact name="stored">
        <Count of={of.stored} /> items · <Count of={of.quarantined} /> set aside ·{" "}
        <Count of={of.lost} /> lost to damage
      </Fact>
      <Fact name="journal, highest reading">
        {of.peaks === null ? (
          <Unknown why="Nothing of this range was recorded." />
        ) : (
          <>
            {bytesText(of.peaks.journal_bytes)} · <Count of={of.peaks.pending_items} /> items
            waiting, the oldest for {durationText(of.peaks.oldest_pending_ms)}
          </>
        )}
      </Fact>
      <Fact name="attributes left out">
        <Reasons of={of.dropped_attributes} />
      </Fact>
    </Facts>
  </Card>
);

/** Most gaps that are listed. */
const gapsMax = 4;

const Unrecorded: FC<{ readonly of: IngestRange }> = ({ of: { unrecorded: gaps } }) =>
  gaps.length === 0 ? (
    <>nothing: every minute is recorded, or the collector was off</>
  ) : (
    <>
      {gaps.slice(0, gapsMax).map(({ from, to }, index) => (
        <>
          {index === 0 ? "" : ", "}
          {from === null ? (
            "before "
          ) : (
            <>
              <Time at={from} form="daytime" /> to{" "}
            </>
          )}
          <Time at={to} form="daytime" />
        </>
      ))}
      {gaps.length > gapsMax ? `, and ${countText(gaps.length - gapsMax)} more times` : ""}. Counts
      of these times are unknown.
    </>
  );

const Reasons: FC<{ readonly of: Readonly<Record<string, number>> }> = ({ of }) => {
  const rows = ranked(of);
  return rows.length === 0 ? (
    <>none</>
  ) : (
    <span class="reasons">
      {rows.map(([code, count]) => (
        <span class="reason">
          {wordsOf(code)} <b>{countText(count)}</b>
        </span>
      ))}
    </span>
  );
};

const RefusedCard: FC<{ readonly of: IngestRange }> = ({ of: { refusals } }) => (
  <Card
    title="Refused in this range"
    id="refused"
    icon="blocking"
    flush
    end={`${countText(refusals.length)} ${refusals.length === 1 ? "row" : "rows"}`}
  >
    {refusals.length === 0 ? (
      <p class="muted padded">No request and no item was refused in the recorded time.</p>
    ) : (
      <Table
        label="Refusals by sender and code"
        head={
          <>
            <th scope="col">Sender</th>
            <th scope="col">Code</th>
            <th scope="col" class="num">
              Requests
            </th>
            <th scope="col" class="num">
              Items
            </th>
            <th scope="col">What to do</th>
          </>
        }
      >
        {refusals.slice(0, shownMax).map(({ sender, code, requests, items }) => (
          <tr>
            <td>{sender ?? <span class="muted">no valid token</span>}</td>
            <td>{wordsOf(code)}</td>
            <td class="num">
              <Count of={requests} />
            </td>
            <td class="num">
              <Count of={items} />
            </td>
            <td class="advice">{refusalText(code)}</td>
          </tr>
        ))}
      </Table>
    )}
  </Card>
);
