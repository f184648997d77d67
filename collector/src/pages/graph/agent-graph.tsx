/**
 * @module AgentGraph: agents and what they use, as boxes with curves between them. The table beside
 * it has the same numbers; the drawing is one picture for a screen reader.
 */
import type { FC } from "hono/jsx";

import { countedText, durationText } from "../../ui/display/figures.ts";
import { graphLayout } from "../../ui/display/graph-layout.ts";
import type { DrawnGraph, GraphLine, GraphNode } from "../../ui/display/graph-layout.ts";
import { rateText } from "../../ui/display/share-texts.ts";
import type { GraphEdge } from "../../ui/display/agent-graph.ts";

/** Lengths of a drawing in pixels. */
interface Size {
  readonly width: number;
  readonly box: { readonly width: number; readonly height: number };
  /** Most characters of a name. */
  readonly nameMax: number;
  /** Figures of a box in one line, or in two. */
  readonly lines: 1 | 2;
}

const sizes = {
  wide: { width: 900, box: { width: 285, height: 38 }, nameMax: 28, lines: 1 },
  narrow: { width: 580, box: { width: 190, height: 54 }, nameMax: 24, lines: 2 },
} as const satisfies Readonly<Record<string, Size>>;
/** Space below a box. */
const gap = 8;
/** Share of failed calls from which a connection is dashed. */
export const failingShare = 0.05;
/** Space on the left of the agents where they call each other. */
const callsWidth = { wide: 64, narrow: 40 } as const;

/** Number of agents and used things that are not drawn. */
export function leftOf(graph: DrawnGraph): number {
  return graphLayout(graph, 1).left;
}

/** The drawing, for a wide window and for a narrow one; the style shows one of them. */
export const AgentGraph: FC<{ readonly graph: DrawnGraph }> = ({ graph }) => (
  <>
    <Drawing graph={graph} name="wide" />
    <Drawing graph={graph} name="narrow" />
  </>
);

const Drawing: FC<{
  readonly graph: DrawnGraph;
  readonly name: keyof typeof sizes;
}> = ({ graph, name }) => {
  const size: Size = sizes[name];
  const { width, box } = size;
  const { agents, used, lines, height } = graphLayout(graph, box.height + gap);
  const left = lines.some(({ between }) => between) ? callsWidth[name] : 0;
  const whole = width + left;
  return (
    <svg
      class={`agent-graph ${name}`}
      viewBox={`${-left} 0 ${whole} ${height}`}
      width={whole}
      height={height}
      role="img"
      aria-label={`${countedText(agents.length, "agent")}, and tools, models and others that they use: ${used.length}; the table below has each connection`}
      focusable="false"
    >
      {left === 0 ? null : <Arrow name={name} />}
      {lines.map((line) =>
        line.between ? (
          <Between of={line} name={name} left={left} />
        ) : (
          <Line of={line} size={size} />
        ),
      )}
      {agents.map((node) => (
        <Box of={node} x={0} size={size} caller />
      ))}
      {used.map((node) => (
        <Box of={node} x={width - box.width} size={size} />
      ))}
    </svg>
  );
};

const Line: FC<{ readonly of: GraphLine; readonly size: Size }> = ({
  of: { edge, fromY, toY, wide },
  size: { width, box },
}) => {
  const [from, to] = [box.width, width - box.width];
  const bend = (to - from) / 2;
  return (
    <path
      class={isFailing(edge) ? "edge failed" : "edge"}
      {...endsOf(edge)}
      d={`M${from} ${fromY}C${from + bend} ${fromY} ${to - bend} ${toY} ${to} ${toY}`}
      stroke-width={width === sizes.wide.width ? wide : Math.max(1, wide / 2)}
    >
      <title>{edgeText(edge)}</title>
    </path>
  );
};

/** Head of the arrow to an agent that is called. */
const Arrow: FC<{ readonly name: keyof typeof sizes }> = ({ name }) => (
  <marker
    id={`called-${name}`}
    viewBox="0 0 8 8"
    refX="8"
    refY="4"
    markerWidth="8"
    markerHeight="8"
    markerUnits="userSpaceOnUse"
    orient="auto"
  >
    <path class="head" d="M0 0L8 4L0 8z" />
  </marker>
);

