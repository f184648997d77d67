/**
 * @module CausalWaterfall: the rows of a waterfall, turn by turn, and the number with each flag.
 */
import type { EventKind, EventStatus, TimingState } from "@turnproof/semconv";

import type { SpanLink } from "../event/event.ts";
import type { IdentityTuple } from "../event/identity-tuple.ts";

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
