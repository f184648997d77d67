/**
 * @module TrendChart: the trend of turns, in bands of one chart: verdicts, durations, tools with a
 * limitation or a failure, tokens. A new release is a line through all of them. Unknown values are
 * hatched, and absent ones left empty. A brush over it filters by time.
 */
import type { FC } from "hono/jsx";

import { countText, durationText, shareText, shortCountText, shortId } from "../display/figures.ts";
import { tokensPerTurn, troubledShare, verdictWords } from "../display/trend.ts";
import type { ReleaseTrend, Trend, TrendFigures, TrendSlice } from "../display/trend.ts";
import { VerdictBadge } from "./badge.tsx";
import { ColumnPaths } from "./column-paths.tsx";
import type { ColumnBar } from "./column-paths.tsx";
import { TimeFigure, elsewhereText, turnsText } from "./time-figure.tsx";

/** One band: its name with the value of a full bar, its height, and the bars of a slice. */
interface Band {
  readonly title: string;
  readonly height: number;
  readonly bars: (slice: TrendSlice, box: Box) => readonly ColumnBar[];
}

/** Position of a slice in a band. */
interface Box {
  readonly column: number;
  readonly top: number;
  readonly height: number;
}

const titleHeight = 16;
const gap = 8;
const unknownHeight = 7;

/** The chart; nothing is drawn without a turn. */
export const TrendChart: FC<{ readonly trend: Trend; readonly extent: string }> = ({
  trend,
  extent,
}) => {
  const { slices, releases } = trend;
  const [first, last] = [slices[0], slices.at(-1)];
  if (first === undefined || last === undefined) return <></>;
  const drawn = slices.reduce((sum, { turns }) => sum + turns, 0);
  const bands = bandsOf(slices);
  const tops = bands.map((_, index) =>
    bands.slice(0, index).reduce((sum, { height }) => sum + titleHeight + height + gap, 0),
  );
  const bandsHeight = bands.reduce((sum, band) => sum + titleHeight + band.height + gap, 0) - gap;
  const height = bandsHeight + (newReleases(releases).length > 0 ? titleHeight : 0);
  const words = `${turnsText(drawn)} over time ${extent}`;
  const figure = (
    <TimeFigure
      class="trend"
      fromMs={first.from_ms}
      toMs={last.to_ms}
      height={height}
      label={`${words}: ${verdictsText(trend)}`}
      readout={words + elsewhereText(trend.turns, drawn)}
    >
      {bands.map(({ title }, index) => (
        <text class="band" x="0" y={String((tops[index] ?? 0) + 11)}>
          {title}
        </text>
      ))}
      <Bars slices={slices} bands={bands} tops={tops} height={bandsHeight} />
      {tops.map((top, index) => {
        const y = String(top + titleHeight + (bands[index]?.height ?? 0) + 0.5);
        return <line class="floor" x1="0" x2="100%" y1={y} y2={y} />;
      })}
      <ReleaseLines releases={releases} span={[first.from_ms, last.to_ms]} height={height} />
    </TimeFigure>
  );
  return (
    <>
      <Legend trend={trend} />
      {figure}
    </>
  );
};

/** The bars, and what the pointer and the keys find of each slice. */
const Bars: FC<{
  readonly slices: readonly TrendSlice[];
  readonly bands: readonly Band[];
  readonly tops: readonly number[];
  readonly height: number;
}> = ({ slices, bands, tops, height }) => {
  const bars = slices.flatMap((slice, column) =>
    slice.turns === 0
      ? []
      : bands.flatMap((band, index) =>
          band.bars(slice, {
            column,
            top: (tops[index] ?? 0) + titleHeight,
            height: band.height,
          }),
        ),
  );
  const slot = 100 / slices.length;
  return (
    <>
      <ColumnPaths
        bars={bars.filter(({ fill }) => fill !== unknownFill)}
        columns={slices.length}
        height={height}
      />
      {slices.map((slice, at) => (
        <g
          data-from={String(slice.from_ms)}
          data-turns={String(slice.turns)}
          data-words={sliceText(slice)}
        >
          {/* Stretched, the hatching would be uneven. */}
          {bars
            .filter(({ fill, column }) => fill === unknownFill && column === at)
            .map((bar) => (
              <rect
                class={unknownFill}
                x={`${(at * slot + slot * 0.1).toFixed(3)}%`}
                width={`${(slot * 0.8).toFixed(3)}%`}
                y={bar.top.toFixed(2)}
                height={bar.height.toFixed(2)}
              />
            ))}
        </g>
      ))}
    </>
  );
};

