/**
 * @module TrendChart: the trend of turns, in bands of one chart: verdicts, durations, tools with a
 * limitation or a failure, tokens. A new release is a line through all of them. Unknown values are
 * hatched, and absent ones left empty. A brush over it filters by time.
 */
import type { FC } from "hono/jsx";

import { countText, durationText, shareText, shortCountText, shortId } from "../display/figures.ts";
import { tokensPerTurn, troubledShare, verdictTexts } from "../display/trend.ts";
import type { ReleaseTrend, Trend, TrendFigures, TrendSlice } from "../display/trend.ts";
import { VerdictBadge } from "./badge.tsx";
import { BandChart, unknownMark } from "./band-chart.tsx";
import type { ChartBand, BandMark } from "./band-chart.tsx";
import { elsewhereText, turnsText } from "./time-figure.tsx";

const footHeight = 16;

/** The chart; nothing is drawn without a turn. */
export const TrendChart: FC<{ readonly trend: Trend; readonly extent: string }> = ({
  trend,
  extent,
}) => {
  const { slices, releases } = trend;
  const [first, last] = [slices[0], slices.at(-1)];
  if (first === undefined || last === undefined) return <></>;
  const drawn = slices.reduce((sum, { turns }) => sum + turns, 0);
  const text = `${turnsText(drawn)} over time ${extent}`;
  return (
    <>
      <Legend trend={trend} />
      <BandChart
        slices={slices}
        bands={bandsOf(slices)}
        words={{
          name: "trend",
          label: `${text}: ${verdictsText(trend)}`,
          readout: text + elsewhereText(trend.turns, drawn),
          counted: ({ turns }) => turns,
          slice: sliceText,
        }}
        footHeight={newReleases(releases).length > 0 ? footHeight : 0}
        over={(height) => (
          <ReleaseLines releases={releases} span={[first.from_ms, last.to_ms]} height={height} />
        )}
      />
    </>
  );
};

/** Number of turns by verdict, with the colour of each. */
const Legend: FC<{ readonly trend: Trend }> = ({ trend: { verdicts, releases } }) => (
  <p class="trend-legend">
    {verdictTexts.map((verdict) => {
      const count = verdicts[verdict] ?? 0;
      return count === 0 ? null : (
        <span>
          <svg width="12" height="12" aria-hidden="true" focusable="false">
            <rect class={fillOf(verdict)} x="0.5" y="0.5" width="11" height="11" />
          </svg>
          <VerdictBadge verdict={verdict} /> {countText(count)}
        </span>
      );
    })}
    {newReleases(releases).length > 0 ? (
      <span>
        <svg width="12" height="12" aria-hidden="true" focusable="false">
          <line class="release" x1="6" x2="6" y1="0" y2="12" />
        </svg>
        a release appears
      </span>
    ) : null}
  </p>
);

function fillOf(verdict: string): string {
  return verdict === "unknown" ? "unknown-fill" : `verdict ${verdict}`;
}

/** Releases that began in this window: not the one with which it begins. */
function newReleases(releases: readonly ReleaseTrend[]): readonly ReleaseTrend[] {
  const first = releases.reduce((least, { first_ms: ms }) => Math.min(least, ms), Infinity);
  return releases.filter(({ release, first_ms: ms }) => release !== null && ms > first);
}

