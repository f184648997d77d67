/**
 * @module CompareOperations: aligns the operations of two windows. A place is the path of (kind,
 * operation, ordinal among equal siblings) from the root; paths are interned step by step, so that
 * a chain of any depth costs one number per operation.
 */
import type { EventKind } from "@turnproof/semconv";
import { roundMs } from "@turnproof/semconv";

import { fieldChanges } from "./compare-fields.ts";
import type { ComparedField, FieldChange } from "./compare-fields.ts";
import type { TurnEvent } from "../event/event.ts";
import type { GroupPrimaries } from "../waterfall/waterfall-group.ts";
import type { WaterfallNode } from "../waterfall/causal-waterfall.ts";
import { createTreeSpace, layOut } from "../waterfall/waterfall-tree.ts";

/** Differences below these do not count as changes. */
export interface Tolerance {
  /** Milliseconds, default 5. */
  readonly toleranceMs?: number;
  /** Share of the baseline's duration or tokens, default 0.1. */
  readonly toleranceRatio?: number;
}

/** A number on both sides; the difference is null unless both are known. */
export interface Delta {
  readonly baseline: number | null;
  readonly candidate: number | null;
  readonly difference: number | null;
  /** Null where the difference is not known. */
  readonly beyond_tolerance: boolean | null;
}

/** One operation at one logical place. */
export interface OperationRow {
  readonly change: "added" | "removed" | "changed" | "unchanged";
  readonly event_kind: EventKind;
  /** As recorded; without its model where the two sides use different models. */
  readonly operation: string | null;
  /** Ordinal among siblings of the same kind and operation, from 1. */
  readonly ordinal: number;
  readonly depth: number;
  /** Row of the parent, null at the top. */
  readonly parent_index: number | null;
  readonly changed_fields: readonly ComparedField[];
  /** Compared fields that differ, with both values; labels, states and counts, never content. */
  readonly changes: readonly FieldChange[];
  readonly baseline_event_id: string | null;
  readonly candidate_event_id: string | null;
  readonly duration_ms: Delta;
  readonly tokens: Delta;
  /** The number of equal siblings differs, so that the ordinal may pair the wrong two. */
  readonly ambiguous: boolean;
}

/** All operations of both windows, in pre-order, and sums. */
export interface OperationComparison {
  readonly operations: readonly OperationRow[];
  readonly counts: {
    readonly total: number;
    readonly matched: number;
    readonly ambiguous: number;
    readonly added: number;
    readonly removed: number;
    readonly changed: number;
  };
  readonly duration_ms: Delta;
  readonly tokens: Delta;
}

/** One side: its events and the groups of their waterfall. */
export interface Side {
  readonly events: readonly TurnEvent[];
  readonly groups: readonly GroupPrimaries[];
}

/** An operation of one side: its node and the node's primary event. */
interface SideOperation {
  node: WaterfallNode | undefined;
  event: TurnEvent | undefined;
}

interface RowBuilder {
  readonly parent: number;
  readonly kind: EventKind;
  operation: string | null;
  readonly ordinal: number;
  /** The equal siblings on each side. */
  readonly alike: Alike;
  below: Siblings | undefined;
  readonly baseline: SideOperation;
  readonly candidate: SideOperation;
}

type SideName = "baseline" | "candidate";

/** Siblings of one kind and operation: their places by ordinal, and their number on each side. */
interface Alike {
  readonly label: number;
  readonly places: number[];
  baseline: number;
  candidate: number;
}

/** Most labels for which siblings are searched one by one; most places have one or two. */
const labelsListed = 8;

/** The children of one place by label. */
interface Siblings {
  readonly list: Alike[];
  byLabel: Map<number, Alike> | undefined;
}