/** Number of turns by verdict, with the colour of each. */
const Legend: FC<{ readonly trend: Trend }> = ({ trend: { verdicts, releases } }) => (
  <p class="trend-legend">
    {verdictWords.map((verdict) => {
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

const unknownFill = "unknown-fill";

function fillOf(verdict: string): string {
  return verdict === "unknown" ? unknownFill : `verdict ${verdict}`;
}

/** Releases that began in this window: not the one with which it begins. */
function newReleases(releases: readonly ReleaseTrend[]): readonly ReleaseTrend[] {
  const first = releases.reduce((least, { first_ms: ms }) => Math.min(least, ms), Infinity);
  return releases.filter(({ release, first_ms: ms }) => release !== null && ms > first);
}

function bandsOf(slices: readonly TrendSlice[]): readonly Band[] {
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
      bars: (slice, box) => verdictBars(slice, box, turns),
    },
    {
      title: lasting === 0 ? "Duration" : `Duration, median to p95, up to ${durationText(lasting)}`,
      height: 36,
      bars: ({ p50_ms: low, p95_ms: high }, box) =>
        low === null || high === null
          ? unknownBar(box)
          : rangeBars(box, part(low, lasting), part(high, lasting)),
    },
    {
      title:
        troubled === 0
          ? "Tools with a fallback, a limit or a failure: none"
          : `Tools with a fallback, a limit or a failure, up to ${shareText(troubled, 1)}`,
      height: 24,
      bars: (slice, box) => {
        const share = troubledShare(slice);
        return share === null || share === 0 ? [] : oneBar(box, part(share, troubled), "troubled");
      },
    },
    {
      title:
        tokens === 0
          ? "Tokens a turn"
          : `Tokens a turn, up to ${shortCountText(Math.round(tokens))}`,
      height: 24,
      bars: (slice, box) => {
        const each = tokensPerTurn(slice);
        return each === null ? unknownBar(box) : oneBar(box, part(each, tokens), "range");
      },
    },
  ];
}

/** Height of a value relative to the greatest, which may be zero. */
function part(value: number, most: number): number {
  return most === 0 ? 0 : value / most;
}

/** Verdicts of a slice, one on the other. */
function verdictBars(slice: TrendSlice, box: Box, most: number): readonly ColumnBar[] {
  let y = box.top + box.height;
  return verdictWords.flatMap((verdict) => {
    const count = slice.verdicts[verdict] ?? 0;
    if (count === 0) return [];
    // One failed turn among thousands must be visible.
    const height = Math.max(2, (count * box.height) / most);
    y -= height;
    return [{ column: box.column, top: Math.max(y, box.top), height, fill: fillOf(verdict) }];
  });
}

/** From the lower value to the higher, with a line at the lower. */
function rangeBars(box: Box, low: number, high: number): readonly ColumnBar[] {
  const { column } = box;
  const top = box.top + box.height * (1 - high);
  const middle = box.top + box.height * (1 - low);
  const height = Math.max(2, middle - top);
  const y = Math.min(top, box.top + box.height - height);
  return [
    { column, top: y, height, fill: "range" },
    { column, top: y + height - 2, height: 2, fill: "half" },
  ];
}

function oneBar({ column, top, height }: Box, share: number, fill: string): readonly ColumnBar[] {
  const tall = Math.max(2, height * share);
  return [{ column, top: top + height - tall, height: tall, fill }];
}

/** There were turns, without a recorded value. */
function unknownBar({ column, top, height }: Box): readonly ColumnBar[] {
  const y = top + height - unknownHeight;
  return [{ column, top: y, height: unknownHeight - 1, fill: unknownFill }];
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
  return verdictWords
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
    ...(tokens === null ? [] : [`${shortCountText(Math.round(tokens))} tokens a turn`]),
  ].join("; ");
}
