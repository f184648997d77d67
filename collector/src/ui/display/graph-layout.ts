/**
 * @module GraphLayout: places of the agents and of what they use: agents on the left, tools, models
 * and memory on the right, each in the order of its calls. Calls between agents are curves on the
 * left of their boxes; a called agent without turns of its own in the graph is on the right.
 */
import type { AgentGraph, GraphEdge, GraphKind, GraphUsed } from "./agent-graph.ts";

/** A box of the drawing; lengths are pixels. */
export interface GraphNode {
  readonly kind: GraphKind | "agent";
  readonly name: string | null;
  /** Turns of an agent; calls of anything else. */
  readonly count: number;
  /** Turns of an agent with an error; failed calls; turns with degraded memory. */
  readonly bad: number;
  readonly p95_ms: number | null;
  readonly y: number;
}

/** A curve between two boxes. */
export interface GraphLine {
  readonly edge: GraphEdge;
  readonly fromY: number;
  readonly toY: number;
  /** True where both boxes are on the left. */
  readonly between: boolean;
  /** Width of the curve, 1.5 to 12, by the square root of its calls. */
  readonly wide: number;
}

/** The drawing. */
export interface GraphLayout {
  readonly agents: readonly GraphNode[];
  readonly used: readonly GraphNode[];
  readonly lines: readonly GraphLine[];
  readonly height: number;
  /** Agents and used things that are not drawn; the table has them. */
  readonly left: number;
}

const agentsMax = 12;
const usedMax = 24;
const kinds: readonly GraphKind[] = ["tool", "model", "agent", "memory"];

/** What of a graph is drawn. */
export type DrawnGraph = Pick<AgentGraph, "agents" | "edges" | "used">;

/** The places of a graph. `rowHeight`: height of a box with the space below it. */
export function graphLayout({ agents, edges, used }: DrawnGraph, rowHeight: number): GraphLayout {
  const drawnAgents = agents.slice(0, agentsMax);
  const agentAt = new Map(drawnAgents.map(({ agent_id: id }, at) => [id, at]));
  const agentIds = new Set(agents.map(({ agent_id: id }) => id));
  const isAgent = ({ kind, name }: GraphUsed): boolean => kind === "agent" && agentIds.has(name);
  const ordered = used
    .filter((one) => !isAgent(one))
    .toSorted((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const drawnUsed = ordered.slice(0, usedMax);
  const usedAt = new Map(drawnUsed.map((one, at) => [keyOf(one), at]));
  const most = Math.max(1, ...edges.map(({ calls }) => calls));
  const rows = Math.max(drawnAgents.length, drawnUsed.length);
  const middle = (at: number, of: number): number =>
    (at + 0.5) * ((rows * rowHeight) / Math.max(of, 1));
  const place = (at: number, of: number): number => Number(middle(at, of).toFixed(1));
  return {
    agents: drawnAgents.map(({ agent_id: name, turns, errors, p95_ms }, at) => ({
      kind: "agent",
      name,
      count: turns,
      bad: errors,
      p95_ms,
      y: place(at, drawnAgents.length),
    })),
    used: drawnUsed.map(({ kind, name, calls, failed, p95_ms }, at) => ({
      kind,
      name,
      count: calls,
      bad: failed,
      p95_ms,
      y: place(at, drawnUsed.length),
    })),
    lines: edges.flatMap((edge) => {
      const between = isAgent(edge);
      const [from, to] = [
        agentAt.get(edge.agent_id),
        between ? agentAt.get(edge.name) : usedAt.get(keyOf(edge)),
      ];
      if (from === undefined || to === undefined) return [];
      return [
        {
          edge,
          fromY: place(from, drawnAgents.length),
          toY: place(to, between ? drawnAgents.length : drawnUsed.length),
          between,
          wide: Number((1.5 + 10.5 * Math.sqrt(edge.calls / most)).toFixed(1)),
        },
      ];
    }),
    height: rows * rowHeight,
    left: agents.length - drawnAgents.length + ordered.length - drawnUsed.length,
  };
}

function keyOf({ kind, name }: GraphUsed): string {
  return `${kind} ${name ?? ""}`;
}
