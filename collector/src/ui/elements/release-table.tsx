/**
 * @module ReleaseTable: figures of turns by release, in order of first appearance, with a link
 * that compares a release with the one before it.
 */
import { isoTime } from "@turnproof/semconv";
import type { FC } from "hono/jsx";

import { countText, shareText, shortCountText } from "../display/figures.ts";
import { queryOf, termText, termsOf } from "../display/filter-terms.ts";
import { tokensPerTurn } from "../display/trend.ts";
import type { ReleaseTrend, TrendFigures } from "../display/trend.ts";
import { Duration, NotMeasured, NotThere, Time } from "./figure.tsx";
import { Table } from "./panel.tsx";
import { turnsText } from "./time-figure.tsx";
import { VerdictCounts } from "./verdict-counts.tsx";

/** Base of the table's links. */
export interface ReleaseContext {
  /** Base path of the collector, without a slash at the end. */
  readonly base: string;
  /** Filters of the turns, as parameters of the list. */
  readonly filters: URLSearchParams;
}

/** The table; nothing without a release. */
export const ReleaseTable: FC<{
  readonly releases: readonly ReleaseTrend[];
  readonly place: ReleaseContext;
}> = ({ releases, place }) =>
  releases.length === 0 ? (
    <></>
  ) : (
    <Table stacks label="Turns by release" head={<Head />}>
      {releases.map((one, at) => (
        <Row of={one} before={releases.slice(0, at).findLast(isNamed)} place={place} />
      ))}
    </Table>
  );

const Head: FC = () => (
  <>
    <th scope="col">Release</th>
    <th scope="col">First seen</th>
    <th scope="col" class="num">
      Turns
    </th>
    <th scope="col">Verdicts</th>
    <th scope="col" class="num" title="Median of the known durations">
      Median
    </th>
    <th scope="col" class="num" title="95 % of the turns ended within">
      p95
    </th>
    <th scope="col" class="num" title="Results with a fallback, a limitation or a failure">
      Tools not clean
    </th>
    <th scope="col" class="num">
      Tokens a turn
    </th>
    <th scope="col" class="num">
      Cached
    </th>
    <th scope="col">Compare</th>
  </>
);

function isNamed({ release }: ReleaseTrend): boolean {
  return release !== null;
}

const Row: FC<{
  readonly of: ReleaseTrend;
  /** The release before it. */
  readonly before: ReleaseTrend | undefined;
  readonly place: ReleaseContext;
}> = ({ of, before, place: { base, filters } }) => {
  const { release } = of;
  const named = release === null ? [] : [{ key: "release", value: release, negated: false }];
  const turns = queryOf([...termsOf(filters), ...named], filters);
  return (
    <tr>
      <td>
        {release === null ? (
          <span class="muted">not recorded</span>
        ) : (
          <a href={`${base}/traces${turns}`} title="Turns of this release">
            <b>{release}</b>
          </a>
        )}
      </td>
      <td data-head="First seen">
        <Time at={isoTime(of.first_ms)} form="daytime" />
      </td>
      <td data-head="Turns" class="num">
        {countText(of.turns)}
      </td>
      <td data-head="Verdicts">
        <VerdictCounts of={of} />
      </td>
      <td data-head="Median" class="num">
        <Duration ms={of.p50_ms} />
      </td>
      <td data-head="p95" class="num">
        <Duration ms={of.p95_ms} />
      </td>
      <td data-head="Tools not clean" class="num">
        <NotClean of={of} />
      </td>
      <td data-head="Tokens a turn" class="num">
        <Tokens of={of} />
      </td>
      <td data-head="Cached" class="num">
        {of.cached_share === null ? (
          <NotMeasured short why="No turn has both its tokens and those from a cache." />
        ) : (
          shareText(of.cached_share, 1)
        )}
      </td>
      <td data-head="Compare">
        {release === null || typeof before?.release !== "string" ? (
          <NotThere why="no release before it in this window" />
        ) : (
          <a
            href={`${base}/traces/compare/releases?${comparedQuery(filters, before.release, release)}`}
            data-change
          >
            with {before.release}
          </a>
        )}
      </td>
    </tr>
  );
};

/** The filters with both releases as sides. */
function comparedQuery(filters: URLSearchParams, a: string, b: string): string {
  const query = new URLSearchParams(filters);
  for (const name of ["limit", "chart", "sort", "order", "cursor"]) query.delete(name);
  query.set("a", termText({ key: "release", value: a, negated: false }));
  query.set("b", termText({ key: "release", value: b, negated: false }));
  return query.toString();
}

const NotClean: FC<{ readonly of: TrendFigures }> = ({ of }) => {
  if (of.tool_results === 0) return <NotThere why="no tool result was recorded" />;
  const troubled = of.tool_limited + of.tool_failed;
  const title =
    `${countText(of.tool_limited)} with a fallback or a limitation and ` +
    `${countText(of.tool_failed)} failed of ${countText(of.tool_results)} results`;
  return <span title={title}>{shareText(troubled, of.tool_results)}</span>;
};

const Tokens: FC<{ readonly of: TrendFigures }> = ({ of }) => {
  const each = tokensPerTurn(of);
  if (each === null) return <NotMeasured short why="No model call reported its tokens." />;
  const withoutTokens = of.turns - of.tokens_turns;
  const least = of.tokens_partial;
  const title =
    (least ? "At least: some calls have not all of their counts. " : "") +
    (withoutTokens === 0 ? "" : `${turnsText(withoutTokens)} reported none.`);
  return (
    <span title={title === "" ? undefined : title}>
      {least ? "≥ " : ""}
      {shortCountText(Math.round(each))}
    </span>
  );
};
