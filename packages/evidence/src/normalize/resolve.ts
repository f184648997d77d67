/**
 * @module Resolve: identity and turn of an event, from its complete root (vocabulary: From a span
 * to an event, rules 1, 2, 3 and 5). Foreign spans have little identity of their own and arrive in
 * any order; the result depends on the set of events alone, never on batches, order or repetition.
 */
import { identityFields } from "@turnproof/semconv";
import type { IdentityField } from "@turnproof/semconv";

import type { TurnEvent } from "../event/event.ts";
import { buildSpanTree, conflict, inheritedFields, isWeakAgent } from "./span-tree.ts";
import type { RecordedValue, SpanTree } from "./span-tree.ts";
import { inTurnApplication } from "./turn-application.ts";
import { findTurnParts } from "./turn-parts.ts";
import { isUntrusted } from "./untrusted.ts";
import { hasUsage } from "./usage.ts";

const applicationField = inheritedFields.indexOf("application_id");
const agentField = inheritedFields.indexOf("agent_id");
const userField = inheritedFields.indexOf("user_id");
const runField = inheritedFields.indexOf("run_id");
const turnField = inheritedFields.indexOf("turn_id");

/**
 * Resolves the identity of all events of one root: own value → nearest ancestor's → the only value
 * in the trace → unknown. `turn_id` is the event's own, else the span id of the nearest turn above
 * it (for a turn its own span id, unless it is part of the surrounding one: turn-parts). `run_id`
 * is its own, else the outermost turn's span id. `agent_id` of a received span falls back to the
 * application when there is no other value, and a library's name on a span that is no turn is used
 * only where no turn is known. `user_id` keeps its three states, and where two tenants are present
 * only an ancestor can attribute. Derived fields are listed in `identity_derived`. Evidence of
 * another service than its turn's application gets that application and keeps its own as
 * `service_name`.
 *
 * Trusted evidence is resolved without that of untrusted producers, as it is judged: a turn or
 * tenant that only they name would move a trusted failure out of its turn, or a worker into it.
 *
 * @param events every event of the root; a part of them gives the answer for that part
 * @returns resolved events in input order; an event with complete identity is returned unchanged
 */
export function resolveRoot(events: readonly TurnEvent[]): TurnEvent[] {
  const all = resolveTogether(events);
  if (!events.some(isUntrusted)) return all;
  const trusted = resolveTogether(events.filter((event) => !isUntrusted(event)));
  let next = 0;
  return events.map((event, i) => (isUntrusted(event) ? all[i] : trusted[next++]) as TurnEvent);
}

function resolveTogether(events: readonly TurnEvent[]): TurnEvent[] {
  const tree = buildSpanTree(events);
  const settled = settle(tree);
  const rows = events.map((event, i) => inheritedOf(event, i, tree, settled));
  const only = onlyValues(events, rows);
  const turns = agentsOfTurns(events, rows, only);
  for (const [i, event] of events.entries()) {
    const row = rows[i] as RecordedValue[];
    row[agentField] ??= agentWithout(event, i, tree, settled, row, turns);
  }
  const tenants = only[userField] === conflict ? tenantsOfTurns(events, rows, only) : undefined;
  const resolved = events.map((event, i) => {
    const read = isWrapping(event, i, tree, settled) ? structureOf(event) : event;
    return complete(read, rows[i] as readonly RecordedValue[], only, tenants);
  });
  return inTurnApplication(resolved);
}

/** Resolves events of many roots; an event without a root is resolved alone. Order is kept. */
export function resolveEvents(events: readonly TurnEvent[]): TurnEvent[] {
  const groups = new Map<string, number[]>();
  const resolved: TurnEvent[] = Array.from({ length: events.length });
  for (const [i, event] of events.entries()) {
    const root = event.root_trace_id;
    if (root === undefined) {
      resolved[i] = resolveRoot([event])[0] as TurnEvent;
      continue;
    }
    const group = groups.get(root);
    if (group === undefined) groups.set(root, [i]);
    else group.push(i);
  }
  for (const group of groups.values()) {
    const members = resolveRoot(group.map((i) => events[i] as TurnEvent));
    for (const [at, i] of group.entries()) resolved[i] = members[at] as TurnEvent;
  }
  return resolved;
}

/** Values of each node, its own or its nearest ancestor's, and the outermost turn. */
interface SettledNode {
  readonly values: RecordedValue[][];
  /** The nearest agent name that a turn's agent replaces. */
  readonly names: (string | undefined)[];
  readonly outermost: (string | undefined)[];
  /** Node of the turn that a turn span is part of, or -1. */
  readonly partOf: Int32Array;
}

