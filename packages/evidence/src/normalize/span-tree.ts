/**
 * @module SpanTree: the spans of one root as linked nodes, for inherited identity (vocabulary: From
 * a span to an event). Events with one span id share a node, unless their own identity differs:
 * then they are different spans with one id, and inherit nothing from each other.
 */
import { compareTimes } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { parentKey, spanKey } from "../event/span-key.ts";

/** Identity fields that a span passes to its children. */
export const inheritedFields = [
  "application_id",
  "agent_id",
  "user_id",
  "memory_id",
  "thread_id",
  "run_id",
  "turn_id",
] as const;
export type InheritedField = (typeof inheritedFields)[number];

/** Two different values in one place: neither may be used. */
export const conflict: unique symbol = Symbol("conflict");

/** A recorded value, null for anonymous, undefined for none. */
export type RecordedValue = string | null | undefined | typeof conflict;

/** One span as its events describe it. */
export interface SpanNode {
  readonly spanId: string;
  readonly principal: string | undefined;
  readonly stated: RecordedValue[];
  /** An agent name that the surrounding turn's agent replaces. */
  weakAgent: string | undefined;
  parentId: string | undefined;
  isTurn: boolean;
  /** True for work that a turn requests; a turn inside of it is another turn. */
  isCall: boolean;
  /** Earliest recorded time of the span's events, ISO 8601 UTC. */
  startedAt: string;
}

/** Nodes of a root, and the node of each event. */
export interface SpanTree {
  readonly nodes: readonly SpanNode[];
  /** Index of each node's parent, or -1. */
  readonly parents: Int32Array;
  /** Index of each event's node, or -1 for an event without a span. */
  readonly nodeOf: Int32Array;
  /** Index of the parent of each event without a span of its own, or -1. */
  readonly above: Int32Array;
}

const agentField = inheritedFields.indexOf("agent_id");

/** Fields whose contradiction means that one span id names several spans. */
const identifyingFields = [0, 1, 2, 4, 6];

/** Builds the tree of one root's events; missing parents and cycles are kept as they are. */
export function buildSpanTree(events: readonly TurnEvent[]): SpanTree {
  const nodes: SpanNode[] = [];
  const bySpan = new Map<string, number>();
  const nodeOf = new Int32Array(events.length).fill(-1);
  const split = new Set<string>();
  for (const [i, event] of events.entries()) {
    const spanId = spanKey(event);
    if (spanId === undefined) continue;
    const known = bySpan.get(spanId);
    const at = known ?? nodes.length;
    if (known === undefined) {
      nodes.push(newNode(spanId, event));
      bySpan.set(spanId, at);
    } else if (differs(nodes[at] as SpanNode, event)) {
      split.add(spanId);
    } else {
      addEvent(nodes[at] as SpanNode, event);
    }
    nodeOf[i] = at;
  }
  const parts = split.size === 0 ? undefined : splitNodes(events, split, nodes, nodeOf);
  const find = (
    spanId: string | undefined,
    node: Pick<SpanNode, "principal" | "stated">,
  ): number => {
    if (spanId === undefined) return -1;
    const candidates = parts?.get(spanId);
    return candidates === undefined
      ? (bySpan.get(spanId) ?? -1)
      : chooseParent(candidates, nodes, node);
  };
  const parents = Int32Array.from(nodes, (node) => find(node.parentId, node));
  const above = new Int32Array(events.length).fill(-1);
  for (const [i, event] of events.entries()) {
    if (nodeOf[i] === -1 && event.parent_span_id !== undefined) {
      above[i] = find(event.parent_span_id, {
        principal: event.ingest_principal,
        stated: own(event),
      });
    }
  }
  return { nodes, parents, nodeOf, above };
}

/** Kinds of work that a turn requests, in which another turn may be requested. */
const calls: ReadonlySet<string> = new Set(["tool_call", "application_action", "queue_transition"]);

/**
 * True where the agent is a name that a library wrote, or was inferred: the turn's takes
 * precedence.
 */
export function isWeakAgent(event: TurnEvent): boolean {
  return event.agent_id !== undefined && event.identity_derived?.includes("agent_id") === true;
}

function own(event: TurnEvent): RecordedValue[] {
  return [
    event.application_id,
    isWeakAgent(event) ? undefined : event.agent_id,
    event.user_id,
    event.memory_id,
    event.thread_id,
    event.run_id,
    event.turn_id,
  ];
}

