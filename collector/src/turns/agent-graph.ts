/**
 * @module AgentGraph: agents and what they use, tools, models, memory and other agents, over all
 * turns of a query: calls, how many failed, and durations of each connection.
 */
import { applicationOf } from "@turnproof/store";
import type { CallFigures, TurnQuery, TurnReader } from "@turnproof/store";

import type { AgentGraph, GraphEdge, GraphUsed } from "../ui/display/agent-graph.ts";
import { failedOf } from "./call-rows.ts";

/** The graph of a query's turns. */
export async function agentGraph(ledger: TurnReader, query: TurnQuery): Promise<AgentGraph> {
  const flagged = (has: string): TurnQuery => ({
    ...query,
    where: [...query.where, { list: "flag", has }],
  });
  const [groups, edges, used, memory, degraded] = await Promise.all([
    ledger.turnFigures(query, { by: "agent_id" }),
    callsOf(ledger, query, ["agent_id", "name"]),
    callsOf(ledger, query, ["name"]),
    ledger.turnFacets(flagged("memory"), ["agent_id"], agentsMax),
    ledger.turnFacets(flagged("degraded"), ["agent_id"], agentsMax),
  ]);
  const poor = new Map(degraded[0]?.values.map(({ value, turns }) => [value, turns]));
  const times = groups.flatMap(({ first_at: first, last_at: last }) => [first ?? [], last ?? []]);
  const ms = (of: readonly number[], pick: (...all: number[]) => number): number | null =>
    of.length === 0 ? null : Math.floor(pick(...of) / 1_000);
  const known = times.flat();
  const memories = (memory[0]?.values ?? []).map(({ value, turns }): GraphEdge => ({
    agent_id: value,
    kind: "memory",
    name: "memory",
    calls: turns,
    failed: poor.get(value) ?? 0,
    p95_ms: null,
  }));
  return {
    agents: groups
      .map(({ value = null, turns, errors, p95_ms }) => ({
        agent_id: value,
        turns,
        errors,
        p95_ms,
      }))
      .toSorted((a, b) => b.turns - a.turns || order(a.agent_id, b.agent_id)),
    edges: [
      ...edges.map((one): GraphEdge => ({ agent_id: one.group.agent_id ?? null, ...useOf(one) })),
      ...memories,
    ].toSorted(mostCalls),
    used: [...used.map(useOf), ...ofAllAgents(memories)].toSorted(mostCalls),
    first_ms: ms(known, Math.min),
    last_ms: ms(known, Math.max),
  };
}

const agentsMax = 1_000;

/** Calls of a group with what was called. */
interface KindFigures extends CallFigures {
  readonly kind: "tool" | "model" | "agent";
}

/** A principal of one application reads nothing about agents of another. */
async function callsOf(
  ledger: TurnReader,
  query: TurnQuery,
  by: readonly ("agent_id" | "name")[],
): Promise<readonly KindFigures[]> {
  const bound = applicationOf(query.scope) !== undefined;
  const read = async (kind: KindFigures["kind"]): Promise<readonly KindFigures[]> => {
    const guarded = bound && kind === "agent";
    const groups = await ledger.callFigures(query, kind, guarded ? [...by, "provider"] : by);
    return groups
      .filter(({ group }) => !guarded || group.provider === null)
      .map((one) => ({ ...one, kind }));
  };
  return (await Promise.all([read("tool"), read("model"), read("agent")])).flat();
}

function useOf({ kind, group, calls, outcomes, p95_ms }: KindFigures): GraphUsed {
  return { kind, name: group.name ?? null, calls, failed: failedOf(outcomes), p95_ms };
}

/** Memory as one thing: each turn has one agent, so that the counts add up. */
function ofAllAgents(memories: readonly GraphEdge[]): readonly GraphUsed[] {
  const sum = (count: "calls" | "failed"): number =>
    memories.reduce((all, one) => all + one[count], 0);
  if (memories.length === 0) return [];
  return [
    { kind: "memory", name: "memory", calls: sum("calls"), failed: sum("failed"), p95_ms: null },
  ];
}

function mostCalls(a: GraphUsed, b: GraphUsed): number {
  return b.calls - a.calls || order(a.name, b.name);
}

function order(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : Number(a !== b);
}
