/**
 * @module Waterfall: the causal order of every turn in a window as rows of a tree grid
 * (requirements: Endpoints, Causal waterfall; evidence: Waterfall). A parent link proves neither
 * ownership nor quality: missing, circular or unmeasured nodes are flagged and kept.
 */
import type { EventKind, EventStatus, TimingState } from "@turnproof/semconv";
import { roundMs } from "@turnproof/semconv";

import type { SpanLink, TurnEvent } from "../event/event.ts";
import { compareTuples, membersOf } from "../event/identity-tuple.ts";
import type { IdentityGroups, IdentityTuple } from "../event/identity-tuple.ts";
import { spanKey } from "../event/span-key.ts";
import { durationOf, pairEvents, positionMs, primaryOf } from "./waterfall-nodes.ts";
import type { EventPair } from "./waterfall-nodes.ts";
import { createTreeSpace, criticalPath, cutCycles, layOut } from "./waterfall-tree.ts";
import type { Forest, TreeSpace } from "./waterfall-tree.ts";
import { readWindow } from "../normalize/window-events.ts";
import type { WindowEvents } from "../normalize/window-events.ts";

/** Lane of the page in which a node is drawn. */
export type Lane = "memory" | "model" | "tool" | "host" | "artifact" | "delivery" | "error";

/** One row. Times are milliseconds; null is unknown and never drawn as zero. */
export interface WaterfallNode {
  /** The primary event of the node: its result, else its start. */
  readonly event_id: string;
  /** All events of the node, in order of time. */
  readonly event_ids: readonly string[];
  readonly event_kind: EventKind;
  readonly operation: string | null;
  readonly status: EventStatus;
  readonly lane: Lane;
  readonly span_id: string | null;
  readonly parent_span_id: string | null;
  /** Row of the parent within the group's `nodes`, null at the top. */
  readonly parent_index: number | null;
  readonly depth: number;
  readonly child_count: number;
  readonly descendant_count: number;
  /** Position among siblings from 1, and their number (aria-posinset, aria-setsize). */
  readonly pos_in_set: number;
  readonly set_size: number;
  /** Offset from the group's earliest start. */
  readonly start_offset_ms: number | null;
  readonly end_offset_ms: number | null;
  readonly duration_ms: number | null;
  readonly timing: TimingState;
  readonly critical: boolean;
  /** The recorded parent is not in the root. */
  readonly missing_parent: boolean;
  /** The recorded parent is in the root, but in another group. */
  readonly parent_elsewhere: boolean;
  /** The parent is marked as remote: it is a span of another process. */
  readonly remote_parent: boolean;
  readonly caused_by_event_id: string | null;
  readonly missing_cause: boolean;
  /** The node is part of a cycle of parents. */
  readonly cycle: boolean;
  /** The node starts before its parent, or ends before it starts. */
  readonly clock_skewed: boolean;
  readonly task_id: string | null;
  readonly tool_name: string | null;
  readonly model: string | null;
  readonly links: readonly SpanLink[];
}

/** One turn: nodes in pre-order, each once. */
export interface WaterfallGroup {
  readonly identity: IdentityTuple;
  /** Epoch milliseconds of the earliest known start, the origin of offsets. */
  readonly origin_ms: number | null;
  /** From the earliest known start to the latest known end. */
  readonly extent_ms: number | null;
  readonly nodes: readonly WaterfallNode[];
}

/** Number of nodes with each flag. */
export interface WaterfallCounts {
  readonly nodes: number;
  readonly missing_parents: number;
  readonly missing_causes: number;
  readonly cycles: number;
  readonly unknown_durations: number;
  readonly missing_completions: number;
  readonly clock_skewed: number;
}

/** The waterfall of a window. */
export interface CausalWaterfall {
  /** By earliest start. */
  readonly groups: readonly WaterfallGroup[];
  readonly counts: WaterfallCounts;
  /** Number of values that could not be read as events, and of copies removed. */
  readonly rejected: number;
  readonly duplicates_removed: number;
}

const laneOf: { readonly [K in EventKind]: Lane } = {
  turn: "host",
  model_call: "model",
  tool_call: "tool",
  plan: "model",
  memory_operation: "memory",
  memory_retrieval: "memory",
  memory_selection: "memory",
  memory_supply: "memory",
  memory_reference: "memory",
  cache_decision: "memory",
  context_binding: "host",
  application_action: "host",
  queue_transition: "host",
  intent: "host",
  artifact: "artifact",
  contract: "artifact",
  delivery: "delivery",
  feedback: "host",
  outcome: "host",
  learning: "memory",
  conversation: "host",
  execution_log: "tool",
  span: "host",
  data_quality: "error",
};

/** Starts computed from a rounded duration may be early by this much. */
const skewToleranceMs = 1;

/** A group that names spans or events outside of it, by its number. */
interface Waiting {
  readonly group: number;
  readonly pairs: readonly EventPair[];
}

