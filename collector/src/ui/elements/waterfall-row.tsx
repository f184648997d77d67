/**
 * @module WaterfallRow: one row of the tree grid, drawn by the server for the first rows and by
 * the browser for the visible ones. An unknown value is hatched, never absent.
 */
import type { WaterfallNode } from "@turnproof/evidence";
import type { FC } from "hono/jsx";

import { durationText, shortId } from "../display/figures.ts";
import { nodeFlags, nodeTexts, rowSummary } from "../display/row-summary.ts";
import type { RowFlag } from "../display/row-summary.ts";
import { typicalText } from "../display/typical-call.ts";
import type { TypicalCall } from "../display/typical-call.ts";
import type { TimeScale } from "../display/time-scale.ts";
import type { WaterfallRow as Row } from "../display/waterfall-rows.ts";
import { Icon } from "../icons.tsx";
import type { IconName } from "../icons.tsx";
import { PriorityBadge, StatusBadge } from "./badge.tsx";
import { LevelIndent, LevelNumeral } from "./level.tsx";
import { Twist, treeRowAttributes } from "./tree-row.tsx";
import type { TreeRowState } from "./tree-row.tsx";

/** Present state of a row in the grid. */
export interface RowState extends TreeRowState {
  readonly scale: TimeScale;
  /** True when highlighting is on and the row is not on the critical path or in a chosen lane. */
  readonly dimmed: boolean;
  /** True for a row that the search found. */
  readonly found?: boolean;
  /** Priority of the most urgent finding with this row, if any. */
  readonly priority: number | undefined;
  /** How long the row's tool usually takes, if that is known. */
  readonly typical?: TypicalCall | undefined;
}

const laneIcons: { readonly [lane: string]: IconName } = {
  memory: "memory",
  model: "model",
  tool: "tool",
  host: "host",
  artifact: "artifact",
  delivery: "delivery",
  error: "failed",
};

const kindIcons: { readonly [kind: string]: IconName } = {
  turn: "turns",
  intent: "intent",
  contract: "contract",
  cache_decision: "cache",
  context_binding: "link",
  outcome: "outcome",
  feedback: "outcome",
};

/** One row of the tree grid. */
export const WaterfallRow: FC<{ readonly row: Row; readonly state: RowState }> = ({
  row,
  state,
}) => {
  const { node } = row;
  const lane = row.kind === "node" ? (node?.lane ?? "host") : row.kind;
  const classes = ["wf-row", `lane-${lane}`, state.dimmed ? "dim" : ""].filter(Boolean).join(" ");
  return (
    <div
      class={classes}
      {...treeRowAttributes(row, state)}
      data-event={node?.event_id}
      data-found={state.found}
      aria-label={rowSummary(row, state)}
    >
      <div class="wf-name" role="rowheader">
        <LevelIndent level={row.level} />
        <Twist row={row} collapsed={state.collapsed} />
        <LevelNumeral level={row.level} />
        {node === undefined ? <BareName row={row} /> : <NodeName node={node} state={state} />}
        {state.collapsed && row.descendants > 0 ? (
          <span class="held">+{row.descendants}</span>
        ) : null}
      </div>
      <div class="wf-figure num" role="gridcell">
        {node === undefined ? (
          <BareFigure row={row} />
        ) : (
          <NodeDuration node={node} typical={state.typical} />
        )}
      </div>
      <div class="wf-time" role="gridcell" aria-label={timeTexts(row, state.typical)}>
        <TimeCell row={row} scale={state.scale} typical={state.typical} />
      </div>
    </div>
  );
};

/** Information of the bar beside the duration: its start, and the usual duration beside it. */
function timeTexts({ startMs }: Row, typical: TypicalCall | undefined): string {
  const start = startMs === null ? "start unknown" : `from ${durationText(startMs)}`;
  return typical === undefined ? start : `${start}, ${usualTexts(typical)}`;
}

function usualTexts({ p50_ms: half }: TypicalCall): string {
  return `usually ${durationText(half)}`;
}

const BareName: FC<{ readonly row: Row }> = ({ row }) =>
  row.kind === "missing" ? (
    <>
      <Icon name="orphan" />
      <span class="what">missing parent</span>
      <code class="id" title={row.missingId}>
        {shortId(row.missingId ?? "", 20)}
      </code>
    </>
  ) : (
    <>
      <Icon name="turns" />
      <span class="what">{row.identity?.agent_id ?? "structure"}</span>
      <code class="id" title={row.identity?.turn_id}>
        {shortId(row.identity?.turn_id ?? row.identity?.thread_id ?? "no turn id", 20)}
      </code>
    </>
  );

const BareFigure: FC<{ readonly row: Row }> = ({ row }) =>
  row.kind === "missing" || row.startMs === null || row.endMs === null ? (
    <span class="muted" title="Nothing is known of it but its id.">
      <span aria-hidden="true">?</span>
      <span class="sr">unknown duration</span>
    </span>
  ) : (
    <>{durationText(row.endMs - row.startMs)}</>
  );

const NodeName: FC<{ readonly node: WaterfallNode; readonly state: RowState }> = ({
  node,
  state,
}) => {
  const { name, kind } = nodeTexts(node);
  const icon =
    (node.lane === "error" ? "failed" : kindIcons[node.event_kind]) ?? laneIcons[node.lane];
  return (
    <>
      <Icon name={icon ?? "host"} />
      <span class="what" title={name}>
        {name}
      </span>
      {name === kind ? null : <span class="kind">{kind}</span>}
      {state.priority === undefined ? null : <PriorityBadge priority={state.priority} />}
      {node.status === "success" || node.status === "unknown" ? null : (
        <StatusBadge status={node.status} bare />
      )}
      <Flags node={node} />
    </>
  );
};

