/**
 * @module Memory rows: rows of the conversation and tool_log kinds as events without their text
 * (design 3.2, 5.1). They always have a tenant; what a row says is left behind before it is looked
 * at, and a row that cannot be read is a finding, not an event.
 */
import { dropLoggedCalls, matches, normalize, sumErrors } from "@turnproof/evidence";
import type { EventQuery, NormalizationError, TurnEvent } from "@turnproof/evidence";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import { memoryFilter } from "./memory-filter.ts";

/** The two memory kinds that are stores of the events endpoint. */
export const rowStores = ["conversation", "tool_log"] as const;
export type RowStore = (typeof rowStores)[number];

/** Where a reading of rows starts and how far it may go. */
export interface RowReading {
  readonly limit: number;
  readonly after?: string;
  /** Rows that may be examined. */
  readonly budgetRows: number;
  /** Which events are wanted beside the query; default all. */
  readonly only?: (event: TurnEvent) => boolean;
}

/** Events of rows, and where the reading ended. */
export interface RowSlice {
  readonly events: readonly TurnEvent[];
  readonly next: string | null;
  readonly sourceRows: number;
  readonly errors: readonly NormalizationError[];
  readonly bounded: boolean;
}

const chunkRows = 250;

/** Events of one kind's rows under the filter, newest first; never more than the limit. */
export async function readRows(
  memory: MemoryStore,
  store: RowStore,
  of: { readonly tenant: string | null; readonly query: EventQuery },
  reading: RowReading,
): Promise<RowSlice> {
  const filter = memoryFilter(of.tenant, of.query);
  const wanted = (event: TurnEvent): boolean =>
    matches(event, { ...of.query, store }) && (reading.only?.(event) ?? true);
  const events: TurnEvent[] = [];
  const errors: NormalizationError[] = [];
  let after = reading.after ?? null;
  let rows = 0;
  for (;;) {
    const position = after === null ? {} : { after };
    let page = await memory.list(filter, store, { limit: chunkRows, ...position });
    let read = page.records.map((row) => readRow(row, store));
    const last = lastTaken(read, wanted, reading.limit - events.length);
    if (last < page.records.length) {
      // The page ends inside this chunk: the same rows again give the position behind the last.
      page = await memory.list(filter, store, { limit: last, ...position });
      read = page.records.map((row) => readRow(row, store));
    }
    rows += page.records.length;
    events.push(...read.flatMap((row) => row.events).filter(wanted));
    errors.push(...read.flatMap((row) => row.errors));
    after = page.next;
    const spent = rows >= reading.budgetRows;
    if (after === null || events.length >= reading.limit || spent) {
      const bounded = spent && after !== null && events.length < reading.limit;
      // What a spent budget left is not gone on with: the slice says that it is bounded.
      return { events, next: after, sourceRows: rows, errors: sumErrors(errors), bounded };
    }
  }
}

/** How many of the rows are taken until the limit is met. */
function lastTaken(
  read: readonly Read[],
  wanted: (event: TurnEvent) => boolean,
  limit: number,
): number {
  let taken = 0;
  for (const [index, row] of read.entries()) {
    taken += row.events.filter(wanted).length;
    if (taken >= limit) return index + 1;
  }
  return read.length;
}

interface Read {
  readonly events: readonly TurnEvent[];
  readonly errors: readonly NormalizationError[];
}

/** Fields of a row's data that may be looked at; what was said, asked or answered is not. */
const readFields = [
  "turn_id",
  "run_id",
  "root_trace_id",
  "task_id",
  "tool_name",
  "tool_call_id",
  "tool_type",
  "outcome",
  "status",
  "success",
  "duration_ms",
  "started_at",
  "ended_at",
] as const;

function readRow(row: MemoryRecord, store: RowStore): Read {
  const { id, user_id, agent_id, memory_id, thread_id, created_at, data } = row;
  const said = Object.fromEntries(
    readFields.flatMap((field) => (data?.[field] === undefined ? [] : [[field, data[field]]])),
  );
  const { events, errors } = normalize(
    [{ ...said, id, user_id, agent_id, memory_id, thread_id, created_at }],
    { store },
  );
  return { events, errors };
}

/** The events of the row behind an event id; none where the row is gone. */
export async function rowEvents(
  memory: MemoryStore,
  store: RowStore,
  of: { readonly tenant: string | null; readonly eventId: string },
): Promise<readonly TurnEvent[]> {
  // An event of a row is named `<kind>:<id of the row>`; ids too long for that are digests.
  const id = of.eventId.slice(of.eventId.indexOf(":") + 1);
  const row = await memory.get({ tenant: of.tenant }, store, id);
  return row === undefined ? [] : readRow(row, store).events;
}

/** The log's events without those whose result is among the trace's. */
export function withoutLogged(
  logged: readonly TurnEvent[],
  traced: readonly TurnEvent[],
): TurnEvent[] {
  return dropLoggedCalls([...traced, ...logged]).filter(
    (event) => event.source_store === "tool_log",
  );
}