/** A call from one agent to another, or to itself, around the left of their boxes. */
const Between: FC<{
  readonly of: GraphLine;
  readonly name: keyof typeof sizes;
  readonly left: number;
}> = ({ of: { edge, fromY, toY, wide }, name, left }) => {
  // Ends beside the middle of a box, so that the ways there and back are apart.
  const [start, end] = [fromY + 7, toY - 7];
  const far = Math.min(left * 1.2, 24 + Math.abs(end - start) / 4);
  return (
    <path
      class={isFailing(edge) ? "edge failed" : "edge"}
      {...endsOf(edge)}
      d={`M0 ${start}C${-far} ${start} ${-far} ${end} 0 ${end}`}
      stroke-width={Math.max(1, wide / 2)}
      marker-end={`url(#called-${name})`}
    >
      <title>{edgeText(edge)}</title>
    </path>
  );
};

/** Both ends of a connection, by which the browser module finds it. */
function endsOf({ agent_id: agent, kind, name }: GraphEdge): Readonly<Record<string, string>> {
  return { "data-from": agent ?? "", "data-to": `${kind} ${name ?? ""}` };
}

/** A few failures among many calls are in the figures; the eye is led to what fails often. */
function isFailing({ failed, calls }: GraphEdge): boolean {
  return failed > 0 && failed >= calls * failingShare;
}

function edgeText({ agent_id: agent, name, kind, calls, failed, p95_ms: p95 }: GraphEdge): string {
  const took = p95 === null ? "" : `, p95 ${durationText(p95)}`;
  const counted = countedText(calls, kind === "memory" ? "turn" : "call");
  const bad = `${rateText(failed, calls)} ${badWord(kind)}`;
  return `${agent ?? "not recorded"} → ${name ?? "not recorded"}: ${counted}, ${bad}${took}`;
}

/** What is counted as bad of a thing that is used. */
function badWord(kind: GraphNode["kind"]): string {
  return kind === "memory" ? "degraded" : "failed";
}

const Box: FC<{
  readonly of: GraphNode;
  readonly x: number;
  readonly size: Size;
  /** An agent on the left, which uses the others. */
  readonly caller?: boolean;
}> = ({ of, x, size: { box, nameMax, lines }, caller = false }) => {
  const name = of.name ?? "not recorded";
  const shown = name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name;
  const unit = of.kind === "memory" || caller ? "turn" : "call";
  // A turn with an error can still deliver: it did not fail.
  const bad = caller ? "with errors" : badWord(of.kind);
  const took = of.p95_ms === null ? [] : [`p95 ${durationText(of.p95_ms)}`];
  const figures = [countedText(of.count, unit), `${rateText(of.bad, of.count)} ${bad}`, ...took];
  const [counted = "", share = ""] = figures;
  const rows = lines === 1 ? [figures] : [[counted, ...took], [share]];
  const inset = lines === 1 ? 10 : 7;
  const top = of.y - box.height / 2 + 16;
  return (
    <g
      class={`node ${of.kind}`}
      data-node={caller ? (of.name ?? "") : `${of.kind} ${of.name ?? ""}`}
    >
      <title>{name}</title>
      <rect
        x={x + 0.5}
        y={of.y - box.height / 2}
        width={box.width - 1}
        height={box.height}
        rx="5"
      />
      <text class="name" x={x + inset} y={top}>
        {shown}
      </text>
      {/* The colour of a box is not the only sign of its kind. */}
      {caller || of.kind === name ? null : (
        <text
          class="figures"
          x={x + box.width - inset}
          y={lines === 1 ? top : top + 30}
          text-anchor="end"
        >
          {of.kind}
        </text>
      )}
      {rows.map((row, at) => (
        <text class="figures" x={x + inset} y={top + 15 * (at + 1)}>
          {row.join(" · ")}
        </text>
      ))}
    </g>
  );
};