/** Walks up from every node once; long chains and cycles are walked without recursion. */
function settle(tree: SpanTree): SettledNode {
  const { nodes, parents } = tree;
  const { partOf, agents } = findTurnParts(tree);
  const values = nodes.map((node, at) => {
    const stated = [...node.stated];
    if (!node.isTurn || partOf[at] !== -1) return stated;
    stated[agentField] ??= agents[at];
    stated[turnField] ??= node.spanId;
    return stated;
  });
  const names = nodes.map((node) => node.weakAgent);
  const outermost = nodes.map((node) => (node.isTurn ? node.spanId : undefined));
  const state = new Uint8Array(nodes.length);
  for (let start = 0; start < nodes.length; start += 1) {
    const path: number[] = [];
    let at = start;
    while (at !== -1 && state[at] === 0) {
      state[at] = 1;
      path.push(at);
      at = parents[at] as number;
    }
    // Reaching a node of the same walk closes a cycle: two rounds propagate every value.
    let top = path.length;
    if (at !== -1 && state[at] === 1) {
      const cycle = path.slice(path.indexOf(at)).toReversed();
      for (const node of [...cycle, ...cycle]) inherit(node, tree, values);
      const turns = cycle.flatMap((node) => outermost[node] ?? []).toSorted();
      for (const node of cycle) outermost[node] = turns[0];
      top -= cycle.length;
    }
    for (let i = top - 1; i >= 0; i -= 1) {
      const node = path[i] as number;
      inherit(node, tree, values);
      const above = parents[node] as number;
      if (above === -1) continue;
      outermost[node] = outermost[above] ?? outermost[node];
      names[node] ??= names[above];
    }
    for (const node of path) state[node] = 2;
  }
  return { values, names, outermost, partOf };
}

function inherit(node: number, tree: SpanTree, values: RecordedValue[][]): void {
  const above = values[tree.parents[node] as number];
  if (above === undefined) return;
  const mine = values[node] as RecordedValue[];
  for (let field = 0; field < mine.length; field += 1) {
    if (mine[field] === undefined) mine[field] = above[field];
  }
}

/** The event's own values, completed from its span and its ancestors. */
function inheritedOf(
  event: TurnEvent,
  i: number,
  tree: SpanTree,
  { values, outermost }: SettledNode,
): RecordedValue[] {
  const node = tree.nodeOf[i] as number;
  const at = node === -1 ? (tree.above[i] as number) : node;
  const around = values[at];
  const row: RecordedValue[] = inheritedFields.map((name, field) => event[name] ?? around?.[field]);
  if (isWeakAgent(event)) row[agentField] = around?.[agentField];
  // Explicitly anonymous is a value, not a gap to be filled from the ancestors.
  if (event.user_id === null) row[userField] = null;
  row[runField] ??= outermost[at];
  return row;
}

/** The agents of a root's turns. */
interface Agents {
  /** By turn id; a turn without an agent has the one that the others share, or its application. */
  readonly byTurn: ReadonlyMap<RecordedValue, RecordedValue>;
  /**
   * The agent of all turns or, without a turn, of all events that name one; `conflict` for
   * several.
   */
  readonly shared: RecordedValue;
  /** The only turn of the root. */
  readonly turn: RecordedValue;
}

function agentsOfTurns(
  events: readonly TurnEvent[],
  rows: readonly (readonly RecordedValue[])[],
  only: readonly RecordedValue[],
): Agents {
  let shared: RecordedValue;
  for (const [i, event] of events.entries()) {
    const value = event.event_kind === "turn" ? rows[i]?.[agentField] : undefined;
    if (value === undefined || value === shared) continue;
    shared = shared === undefined ? value : conflict;
  }
  shared ??= only[agentField];
  const common = shared === conflict ? undefined : shared;
  const byTurn = new Map<RecordedValue, RecordedValue>();
  for (const [i, event] of events.entries()) {
    if (event.event_kind !== "turn") continue;
    const row = rows[i] as readonly RecordedValue[];
    const application = isReceived(event)
      ? (row[applicationField] ?? only[applicationField])
      : undefined;
    const agent = row[agentField] ?? common ?? application;
    const id = row[turnField];
    const known = byTurn.get(id);
    if (agent === undefined || agent === known) continue;
    byTurn.set(id, known === undefined ? agent : conflict);
  }
  const turn = only[turnField] === conflict ? undefined : only[turnField];
  return { byTurn, shared, turn };
}

/**
 * The agent of an event without one from an ancestor. In a turn it is the turn's. Outside of turns
 * it is that of the only turn of the trace, else the agent that all turns share; with several, or
 * for structure, which begins no turn, its own name is used.
 */