/** Facts about the rest of a root: spans and events that some group names and does not contain. */
interface Elsewhere {
  readonly spans: ReadonlySet<string>;
  readonly events: ReadonlySet<string>;
}

/**
 * The causal waterfall of every turn in the window. Accepts any array; values that are no events
 * are counted and left out. Spans are paired within one (application, agent, user, thread, root,
 * turn) only; parents are looked up in the whole root of the same tenant. Linear except for
 * sorting.
 */
export function buildCausalWaterfall(events: readonly unknown[]): CausalWaterfall {
  return waterfallOf(readWindow(events));
}

/** The waterfall of a window that was read already. */
export function waterfallOf(window: WindowEvents): CausalWaterfall {
  const groups = buildGroups(window).map(({ group }) => group);
  return {
    groups,
    counts: countFlags(groups),
    rejected: window.rejected,
    duplicates_removed: window.duplicatesRemoved,
  };
}

/** A group with the primary event of each of its nodes. */
export interface GroupPrimaries {
  readonly group: WaterfallGroup;
  readonly primaries: readonly TurnEvent[];
}

/** The groups of a window that was read already, by earliest start. */
export function buildGroups({
  events,
  groups,
}: Pick<WindowEvents, "events" | "groups">): GroupPrimaries[] {
  const built: GroupPrimaries[] = [];
  const space = createTreeSpace(largestGroup(groups));
  const waiting: Waiting[] = [];
  // The working state of a turn is dropped with it, unless it names another turn's spans.
  for (let group = 0; group < groups.tuples.length; group += 1) {
    const pairs = pairEvents(membersOf(events, groups, group));
    const requests = pairs.some((pair) => pair.cause !== undefined || misses(pair));
    if (requests) waiting.push({ group, pairs });
    else built.push(buildGroup(groups.tuples[group] as IdentityTuple, pairs, nowhere, space));
  }
  const elsewhere = lookElsewhere(events, groups, waiting);
  for (const { group, pairs } of waiting) {
    const identity = groups.tuples[group] as IdentityTuple;
    built.push(buildGroup(identity, pairs, elsewhere(group), space));
  }
  // A group has at least one event, so it has an origin; equal origins are ordered by identity.
  return built.sort(
    (a, b) =>
      (a.group.origin_ms ?? 0) - (b.group.origin_ms ?? 0) ||
      compareTuples(a.group.identity, b.group.identity),
  );
}

function largestGroup({ starts }: IdentityGroups): number {
  let largest = 0;
  for (let group = 1; group < starts.length; group += 1) {
    const members = (starts[group] as number) - (starts[group - 1] as number);
    if (members > largest) largest = members;
  }
  return largest;
}

/** Finds the parents and causes outside of their group, root by root and only those needed. */
function lookElsewhere(
  events: readonly TurnEvent[],
  groups: IdentityGroups,
  waiting: readonly Waiting[],
): (group: number) => Elsewhere {
  const wanted = new Map<number, { spans: Set<string>; events: Set<string> }>();
  const found = new Map<number, { spans: Set<string>; events: Set<string> }>();
  for (const { group, pairs } of waiting) {
    const trace = groups.traceOf[group] as number;
    let sets = wanted.get(trace);
    if (sets === undefined) {
      sets = { spans: new Set(), events: new Set() };
      wanted.set(trace, sets);
      found.set(trace, { spans: new Set(), events: new Set() });
    }
    for (const pair of pairs) {
      const { parent, cause } = pair;
      if (parent !== undefined && misses(pair)) sets.spans.add(parent);
      if (cause !== undefined) sets.events.add(cause);
    }
  }
  if (wanted.size > 0) {
    events.forEach((event, index) => {
      const trace = groups.traceOf[groups.groupOf[index] as number] as number;
      const sets = wanted.get(trace);
      if (sets === undefined) return;
      const span = spanKey(event);
      if (span !== undefined && sets.spans.has(span)) found.get(trace)?.spans.add(span);
      if (sets.events.has(event.event_id)) found.get(trace)?.events.add(event.event_id);
    });
  }
  return (group) => found.get(groups.traceOf[group] as number) ?? nowhere;
}

const nowhere: Elsewhere = { spans: new Set(), events: new Set() };

/** True when the pair's parent is not in its group. */
function misses({ parent, above }: EventPair): boolean {
  return parent !== undefined && above === undefined;
}