function alikeOf(siblings: Siblings, label: number): Alike {
  const { list, byLabel } = siblings;
  const known = byLabel === undefined ? listed(list, label) : byLabel.get(label);
  if (known !== undefined) return known;
  const alike: Alike = { label, places: [], baseline: 0, candidate: 0 };
  list.push(alike);
  byLabel?.set(label, alike);
  if (list.length > labelsListed && byLabel === undefined) {
    siblings.byLabel = new Map(list.map((one) => [one.label, one]));
  }
  return alike;
}

function listed(list: readonly Alike[], label: number): Alike | undefined {
  for (const alike of list) if (alike.label === label) return alike;
  return undefined;
}

/** Aligns and compares. Turns are aligned by time, regardless of their ids. */
export function compareOperations(
  baseline: Side,
  candidate: Side,
  tolerance: Tolerance,
): OperationComparison {
  const places: RowBuilder[] = [];
  const tops: Siblings[] = [];
  const labelOf = labels();
  const siblingsAt = (parent: number): Siblings => {
    if (parent < 0) return (tops[-parent] ??= { list: [], byLabel: undefined });
    return ((places[parent] as RowBuilder).below ??= { list: [], byLabel: undefined });
  };
  const put = (side: SideName, parent: number, node: WaterfallNode, event: TurnEvent): number => {
    const { event_kind: kind, operation } = node;
    const bare = withoutModel(operation, event);
    const alike = alikeOf(siblingsAt(parent), labelOf(kind, bare ?? ""));
    const at = alike[side];
    alike[side] = at + 1;
    let place = alike.places[at];
    if (place === undefined) {
      place = places.length;
      alike.places.push(place);
      places.push({
        parent,
        kind,
        operation,
        ordinal: at + 1,
        alike,
        below: undefined,
        baseline: { node: undefined, event: undefined },
        candidate: { node: undefined, event: undefined },
      });
    }
    const known = places[place] as RowBuilder;
    if (known.operation !== operation) known.operation = bare;
    known[side].node = node;
    known[side].event = event;
    return place;
  };
  walk(baseline, (parent, node, event) => put("baseline", parent, node, event));
  walk(candidate, (parent, node, event) => put("candidate", parent, node, event));
  const space = createTreeSpace(places.length);
  places.forEach(({ parent }, place) => (space.parent[place] = Math.max(parent, -1)));
  const forest = layOut(space, places.length);
  const { rowOf } = forest;
  const operations: OperationRow[] = [];
  for (let row = 0; row < places.length; row += 1) {
    const index = forest.order[row] as number;
    const place = places[index] as RowBuilder;
    const above = place.parent < 0 ? null : (rowOf[place.parent] as number);
    operations.push(toRow(place, forest.depth[index] as number, above, tolerance));
  }
  return summarize(operations, baseline, candidate, tolerance);
}

/**
 * The operation name for alignment. It often ends with the model (`chat small-2`), and the same
 * call of another model is the same place with a change, not one call removed and another added.
 */
function withoutModel(operation: string | null, { attributes }: TurnEvent): string | null {
  const { model } = attributes;
  if (operation === null || model === undefined) return operation;
  const named = ` ${model}`;
  return operation.endsWith(named) ? operation.slice(0, -named.length) : operation;
}

/** Kind and operation as a number, so that no text is built for each node. */
function labels(): (kind: EventKind, operation: string) => number {
  const byOperation = new Map<string, Map<EventKind, number>>();
  let size = 0;
  return (kind, operation) => {
    let byKind = byOperation.get(operation);
    if (byKind === undefined) byOperation.set(operation, (byKind = new Map()));
    let label = byKind.get(kind);
    if (label === undefined) byKind.set(kind, (label = size++));
    return label;
  };
}

/** Visits the nodes of a side from the root; group `n` is below place `-1 - n`. */
function walk(
  side: Side,
  put: (parent: number, node: WaterfallNode, event: TurnEvent) => number,
): void {
  side.groups.forEach(({ group, primaries }, ordinal) => {
    const placeOf = new Int32Array(group.nodes.length);
    for (let row = 0; row < group.nodes.length; row += 1) {
      const node = group.nodes[row] as WaterfallNode;
      const above =
        node.parent_index === null ? -1 - ordinal : (placeOf[node.parent_index] as number);
      placeOf[row] = put(above, node, primaries[row] as TurnEvent);
    }
  });
}