function agentWithout(
  event: TurnEvent,
  i: number,
  tree: SpanTree,
  { names, values }: SettledNode,
  row: readonly RecordedValue[],
  { byTurn, shared, turn }: Agents,
): RecordedValue {
  if (row[agentField] !== undefined) return undefined;
  const node = tree.nodeOf[i] as number;
  const at = node === -1 ? (tree.above[i] as number) : node;
  const sequential = values[at]?.[turnField] !== undefined;
  const known = byTurn.get(row[turnField] ?? turn);
  const name = (isWeakAgent(event) ? event.agent_id : undefined) ?? names[at];
  const structure = event.event_kind === "span";
  if (!sequential && structure && name !== undefined) return name;
  if (known !== undefined) return known === conflict ? undefined : known;
  if (!sequential && (shared === undefined || shared === conflict) && name !== undefined)
    return name;
  return shared === conflict ? undefined : shared;
}

/** Per field the only value in the trace, undefined without one, `conflict` with several. */
function onlyValues(
  events: readonly TurnEvent[],
  rows: readonly (readonly RecordedValue[])[],
): RecordedValue[] {
  const only: RecordedValue[] = inheritedFields.map(() => undefined);
  for (const [i, event] of events.entries()) {
    for (const [field, name] of inheritedFields.entries()) {
      const derived = field === runField || field === turnField || field === agentField;
      const value = derived ? rows[i]?.[field] : event[name];
      if (value === undefined || value === only[field]) continue;
      only[field] = only[field] === undefined ? value : conflict;
    }
  }
  return only;
}

/** Tenants inside each turn; computed only where one root has several tenants. */
function tenantsOfTurns(
  events: readonly TurnEvent[],
  rows: readonly (readonly RecordedValue[])[],
  only: readonly RecordedValue[],
): Map<RecordedValue, Set<string | null>> {
  const tenants = new Map<RecordedValue, Set<string | null>>();
  for (const [i, event] of events.entries()) {
    if (event.user_id === undefined) continue;
    const turn = rows[i]?.[turnField] ?? only[turnField];
    const named = tenants.get(turn);
    if (named === undefined) tenants.set(turn, new Set([event.user_id]));
    else named.add(event.user_id);
  }
  return tenants;
}

/** Fills the remaining fields from the trace, lists derived ones, and removes contested ones. */
function complete(
  event: TurnEvent,
  row: readonly RecordedValue[],
  only: readonly RecordedValue[],
  tenants: ReadonlyMap<RecordedValue, ReadonlySet<string | null>> | undefined,
): TurnEvent {
  let patch: { [field in IdentityField]?: string | null } | undefined;
  const renamed = isWeakAgent(event);
  for (const [field, name] of inheritedFields.entries()) {
    if (event[name] !== undefined && !(renamed && field === agentField)) continue;
    const value = row[field] === undefined ? only[field] : row[field];
    if (value === undefined || value === conflict) continue;
    patch ??= {};
    patch[name] = value;
  }
  if (patch?.user_id !== undefined && tenants !== undefined) {
    const turn = event.turn_id ?? patch.turn_id;
    const named = tenants.get(turn ?? undefined);
    // Its ancestors have one tenant and its own turn another: neither is certain.
    if (named !== undefined && !named.has(patch.user_id)) delete patch.user_id;
  }
  if ((event.agent_id === undefined || renamed) && patch?.agent_id === undefined) {
    const application = event.application_id ?? patch?.application_id;
    if (isReceived(event) && typeof application === "string") {
      patch = { ...patch, agent_id: application };
    }
  }
  if (patch === undefined || Object.keys(patch).length === 0) return event;
  let derived = 0;
  for (const name of event.identity_derived ?? []) derived |= bitOf(name);
  for (const name in patch) derived |= bitOf(name as IdentityField);
  return { ...event, ...patch, identity_derived: fieldsOf(derived) } as TurnEvent;
}

function bitOf(name: IdentityField): number {
  return 1 << identityFields.indexOf(name);
}

/** Lists of fields by their bits: most events of a root derive the same ones. */
const lists = new Map<number, readonly IdentityField[]>();

function fieldsOf(bits: number): readonly IdentityField[] {
  let list = lists.get(bits);
  if (list === undefined) {
    list = identityFields.filter((name) => (bits & bitOf(name)) !== 0);
    lists.set(bits, list);
  }
  return list;
}

/**
 * True for a foreign turn span that is part of another turn and names no agent: a chain, a flow.
 */
function isWrapping(event: TurnEvent, i: number, tree: SpanTree, { partOf }: SettledNode): boolean {
  const node = tree.nodeOf[i] as number;
  if (event.event_kind !== "turn" || node === -1 || partOf[node] === -1) return false;
  if (!isReceived(event) || event.dialect === "turnproof" || hasUsage(event)) return false;
  return event.agent_id === undefined || isWeakAgent(event);
}

/** The event as structure, which has no status of its own. */
function structureOf(event: TurnEvent): TurnEvent {
  return { ...event, event_kind: "span", status: event.phase === "start" ? "started" : "unknown" };
}

/** True for an event mapped from a received span: only there is a service name a fallback. */
function isReceived(event: TurnEvent): boolean {
  return event.dialect !== undefined && event.dialect !== "legacy";
}