function buildGroup(
  identity: IdentityTuple,
  pairs: readonly EventPair[],
  elsewhere: Elsewhere,
  space: TreeSpace,
): GroupPrimaries {
  const { parent, inCycle } = space;
  const size = pairs.length;
  for (let index = 0; index < size; index += 1) {
    parent[index] = (pairs[index] as EventPair).above?.index ?? -1;
  }
  cutCycles(space, size);
  const forest = layOut(space, size);
  const critical = criticalPath(space, pairs);
  const span = extent(pairs);
  const { rowOf } = forest;
  const place = { identity, pairs, elsewhere, parent, inCycle, forest, critical, rowOf };
  const nodes: WaterfallNode[] = [];
  const primaries: TurnEvent[] = [];
  for (let row = 0; row < pairs.length; row += 1) {
    const node = forest.order[row] as number;
    nodes.push(buildNode(place, node, span.origin));
    primaries.push(primaryOf(pairs[node] as EventPair));
  }
  return {
    group: {
      identity,
      origin_ms: Number.isFinite(span.origin) ? span.origin : null,
      extent_ms: Number.isFinite(span.origin) ? roundMs(span.end - span.origin) : null,
      nodes,
    },
    primaries,
  };
}

interface TreeContext {
  readonly identity: IdentityTuple;
  readonly pairs: readonly EventPair[];
  readonly elsewhere: Elsewhere;
  readonly parent: Int32Array;
  readonly inCycle: Uint8Array;
  readonly forest: Forest;
  readonly critical: Uint8Array;
  readonly rowOf: Int32Array;
}

function extent(pairs: readonly EventPair[]): { readonly origin: number; readonly end: number } {
  let origin = Infinity;
  let end = -Infinity;
  for (const pair of pairs) {
    const from = positionMs(pair);
    const to = Number.isNaN(pair.endMs) ? from : pair.endMs;
    if (from < origin) origin = from;
    if (to < origin) origin = to;
    if (to > end) end = to;
    if (from > end) end = from;
  }
  return { origin, end };
}

function buildNode(place: TreeContext, node: number, origin: number): WaterfallNode {
  const pair = place.pairs[node] as EventPair;
  const event = primaryOf(pair);
  const { forest, elsewhere } = place;
  const above = place.parent[node] as number;
  const named = pair.parent ?? null;
  const held = pair.above !== undefined;
  const isElsewhere = named !== null && !held && elsewhere.spans.has(named);
  const remote = event.parent_remote === true;
  const cause = pair.cause ?? null;
  const duration = durationOf(pair);
  return {
    event_id: event.event_id,
    event_ids: pair.eventIds,
    event_kind: event.event_kind,
    operation: event.operation ?? null,
    status: event.status,
    lane: event.status === "error" ? "error" : laneOf[event.event_kind],
    span_id: pair.span ?? event.span_id ?? null,
    parent_span_id: named,
    parent_index: above === -1 ? null : (place.rowOf[above] as number),
    depth: forest.depth[node] as number,
    child_count: forest.childCount[node] as number,
    descendant_count: forest.descendantCount[node] as number,
    pos_in_set: forest.position[node] as number,
    set_size: forest.setSize[node] as number,
    start_offset_ms: Number.isNaN(pair.startMs) ? null : roundMs(pair.startMs - origin),
    end_offset_ms: Number.isNaN(pair.endMs) ? null : roundMs(pair.endMs - origin),
    duration_ms: duration === null ? null : roundMs(duration),
    timing: pair.timing,
    critical: place.critical[node] === 1,
    // The root has no parent to miss: neither a name equal to the root's nor a remote one counts.
    missing_parent:
      named !== null && !held && !isElsewhere && !remote && named !== place.identity.root_trace_id,
    parent_elsewhere: isElsewhere,
    remote_parent: remote,
    caused_by_event_id: cause,
    missing_cause: cause !== null && !elsewhere.events.has(cause),
    cycle: place.inCycle[node] === 1,
    clock_skewed: pair.backwards || isSkewed(pair, place.pairs[above]),
    task_id: event.task_id ?? null,
    tool_name: event.attributes.tool_name ?? null,
    model: event.attributes.model ?? null,
    links: event.links ?? noLinks,
  };
}

const noLinks: readonly SpanLink[] = [];

/** A child that starts before its parent was timed by another clock. */
function isSkewed(pair: EventPair, above: EventPair | undefined): boolean {
  if (above === undefined) return false;
  const computed = (pair.result ?? pair.point)?.started_at === undefined;
  return pair.startMs < above.startMs - (computed ? skewToleranceMs : 0);
}

/** Number of nodes with each flag. */
export function countFlags(groups: readonly WaterfallGroup[]): WaterfallCounts {
  const counts = {
    nodes: 0,
    missing_parents: 0,
    missing_causes: 0,
    cycles: 0,
    unknown_durations: 0,
    missing_completions: 0,
    clock_skewed: 0,
  };
  for (const { nodes } of groups) {
    counts.nodes += nodes.length;
    for (const node of nodes) {
      if (node.missing_parent) counts.missing_parents += 1;
      if (node.missing_cause) counts.missing_causes += 1;
      if (node.cycle) counts.cycles += 1;
      if (node.timing === "unknown") counts.unknown_durations += 1;
      if (node.timing === "missing_completion") counts.missing_completions += 1;
      if (node.clock_skewed) counts.clock_skewed += 1;
    }
  }
  return counts;
}
