/**
 * @module AgentCalls: the turns that agents requested from other agents: a sub-agent, or an agent
 * that takes over. Each is a call in the record of the turn around it.
 */
import { compareEvents } from "../event/event-order.ts";
import type { TurnEvent } from "../event/event.ts";
import { buildSpanTree } from "../normalize/span-tree.ts";
import type { TurnCall } from "./turn-calls.ts";
import type { FoldedTurn } from "./turns.ts";

const none: readonly TurnCall[] = [];

/**
 * Returns the calls of other agents in each turn of one root, in evidence order. The caller is the
 * turn of the nearest turn span above the one that was called. Only a span that ended is a call,
 * and only one of the caller's tenant: a record never holds facts of another tenant.
 *
 * @param turns all turns of the root
 * @param events all events of the root; those of no turn can lie between two turns
 */
export function agentCalls(
  turns: readonly FoldedTurn[],
  events: readonly TurnEvent[],
): (turn: FoldedTurn) => readonly TurnCall[] {
  // Most roots have one turn, which called no other.
  if (turns.length < 2) return () => none;
  const turnOf = new Map(turns.flatMap((turn) => turn.events.map((event) => [event, turn])));
  const { nodes, nodeOf, parents } = buildSpanTree(events);
  const nodeTurns: (FoldedTurn | undefined)[] = nodes.map(() => undefined);
  const ended = new Map<number, TurnEvent>();
  for (const [at, event] of events.entries()) {
    const node = nodeOf[at] as number;
    if (event.event_kind !== "turn" || node === -1) continue;
    nodeTurns[node] ??= turnOf.get(event);
    if (event.phase !== "start") ended.set(node, event);
  }
  const around = turnAbove(nodeTurns, parents);
  const calls = new Map<FoldedTurn, TurnCall[]>();
  for (const [node, event] of [...ended].toSorted(([, a], [, b]) => compareEvents(a, b))) {
    const [called, caller] = [nodeTurns[node], around(node)];
    if (called === undefined || caller === undefined || caller === called) continue;
    if (caller.row.user_id !== called.row.user_id) continue;
    const known = calls.get(caller);
    const call = agentCall(event, caller, called);
    if (known === undefined) calls.set(caller, [call]);
    else known.push(call);
  }
  return (turn) => calls.get(turn) ?? none;
}

/** Finds the turn of the nearest turn span above a node; each node is walked once. */
function turnAbove(
  nodeTurns: readonly (FoldedTurn | undefined)[],
  parents: Int32Array,
): (node: number) => FoldedTurn | undefined {
  const known = new Map<number, FoldedTurn | undefined>();
  return (node) => {
    const path = new Set<number>();
    let found: FoldedTurn | undefined;
    // A cycle has no turn above it.
    for (let at = node; at !== -1 && !path.has(at); at = parents[at] as number) {
      if (at !== node) found = nodeTurns[at];
      if (found !== undefined) break;
      if (known.has(at)) {
        found = known.get(at);
        break;
      }
      path.add(at);
    }
    for (const at of path) known.set(at, found);
    return found;
  };
}

/** The provider of an agent is its application, where that is not the caller's. */
function agentCall(
  event: TurnEvent,
  { row: { application_id: here } }: FoldedTurn,
  { row: { agent_id: name, application_id: there } }: FoldedTurn,
): TurnCall {
  return {
    kind: "agent",
    name: name ?? null,
    provider: there === here ? null : (there ?? null),
    outcome: event.status,
    error_type: event.attributes.error_type ?? null,
    duration_ms: event.duration_ms ?? null,
    input_tokens: null,
    output_tokens: null,
    cached_tokens: null,
  };
}