function newNode(spanId: string, event: TurnEvent): SpanNode {
  return {
    spanId,
    principal: event.ingest_principal,
    stated: own(event),
    weakAgent: isWeakAgent(event) ? event.agent_id : undefined,
    parentId: parentKey(event),
    isTurn: event.event_kind === "turn",
    isCall: calls.has(event.event_kind),
    startedAt: event.started_at ?? event.timestamp,
  };
}

/** True when the event contradicts the node's identity, turn or producer. */
function differs(node: SpanNode, event: TurnEvent): boolean {
  if (node.principal !== event.ingest_principal) return true;
  return identifyingFields.some((field) => {
    const value = event[inheritedFields[field] as InheritedField];
    const there = node.stated[field];
    if (field === agentField && isWeakAgent(event)) return false;
    return value !== undefined && there !== undefined && there !== value;
  });
}

function addEvent(node: SpanNode, event: TurnEvent): void {
  for (const [field, name] of inheritedFields.entries()) {
    const value = event[name];
    if (value === undefined || (field === agentField && isWeakAgent(event))) continue;
    const there = node.stated[field];
    node.stated[field] = there === undefined || there === value ? value : conflict;
  }
  const parent = parentKey(event);
  // When start and result name two parents, the choice must not depend on which came first.
  if (parent !== undefined && (node.parentId === undefined || parent < node.parentId)) {
    node.parentId = parent;
  }
  if (event.event_kind === "turn") node.isTurn = true;
  if (calls.has(event.event_kind)) node.isCall = true;
  const startedAt = event.started_at ?? event.timestamp;
  if (compareTimes(startedAt, node.startedAt) < 0) node.startedAt = startedAt;
  const name = isWeakAgent(event) ? event.agent_id : undefined;
  // As with parents: the choice between two names must not depend on which came first.
  if (name !== undefined && (node.weakAgent === undefined || name < node.weakAgent)) {
    node.weakAgent = name;
  }
}

/**
 * Gives every distinct identity under a contradictory span id a node of its own, in an order
 * independent of the input, and after them one node with what they all agree on.
 */
function splitNodes(
  events: readonly TurnEvent[],
  split: ReadonlySet<string>,
  nodes: SpanNode[],
  nodeOf: Int32Array,
): Map<string, number[]> {
  const parts = new Map<string, number[]>();
  const byIdentity = new Map<string, number>();
  for (const [i, event] of events.entries()) {
    const spanId = spanKey(event);
    if (spanId === undefined || !split.has(spanId)) continue;
    const stated = own(event).map((value) => (value === undefined ? [] : [value]));
    const key = JSON.stringify([spanId, event.ingest_principal ?? [], ...stated]);
    let at = byIdentity.get(key);
    if (at === undefined) {
      at = nodes.length;
      byIdentity.set(key, at);
      nodes.push(newNode(spanId, event));
      const members = parts.get(spanId);
      if (members === undefined) parts.set(spanId, [at]);
      else members.push(at);
    } else {
      addEvent(nodes[at] as SpanNode, event);
    }
    nodeOf[i] = at;
  }
  for (const members of parts.values()) {
    const agreed = members.map((at) => nodes[at] as SpanNode);
    const first = agreed[0] as SpanNode;
    members.push(nodes.length);
    nodes.push({
      spanId: first.spanId,
      principal: undefined,
      weakAgent: undefined,
      parentId: undefined,
      isTurn: false,
      isCall: false,
      startedAt: first.startedAt,
      stated: first.stated.map((value, field) =>
        agreed.every((node) => node.stated[field] === value) ? (value ?? conflict) : conflict,
      ),
    });
  }
  return parts;
}

/** Most spans under one id that are separated. */
const partsMax = 64;

/** The only part that fits the child; else the node of what all parts agree on (the last). */
function chooseParent(
  members: readonly number[],
  nodes: readonly SpanNode[],
  child: Pick<SpanNode, "principal" | "stated">,
): number {
  const agreed = members.at(-1) as number;
  // An id with so many spans was made up; searching all of them for each child would be the
  // attack.
  if (members.length > partsMax) return agreed;
  const parts = members.slice(0, -1);
  const fits = (at: number): boolean => {
    const part = nodes[at] as SpanNode;
    return identifyingFields.every((field) => {
      const mine = child.stated[field];
      const theirs = part.stated[field];
      return mine === undefined || theirs === undefined || mine === theirs;
    });
  };
  const fitting = parts.filter(fits);
  const close = fitting.filter((at) => (nodes[at] as SpanNode).principal === child.principal);
  if (close.length === 1) return close[0] as number;
  if (close.length === 0 && fitting.length === 1) return fitting[0] as number;
  return agreed;
}
