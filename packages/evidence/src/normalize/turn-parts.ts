/**
 * @module TurnParts: which turn spans of a root describe one turn, and its agent. Libraries wrap:
 * a trace or a workflow around a run, an application's own span around a library's. A turn span
 * without an agent of its own inside another turn is part of it.
 */
import { compareTimes } from "@turnproof/semconv";

import { conflict } from "./span-tree.ts";
import type { RecordedValue, SpanNode, SpanTree } from "./span-tree.ts";
import { compareText } from "../event/text-order.ts";

/** Facts about the turn spans among the nodes of a tree; parallel to them. */
export interface TurnParts {
  /** Node of the turn that a turn span is part of, or -1 for a turn of its own. */
  readonly partOf: Int32Array;
  /** Agent of each turn span; undefined where neither it nor a span inside of it names one. */
  readonly agents: readonly RecordedValue[];
}

/** Indexes of the inherited fields that two spans of one turn must not contradict. */
const applicationField = 0;
const agentField = 1;
const turnField = 6;
const sharedFields = [applicationField, 2, 3, 4, 5, turnField];

/** A turn span inside of another; direct when only structure is between them. */
interface Inner {
  readonly at: number;
  readonly direct: boolean;
}

/**
 * Finds the parts of turns. A turn span without an agent takes that of the first turn directly
 * inside of it; a workflow keeps its name, and its agents' work are turns of their own. A span of
 * the same agent directly inside is part of the surrounding turn, and so is one anywhere inside
 * that names no agent or a workflow. Work that a tool requests from a named agent is a turn of its
 * own, even for the same agent.
 */
export function findTurnParts(tree: SpanTree): TurnParts {
  const { nodes } = tree;
  const partOf = new Int32Array(nodes.length).fill(-1);
  const agents: RecordedValue[] = nodes.map((node) =>
    node.isTurn ? node.stated[agentField] : undefined,
  );
  const order = fromTheTop(tree);
  const inside = turnsInside(tree, order);
  const named = namesInside(tree, order);
  // Bottom up, so that spans inside a wrapper have their agent already.
  for (let i = order.length - 1; i >= 0; i -= 1) {
    const at = order[i] as number;
    const node = nodes[at] as SpanNode;
    if (!node.isTurn) continue;
    const parts = (inside.get(at) ?? []).filter((part) => agrees(node, nodes[part.at] as SpanNode));
    agents[at] ??= adopted(node, parts, nodes, agents) ?? node.weakAgent ?? named.get(at);
    for (const part of parts) {
      const agent = agents[part.at];
      const same = part.direct && agent === agents[at];
      if (same || agent === undefined || isUnnamed(nodes[part.at], agent)) partOf[part.at] = at;
    }
  }
  settleFromTheTop(nodes, order, partOf, agents);
  return { partOf, agents };
}

/** An agent's span that was part of a workflow is not part of the turn around the workflow. */
function settleFromTheTop(
  nodes: readonly SpanNode[],
  order: Int32Array,
  partOf: Int32Array,
  agents: readonly RecordedValue[],
): void {
  const holders = [...agents];
  for (const at of order) {
    const turn = partOf[at] as number;
    if (turn === -1) continue;
    if (isUnnamed(nodes[at], agents[at]) || agents[at] === holders[turn])
      holders[at] = holders[turn];
    else partOf[at] = -1;
  }
}

/** True for a turn span that names no agent, at most a workflow. */
function isUnnamed(node: SpanNode | undefined, agent: RecordedValue): boolean {
  return node?.stated[agentField] === undefined && agent === node?.weakAgent;
}

/** Nodes with parents before children; nodes in or under a cycle are left out. */
function fromTheTop({ nodes, parents }: SpanTree): Int32Array {
  const below = new Int32Array(nodes.length);
  for (const parent of parents) if (parent !== -1) below[parent] = (below[parent] as number) + 1;
  const upward = new Int32Array(nodes.length);
  let size = 0;
  for (let at = 0; at < nodes.length; at += 1) if (below[at] === 0) upward[size++] = at;
  for (let i = 0; i < size; i += 1) {
    const parent = parents[upward[i] as number] as number;
    if (parent === -1) continue;
    below[parent] = (below[parent] as number) - 1;
    if (below[parent] === 0) upward[size++] = parent;
  }
  return upward.subarray(0, size).toReversed();
}

/** The turn spans that have each turn span as the nearest one above. */
function turnsInside(tree: SpanTree, order: Int32Array): Map<number, Inner[]> {
  const inside = new Map<number, Inner[]>();
  const around = new Int32Array(tree.nodes.length).fill(-1);
  const direct = new Uint8Array(tree.nodes.length);
  for (const at of order) {
    const parent = tree.parents[at] as number;
    if (parent === -1) continue;
    const above = tree.nodes[parent] as SpanNode;
    around[at] = above.isTurn ? parent : (around[parent] as number);
    direct[at] = above.isTurn || (direct[parent] === 1 && !above.isCall) ? 1 : 0;
    const turn = around[at];
    if (turn === -1 || !(tree.nodes[at] as SpanNode).isTurn) continue;
    const inner = { at, direct: direct[at] === 1 };
    const known = inside.get(turn);
    if (known === undefined) inside.set(turn, [inner]);
    else known.push(inner);
  }
  return inside;
}

/**
 * The only agent name in the spans of a turn without one; libraries put it on their model calls.
 */
function namesInside(tree: SpanTree, order: Int32Array): Map<number, RecordedValue> {
  const names = new Map<number, RecordedValue>();
  const around = new Int32Array(tree.nodes.length).fill(-1);
  for (const at of order) {
    const node = tree.nodes[at] as SpanNode;
    const parent = tree.parents[at] as number;
    around[at] = node.isTurn ? at : parent === -1 ? -1 : (around[parent] as number);
    const turn = around[at];
    const name = node.weakAgent;
    if (turn === -1 || node.isTurn || node.isCall || name === undefined) continue;
    const known = names.get(turn);
    names.set(turn, known === undefined || known === name ? name : conflict);
  }
  for (const [turn, name] of names) if (name === conflict) names.delete(turn);
  return names;
}

/** False where the two have different identity, or different producers. */
function agrees(outer: SpanNode, inner: SpanNode): boolean {
  if (outer.principal !== inner.principal) return false;
  if (
    inner.stated[turnField] !== undefined &&
    inner.stated[turnField] !== outer.stated[turnField]
  ) {
    return false;
  }
  return sharedFields.every((field) => {
    const mine = inner.stated[field];
    const theirs = outer.stated[field];
    return mine === undefined || theirs === undefined || (mine === theirs && mine !== conflict);
  });
}

/** The agent that a wrapper without one takes from the turns inside of it. */
function adopted(
  wrapper: SpanNode,
  parts: readonly Inner[],
  nodes: readonly SpanNode[],
  agents: readonly RecordedValue[],
): RecordedValue {
  if (wrapper.weakAgent !== undefined) return undefined;
  const named = parts.flatMap(({ at, direct }) =>
    direct && typeof agents[at] === "string" && !isUnnamed(nodes[at], agents[at]) ? [at] : [],
  );
  const [first] = named.toSorted((a, b) => compareNodes(nodes[a], nodes[b]));
  return first === undefined ? undefined : agents[first];
}

function compareNodes(a: SpanNode | undefined, b: SpanNode | undefined): number {
  const order = compareTimes(a?.startedAt ?? "", b?.startedAt ?? "");
  return order || compareText(a?.spanId ?? "", b?.spanId ?? "");
}