const flagIcons: { readonly [flag in RowFlag]: IconName } = {
  missing_cause: "orphan",
  cycle: "cycle",
  remote_parent: "remote",
  parent_elsewhere: "link",
  clock_skewed: "clock",
  no_end: "running",
};

const Flags: FC<{ readonly node: WaterfallNode }> = ({ node }) => (
  <>
    {nodeFlags(node).map(([flag, word, title]) => (
      <span class="flag" title={title}>
        <Icon name={flagIcons[flag]} />
        {word}
      </span>
    ))}
  </>
);

const NodeDuration: FC<{
  readonly node: WaterfallNode;
  readonly typical: TypicalCall | undefined;
}> = ({ node, typical }) => {
  if (node.timing === "instantaneous") {
    return (
      <span class="muted" title="A point in time.">
        point
      </span>
    );
  }
  if (node.duration_ms === null) {
    return (
      <span class="unknown" title="The duration is unknown.">
        <span aria-hidden="true">?</span>
        <span class="sr">unknown duration</span>
      </span>
    );
  }
  const text = durationText(node.duration_ms);
  return typical === undefined ? <>{text}</> : <span title={typicalText(typical)}>{text}</span>;
};

const percent = (place: number): string => `${Number((place * 100).toFixed(3))}%`;

const TimeCell: FC<{
  readonly row: Row;
  readonly scale: TimeScale;
  readonly typical: TypicalCall | undefined;
}> = ({ row, scale, typical }) => {
  const { node } = row;
  const critical = node?.critical === true ? " critical" : "";
  return (
    <svg width="100%" height="100%" aria-hidden="true" focusable="false">
      {scale.tears.map((tear) => (
        <line class="tear" x1={percent(tear)} x2={percent(tear)} y1="0" y2="100%" />
      ))}
      <Mark row={row} scale={scale} critical={critical} />
      {typical === undefined || row.startMs === null ? null : (
        <Usual row={row} from={row.startMs} scale={scale} typical={typical} />
      )}
    </svg>
  );
};

const Mark: FC<{ readonly row: Row; readonly scale: TimeScale; readonly critical: string }> = ({
  row,
  scale,
  critical,
}) => {
  const { startMs, endMs, node } = row;
  if (row.kind === "missing") {
    return <rect class="wf-hollow" x="0.5" y="7.5" width="99.8%" height="13" rx="3" />;
  }
  if (startMs === null && endMs === null) return <Hatched x="0%" width="100%" />;
  if (node?.timing === "instantaneous") {
    const x = percent(scale.place(startMs ?? endMs ?? 0));
    return (
      <svg class={`wf-point${critical}`} x={x} y="50%" width="1" height="1" overflow="visible">
        <path d="M0-5 5 0 0 5-5 0Z" />
      </svg>
    );
  }
  if (startMs === null) return <Hatched x="0%" width={percent(scale.place(endMs ?? 0))} />;
  const from = scale.place(startMs);
  if (endMs === null)
    return <Hatched x={percent(from)} width={percent(Math.max(0.02, 1 - from))} />;
  const to = scale.place(Math.max(endMs, startMs));
  const x = percent(from);
  return (
    <g class={`wf-bar${critical}`}>
      <rect x={x} y="30%" width="2" height="40%" rx="1" />
      <rect x={x} y="30%" width={percent(to - from)} height="40%" rx="2" />
    </g>
  );
};

/** Most of the width that a bar may take so that a word has room after it. */
const wordFrom = 0.72;

/**
 * Below the bar: a tick where the tool is usually done, and a line from there to its p95. Beside
 * both, the usual duration in words.
 */
const Usual: FC<{
  readonly row: Row;
  readonly from: number;
  readonly scale: TimeScale;
  readonly typical: TypicalCall;
}> = ({ row, from, scale, typical }) => {
  const { p50_ms: half, p95_ms: most } = typical;
  const [x1, x2] = [percent(scale.place(from + half)), percent(scale.place(from + most))];
  const [start, end] = [scale.place(from), scale.place(Math.max(row.endMs ?? from, from + most))];
  // After the bar, else before it; over the end of a bar that leaves no room.
  const after = end <= wordFrom;
  const before = !after && start >= 1 - wordFrom;
  return (
    <g class="wf-usual">
      <line x1={x1} x2={x2} y1="80%" y2="80%" />
      <line x1={x1} x2={x1} y1="20%" y2="88%" />
      <svg
        x={percent(after ? end : before ? start : 1)}
        y="50%"
        width="1"
        height="1"
        overflow="visible"
      >
        <text x={after ? "6" : "-6"} y="4" text-anchor={after ? "start" : "end"}>
          {usualTexts(typical)}
        </text>
      </svg>
    </g>
  );
};

const Hatched: FC<{ readonly x: string; readonly width: string }> = ({ x, width }) => (
  <>
    <rect class="unknown-fill" x={x} y="28%" width={width} height="44%" rx="2" />
    <svg x={x} y="50%" width={width} height="1" overflow="visible">
      <text class="unknown-mark" x="50%" y="3.5" text-anchor="middle">
        ?
      </text>
    </svg>
  </>
);
