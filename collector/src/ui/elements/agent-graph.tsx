/**
 * @module AgentGraph: agents and what they use, as boxes with curves between them. The table beside
 * it has the same numbers; the drawing is one picture for a screen reader.
 */
import type { FC } from "hono/jsx";

import { countText, durationText } from "../display/figures.ts";
import { graphLayout } from "../display/graph-layout.ts";
import type { GraphLine, GraphNode } from "../display/graph-layout.ts";
import { rateText } from "../display/share-words.ts";
import type { AgentGraph as Graph } from "../display/agent-graph.ts";

const box = { width: 250, height: 38 } as const;
const width = 860;
const nameMax = 28;

/** The drawing. */
export const AgentGraph: FC<{ readonly graph: Pick<Graph, "agents" | "edges"> }> = ({ graph }) => {
  const { agents, used, lines, height } = graphLayout(graph);
  return (
    <svg
      class="agent-graph"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`${countText(agents.length)} agents and ${countText(used.length)} tools, models and memories that they use; the table below has each connection`}
      focusable="false"
    >
      {lines.map((line) => (
        <Line of={line} />
      ))}
      {agents.map((node) => (
        <Box of={node} x={0} />
      ))}
      {used.map((node) => (
        <Box of={node} x={width - box.width} />
      ))}
    </svg>
  );
};

const Line: FC<{ readonly of: GraphLine }> = ({ of: { edge, fromY, toY, wide } }) => {
  const [from, to] = [box.width, width - box.width];
  const bend = (to - from) / 2;
  const took = edge.p95_ms === null ? "" : `, p95 ${durationText(edge.p95_ms)}`;
  const what = edge.kind === "memory" ? "turns" : "calls";
  return (
    <path
      class={edge.failed > 0 ? "edge failed" : "edge"}
      d={`M${from} ${fromY}C${from + bend} ${fromY} ${to - bend} ${toY} ${to} ${toY}`}
      stroke-width={wide}
    >
      <title>
        {`${edge.agent_id ?? "not recorded"} → ${edge.name ?? "not recorded"}: ` +
          `${countText(edge.calls)} ${what}, ${rateText(edge.failed, edge.calls)} ${badWord(edge.kind)}${took}`}
      </title>
    </path>
  );
};

/** What is counted as bad of a kind. */
function badWord(kind: GraphNode["kind"]): string {
  return kind === "memory" ? "degraded" : "failed";
}

const Box: FC<{ readonly of: GraphNode; readonly x: number }> = ({ of, x }) => {
  const name = of.name ?? "not recorded";
  const shown = name.length > nameMax ? `${name.slice(0, nameMax - 1)}…` : name;
  const unit = of.kind === "agent" || of.kind === "memory" ? "turns" : "calls";
  const took = of.p95_ms === null ? "" : ` · p95 ${durationText(of.p95_ms)}`;
  return (
    <g class={`node ${of.kind}`}>
      <title>{name}</title>
      <rect
        x={x + 0.5}
        y={of.y - box.height / 2}
        width={box.width - 1}
        height={box.height}
        rx="5"
      />
      <text class="name" x={x + 10} y={of.y - 3}>
        {shown}
      </text>
      <text class="figures" x={x + 10} y={of.y + 12}>
        {`${countText(of.count)} ${unit} · ${rateText(of.failed, of.count)} ${badWord(of.kind)}${took}`}
      </text>
    </g>
  );
};