function bandsOf(slices: readonly TrendSlice[]): readonly ChartBand<TrendSlice>[] {
  const most = (of: (slice: TrendSlice) => number | null): number =>
    slices.reduce((max, slice) => Math.max(max, of(slice) ?? 0), 0);
  const turns = most((slice) => slice.turns);
  const lasting = most((slice) => slice.p95_ms);
  const troubled = most(troubledShare);
  const tokens = most(tokensPerTurn);
  return [
    {
      title: `Verdicts, up to ${turnsText(turns)}`,
      height: 56,
      marks: (slice) => verdictMarks(slice, turns),
    },
    {
      title: lasting === 0 ? "Duration" : `Duration, median to p95, up to ${durationText(lasting)}`,
      height: 36,
      marks: ({ turns: own, p50_ms: low, p95_ms: high }) =>
        own === 0 ? [] : durationMarks(low, high, lasting, 36),
    },
    {
      title:
        troubled === 0
          ? "Tools with a fallback, a limit or a failure: none"
          : `Tools with a fallback, a limit or a failure, up to ${shareText(troubled, 1)}`,
      height: 24,
      marks: (slice) => {
        const share = troubledShare(slice);
        if (share === null || share === 0) return [];
        return [{ tone: "troubled", from: 0, to: part(share, troubled) }];
      },
    },
    {
      title:
        tokens === 0
          ? "Tokens a turn"
          : `Tokens a turn, up to ${shortCountText(Math.round(tokens))}`,
      height: 24,
      marks: (slice) => {
        if (slice.turns === 0) return [];
        const each = tokensPerTurn(slice);
        return each === null
          ? [unknownMark(24)]
          : [{ tone: "range", from: 0, to: part(each, tokens) }];
      },
    },
  ];
}

/** Height of a value relative to the greatest, which may be zero. */
function part(value: number, most: number): number {
  return most === 0 ? 0 : value / most;
}

function verdictMarks(slice: TrendSlice, most: number): readonly BandMark[] {
  let below = 0;
  return verdictTexts.flatMap((verdict) => {
    const count = slice.verdicts[verdict] ?? 0;
    if (count === 0) return [];
    const from = below;
    below += part(count, most);
    return [{ tone: fillOf(verdict), from, to: below }];
  });
}

/** From the median to the p95, with a line at the median; both in milliseconds. */
function durationMarks(
  low: number | null,
  high: number | null,
  most: number,
  height: number,
): readonly BandMark[] {
  if (low === null || high === null) return [unknownMark(height)];
  const from = part(low, most);
  return [
    { tone: "range", from, to: part(high, most) },
    { tone: "half", from, to: from },
  ];
}

/** Width that a name needs; of releases closer together only the first is named. */
const namedShare = 0.2;
const nameCharsMax = 16;

const ReleaseLines: FC<{
  readonly releases: readonly ReleaseTrend[];
  readonly span: readonly [number, number];
  readonly height: number;
}> = ({ releases, span: [from, to], height }) => {
  let named = -namedShare;
  return (
    <>
      {newReleases(releases).map(({ release, first_ms: at }) => {
        const share = (at - from) / (to - from);
        const x = `${(share * 100).toFixed(3)}%`;
        const fits = share - named >= namedShare;
        if (fits) named = share;
        const side = share > 0.5 ? { dx: "-4", "text-anchor": "end" } : { dx: "4" };
        return (
          <>
            <line class="release" x1={x} x2={x} y1="0" y2={String(height)} />
            {fits ? (
              <text class="band" x={x} y={String(height - 3)} {...side}>
                {shortId(release ?? "", nameCharsMax)}
              </text>
            ) : null}
          </>
        );
      })}
    </>
  );
};

/** Turns by verdict in words, without verdicts that no turn has. */
function verdictsText({ verdicts }: TrendFigures): string {
  return verdictTexts
    .flatMap((verdict) => {
      const count = verdicts[verdict] ?? 0;
      return count === 0 ? [] : [`${countText(count)} ${verdict}`];
    })
    .join(", ");
}

/** A slice in words, for its tooltip. */
function sliceText(slice: TrendSlice): string {
  if (slice.turns === 0) return turnsText(0);
  const { p50_ms: half, p95_ms: p95, duration_unknown: unknown } = slice;
  const troubled = slice.tool_limited + slice.tool_failed;
  const tokens = tokensPerTurn(slice);
  return [
    `${turnsText(slice.turns)}: ${verdictsText(slice)}`,
    half === null || p95 === null
      ? "duration unknown"
      : `median ${durationText(half)}, p95 ${durationText(p95)}` +
        (unknown === 0 ? "" : ` (${countText(unknown)} unknown)`),
    ...(troubled === 0
      ? []
      : [`${countText(troubled)} of ${countText(slice.tool_results)} tool results not clean`]),
    ...(tokens === null
      ? []
      : [
          `${slice.tokens_partial ? "at least " : ""}` +
            `${shortCountText(Math.round(tokens))} tokens a turn`,
        ]),
  ].join("; ");
}
