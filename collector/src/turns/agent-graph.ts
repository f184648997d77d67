/**
 * @module AgentGraph: agents and what they use, tools, models, memory and other agents, over all
 * turns of a question: calls, how many failed, and durations of each connection.
 */
import { applicationOf } from "@turnproof/store";
import type { CallFigures, TurnQuestion, TurnReader } from "@turnproof/store";

import type { AgentGraph, GraphEdge } from "../ui/display/agent-graph.ts";
import { failedOf } from "./call-rows.ts";

/** The graph of a question's turns. */
export async function agentGraph(ledger: TurnReader, question: TurnQuestion): Promise<AgentGraph> {
  const flagged = (has: string): TurnQuestion => ({
    ...question,
    where: [...question.where, { list: "flag", has }],
  });
  const byAgent = { by: "agent_id" } as const;
  const [groups, tools, models, called, memory, degraded] = await Promise.all([
    ledger.turnFigures(question, byAgent),
    ledger.callFigures(question, "tool", ["agent_id", "name"]),
    ledger.callFigures(question, "model", ["agent_id", "name"]),
    agentCalls(ledger, question),
    ledger.turnFacets(flagged("memory"), ["agent_id"], agentsMax),
    ledger.turnFacets(flagged("degraded"), ["agent_id"], agentsMax),
  ]);
  const poor = new Map(degraded[0]?.values.map(({ value, turns }) => [value, turns]));
  const times = groups.flatMap(({ first_at: first, last_at: last }) => [first ?? [], last ?? []]);
  const ms = (of: readonly number[], pick: (...all: number[]) => number): number | null =>
    of.length === 0 ? null : Math.floor(pick(...of) / 1_000);
  const known = times.flat();
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
      ...tools.map((one) => callEdge("tool", one)),
      ...models.map((one) => callEdge("model", one)),
      ...called.map((one) => callEdge("agent", one)),
      ...(memory[0]?.values ?? []).map(({ value, turns }): GraphEdge => ({
        agent_id: value,
        kind: "memory",
        name: "memory",
        calls: turns,
        failed: poor.get(value) ?? 0,
        p95_ms: null,
      })),
    ].toSorted((a, b) => b.calls - a.calls || order(a.name, b.name)),
    first_ms: ms(known, Math.min),
    last_ms: ms(known, Math.max),
  };
}

const agentsMax = 1_000;

/** A principal of one application reads nothing about agents of another. */
async function agentCalls(
  ledger: TurnReader,
  question: TurnQuestion,
): Promise<readonly CallFigures[]> {
  if (applicationOf(question.scope) === undefined) {
    return ledger.callFigures(question, "agent", ["agent_id", "name"]);
  }
  const figures = await ledger.callFigures(question, "agent", ["agent_id", "name", "provider"]);
  return figures.filter(({ group }) => group.provider === null);
}

function callEdge(
  kind: "tool" | "model" | "agent",
  { group, calls, outcomes, p95_ms }: CallFigures,
): GraphEdge {
  return {
    agent_id: group.agent_id ?? null,
    kind,
    name: group.name ?? null,
    calls,
    failed: failedOf(outcomes),
    p95_ms,
  };
}

function order(a: string | null, b: string | null): number {
  return (a ?? "") < (b ?? "") ? -1 : Number(a !== b);
}