function toRow(
  place: RowBuilder,
  depth: number,
  parent: number | null,
  tolerance: Tolerance,
): OperationRow {
  const { baseline, candidate } = place;
  const before = baseline.event;
  const after = candidate.event;
  const both = before !== undefined && after !== undefined;
  const changes = both ? fieldChanges(before, after, tolerance.toleranceRatio ?? 0.1) : unchanged;
  const matched = changes.length > 0 ? "changed" : "unchanged";
  return {
    change: both ? matched : before === undefined ? "added" : "removed",
    event_kind: place.kind,
    operation: place.operation,
    ordinal: place.ordinal,
    depth,
    parent_index: parent,
    changed_fields: changes.map(({ field }) => field),
    changes,
    baseline_event_id: baseline.node?.event_id ?? null,
    candidate_event_id: candidate.node?.event_id ?? null,
    duration_ms: delta(
      baseline.node?.duration_ms ?? null,
      candidate.node?.duration_ms ?? null,
      tolerance.toleranceMs ?? 5,
      tolerance.toleranceRatio ?? 0.1,
    ),
    tokens: delta(tokensOf(before), tokensOf(after), 0, tolerance.toleranceRatio ?? 0.1),
    ambiguous: both && place.alike.baseline !== place.alike.candidate,
  };
}

const unchanged: readonly FieldChange[] = [];

/** Total tokens of a model call: as recorded, or the sum where both parts are known. */
function tokensOf(event: TurnEvent | undefined): number | null {
  if (event?.event_kind !== "model_call") return null;
  const { total_tokens, input_tokens, output_tokens } = event.attributes;
  if (total_tokens !== undefined) return total_tokens;
  if (input_tokens === undefined || output_tokens === undefined) return null;
  return input_tokens + output_tokens;
}

function delta(
  baseline: number | null,
  candidate: number | null,
  absolute: number,
  ratio: number,
): Delta {
  if (baseline === null || candidate === null) {
    return { baseline, candidate, difference: null, beyond_tolerance: null };
  }
  const difference = roundMs(candidate - baseline);
  const allowed = Math.max(absolute, Math.abs(baseline) * ratio);
  return { baseline, candidate, difference, beyond_tolerance: Math.abs(difference) > allowed };
}

/** A sum is known only where every part is known. */
function sum(parts: readonly (number | null)[]): number | null {
  let total = 0;
  for (const part of parts) {
    if (part === null) return null;
    total += part;
  }
  return parts.length === 0 ? null : roundMs(total);
}

function summarize(
  operations: readonly OperationRow[],
  baseline: Side,
  candidate: Side,
  tolerance: Tolerance,
): OperationComparison {
  const counts = { added: 0, removed: 0, changed: 0, unchanged: 0 };
  let ambiguous = 0;
  for (const row of operations) {
    counts[row.change] += 1;
    if (row.ambiguous) ambiguous += 1;
  }
  const { added, removed, changed } = counts;
  const extent = ({ groups }: Side): number | null =>
    sum(groups.map(({ group }) => group.extent_ms));
  const tokens = ({ events }: Side): number | null => {
    const calls = events.filter((e) => e.event_kind === "model_call" && e.phase !== "start");
    return sum(calls.map(tokensOf));
  };
  const ratio = tolerance.toleranceRatio ?? 0.1;
  return {
    operations,
    counts: {
      total: operations.length,
      matched: changed + counts.unchanged,
      ambiguous,
      added,
      removed,
      changed,
    },
    duration_ms: delta(extent(baseline), extent(candidate), tolerance.toleranceMs ?? 5, ratio),
    tokens: delta(tokens(baseline), tokens(candidate), 0, ratio),
  };
}
