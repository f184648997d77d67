/** @module WaterfallGroup: builds the rows of one turn from its pairs of events. */
import { roundMs } from "@turnproof/semconv";
import type { EventKind } from "@turnproof/semconv";

import type { SpanLink, TurnEvent } from "../event/event.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";
import { durationOf, positionMs, primaryOf } from "./waterfall-nodes.ts";
import type { EventPair } from "./waterfall-nodes.ts";
import { criticalPath, cutCycles, layOut } from "./waterfall-tree.ts";
import type { Forest, TreeSpace } from "./waterfall-tree.ts";
import type { Lane, WaterfallGroup, WaterfallNode } from "./causal-waterfall.ts";
import type { Elsewhere } from "./waterfall-elsewhere.ts";

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

/** A group with the primary event of each of its nodes. */
export interface GroupPrimaries {
  readonly group: WaterfallGroup;
  readonly primaries: readonly TurnEvent[];
}

/** One turn: its nodes in pre-order. */
export function buildGroup(
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

/** Facts about the tree of a group that its rows share. */
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
