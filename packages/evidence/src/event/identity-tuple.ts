/**
 * @module IdentityTuple: the identity to which an event belongs. The tuple (application, agent,
 * user, thread, root, turn) is compared as a whole; evidence of one tuple never counts for another
 * (requirements: Reconciliation 5; evidence: Normalize). Events are partitioned by it once, and
 * every step works group by group, so that its maps stay small.
 */
import type { Identity } from "@turnproof/semconv";

import type { TurnEvent } from "./event.ts";
import { createIdentityTable } from "./identity-table.ts";

/** The fields of the tuple. */
export const tupleFields = [
  "application_id",
  "agent_id",
  "user_id",
  "thread_id",
  "root_trace_id",
  "turn_id",
] as const;

/** One tuple. `user_id` has three states; every other field is present or absent. */
export type IdentityTuple = Partial<Pick<Identity, (typeof tupleFields)[number]>>;

/** A partition: group `g` holds the indexes `order[starts[g]] … order[starts[g + 1] - 1]`. */
export interface Partition {
  readonly starts: Int32Array;
  readonly order: Int32Array;
}

/** Events partitioned by tuple. */
export interface IdentityGroups extends Partition {
  readonly tuples: readonly IdentityTuple[];
  /** The group of each event. */
  readonly groupOf: Int32Array;
  /** For each group, the number of its tenant and root, in which parents are looked up. */
  readonly traceOf: Int32Array;
}

/** The tuple of an event, without absent fields. */
export function tupleOf(event: TurnEvent): IdentityTuple {
  const tuple: { -readonly [K in keyof IdentityTuple]: IdentityTuple[K] } = {};
  if (event.application_id !== undefined) tuple.application_id = event.application_id;
  if (event.agent_id !== undefined) tuple.agent_id = event.agent_id;
  if (event.user_id !== undefined) tuple.user_id = event.user_id;
  if (event.thread_id !== undefined) tuple.thread_id = event.thread_id;
  if (event.root_trace_id !== undefined) tuple.root_trace_id = event.root_trace_id;
  if (event.turn_id !== undefined) tuple.turn_id = event.turn_id;
  return tuple;
}

/** True when both events are evidence of one tuple. */
export function isSameTuple(a: TurnEvent, b: TurnEvent): boolean {
  return (
    a.turn_id === b.turn_id &&
    a.root_trace_id === b.root_trace_id &&
    a.thread_id === b.thread_id &&
    a.user_id === b.user_id &&
    a.agent_id === b.agent_id &&
    a.application_id === b.application_id
  );
}

/** A partition that is being built, event by event in input order. */
export interface Grouping {
  add(event: TurnEvent): void;
  /** Call it once, after the announced number of events. */
  done(): IdentityGroups;
}

/** An empty partition for that many events. */
export function createGrouping(size: number): Grouping {
  const tuplesTable = createIdentityTable(tupleFields);
  const traces = createIdentityTable(["user_id", "root_trace_id"]);
  const tuples: IdentityTuple[] = [];
  const traceOf: number[] = [];
  const groupOf = new Int32Array(size);
  let before: TurnEvent | undefined;
  let group = -1;
  let added = 0;
  return {
    add(event) {
      // Events of a turn are adjacent, so the table is rarely needed.
      if (before === undefined || !isSameTuple(event, before)) {
        group = tuplesTable.idOf(event);
        if (group === tuples.length) {
          tuples.push(tupleOf(event));
          traceOf.push(traces.idOf(event));
        }
      }
      before = event;
      groupOf[added] = group;
      added += 1;
    },
    done: () => ({
      tuples,
      groupOf,
      traceOf: Int32Array.from(traceOf),
      ...partition(groupOf, tuples.length),
    }),
  };
}

/**
 * Partitions events by tuple in linear time; groups are in order of first occurrence, events in
 * input order.
 */
export function groupByIdentity(events: readonly TurnEvent[]): IdentityGroups {
  const grouping = createGrouping(events.length);
  for (const event of events) grouping.add(event);
  return grouping.done();
}

/** A stable counting sort of indexes by their group. */
export function partition(groupOf: Int32Array, groups: number): Partition {
  const starts = new Int32Array(groups + 1);
  for (let index = 0; index < groupOf.length; index += 1) {
    const after = (groupOf[index] as number) + 1;
    starts[after] = (starts[after] as number) + 1;
  }
  for (let group = 0; group < groups; group += 1) {
    starts[group + 1] = (starts[group + 1] ?? 0) + (starts[group] ?? 0);
  }
  const next = starts.slice();
  const order = new Int32Array(groupOf.length);
  for (let index = 0; index < groupOf.length; index += 1) {
    const group = groupOf[index] as number;
    const at = next[group] as number;
    order[at] = index;
    next[group] = at + 1;
  }
  return { starts, order };
}

/** The members of one group, in the order of the partition. */
export function membersOf<T>(items: readonly T[], groups: Partition, group: number): T[] {
  const { starts, order } = groups;
  const from = starts[group] ?? 0;
  const to = starts[group + 1] ?? from;
  const first = order[from] as number;
  // Within a group the order ascends, and most groups are contiguous.
  if (to > from && order[to - 1] === first + to - from - 1) {
    return items.slice(first, first + to - from);
  }
  const members: T[] = [];
  for (let at = from; at < to; at += 1) members.push(items[order[at] as number] as T);
  return members;
}

/** An order of tuples that is independent of arrival: absent, null, then text. */
export function compareTuples(a: IdentityTuple, b: IdentityTuple): number {
  for (const field of tupleFields) {
    const order = compareValues(a[field], b[field]);
    if (order !== 0) return order;
  }
  return 0;
}

function compareValues(a: string | null | undefined, b: string | null | undefined): number {
  if (a === b) return 0;
  if (typeof a !== "string" || typeof b !== "string") return rank(a) - rank(b);
  return a < b ? -1 : 1;
}

function rank(value: string | null | undefined): number {
  return value === undefined ? 0 : value === null ? 1 : 2;
}
