/**
 * @module AgentGraph: form of the graph of agents and what they use, as answers and pages have it.
 */
import type { NullableIdentity } from "@turnproof/semconv";

/** What an agent uses. */
export type GraphKind = "tool" | "model" | "agent" | "memory";

/** An agent and one thing that it uses. */
export interface GraphEdge extends NullableIdentity<"agent_id"> {
  readonly kind: GraphKind;
  readonly name: string | null;
  /** Calls of a tool, a model or another agent; turns that used memory. */
  readonly calls: number;
  /** Failed calls; turns whose memory was degraded. */
  readonly failed: number;
  /** Of the known durations; null for memory, whose duration is its turn's. */
  readonly p95_ms: number | null;
}

/** One thing that agents use, over the calls of all of them. */
export type GraphUsed = Omit<GraphEdge, "agent_id">;

/** One agent with its turns. */
export interface GraphAgent extends NullableIdentity<"agent_id"> {
  readonly turns: number;
  /** Turns with an error; such a turn can still deliver. */
  readonly errors: number;
  readonly p95_ms: number | null;
}

/** The graph. */
export interface AgentGraph {
  /** Most turns first. */
  readonly agents: readonly GraphAgent[];
  /** Most calls first. */
  readonly edges: readonly GraphEdge[];
  /** What the edges lead to, most calls first; a percentile is over all of its calls. */
  readonly used: readonly GraphUsed[];
  /** Last event of the first and last turn, in epoch milliseconds. */
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}
