/**
 * @module Memory rows: rows of the conversation and tool_log kinds as events without their text
 * (vocabulary: Event kinds; storage: Scopes). They always have a tenant. Content is dropped before
 * a row is read further, and an unreadable row is a finding, not an event.
 */
import { dropLoggedCalls, matches, normalize, sumErrors } from "@turnproof/evidence";
import type { EventQuery, NormalizationError, TurnEvent } from "@turnproof/evidence";
import type { TenantFilter } from "@turnproof/semconv";
import type { MemoryRecord, MemoryStore } from "@turnproof/store";

import { memoryFilter } from "./memory-filter.ts";

/** The two memory kinds that are stores of the events endpoint. */
export const rowStores = ["conversation", "tool_log"] as const;
export type RowStore = (typeof rowStores)[number];

/** Start and bounds of reading rows. */
export interface RowReading {
  readonly limit: number;
  readonly after?: string;
  /** Rows that may be read. */
  readonly budgetRows: number;
  /** Further condition on events beside the query; default all. */
  readonly only?: (event: TurnEvent) => boolean;
}

/** Events of rows, and the end of the read. */
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
  of: TenantFilter & { readonly query: EventQuery },
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
      // The page ends inside this chunk: reading the same rows again gives the position after the
      // last.
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
      // After a spent budget the read is not continued: the slice is marked as bounded.
      return { events, next: after, sourceRows: rows, errors: sumErrors(errors), bounded };
    }
  }
}

/** Number of rows used until the limit is reached. */
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

/** Fields of a row's data that may be read; content is not among them. */
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
  const fields = Object.fromEntries(
    readFields.flatMap((field) => (data?.[field] === undefined ? [] : [[field, data[field]]])),
  );
  const { events, errors } = normalize(
    [{ ...fields, id, user_id, agent_id, memory_id, thread_id, created_at }],
    { store },
  );
  return { events, errors };
}

/** The events of the row behind an event id; none where the row was deleted. */
export async function rowEvents(
  memory: MemoryStore,
  store: RowStore,
  of: TenantFilter & { readonly eventId: string },
): Promise<readonly TurnEvent[]> {
  // An event of a row has the id `<kind>:<id of the row>`; longer ids become digests.
  const id = of.eventId.slice(of.eventId.indexOf(":") + 1);
  const row = await memory.get({ tenant: of.tenant }, store, id);
  return row === undefined ? [] : readRow(row, store).events;
}

/** The log's events without those whose result is in the trace. */
export function withoutLogged(
  logged: readonly TurnEvent[],
  traced: readonly TurnEvent[],
): TurnEvent[] {
  return dropLoggedCalls([...traced, ...logged]).filter(
    (event) => event.source_store === "tool_log",
  );
}
