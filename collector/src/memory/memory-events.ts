/**
 * @module Memory events: the evidence store combined with the rows of memory, so that `store=` has
 * the same meaning for all rows. Rows are read for a single tenant: the caller's, or the one that
 * an unbound caller names; none are read for a caller bound to an application, because rows have
 * no application.
 */
import type { EventQuery, TurnEvent } from "@turnproof/evidence";
import { CodedError, limits } from "@turnproof/semconv";
import type { Identity, TenantFilter } from "@turnproof/semconv";
import type {
  EventSlice,
  EvidenceScope,
  EvidenceStore,
  Keyset,
  MemoryStore,
  SliceOptions,
} from "@turnproof/store";

import { boundStore } from "../backend/bound-store.ts";
import { readRows, rowStores, withoutLogged } from "./memory-rows.ts";
import type { RowStore } from "./memory-rows.ts";

/** Field of a position: the evidence is finished, and this is the present kind of rows. */
const phaseField = "memory_rows";
const tokenField = "memory_after";

const rowsBudget = 20_000;
/** Most turns per page whose calls are compared with the log. */
const comparedTurnsMax = 64;

/** The store, with memory's rows in the results of `page` and `find`. */
export function withMemoryRows(
  store: EvidenceStore,
  memory: MemoryStore | undefined,
): EvidenceStore {
  if (memory === undefined) return store;
  return {
    ...boundStore(store),
    page: (scope, query, options) =>
      readBoth(store, memory, { scope, query, options }, (rest) => store.page(scope, query, rest)),
    find: (scope, id, query, options) =>
      readBoth(
        store,
        memory,
        { scope, query, options, only: (event) => names(event, id) },
        (rest) => store.find(scope, id, query, rest),
      ),
  };
}

/** Tenant whose rows a query may read; undefined without a tenant or with an application. */
export function tenantOf(scope: EvidenceScope, query: EventQuery): string | null | undefined {
  if ("operator" in scope) {
    return scope.operator.applicationId === undefined ? query.user_id : undefined;
  }
  return scope.applicationId === undefined ? scope.tenant : undefined;
}

interface Question {
  readonly scope: EvidenceScope;
  readonly query: EventQuery;
  readonly options: SliceOptions;
  readonly only?: (event: TurnEvent) => boolean;
}

/** The evidence store first, then each kind of rows, each newest first. */
async function readBoth(
  store: EvidenceStore,
  memory: MemoryStore,
  question: Question,
  readEvidence: (options: SliceOptions) => Promise<EventSlice>,
): Promise<EventSlice> {
  const { scope, query, options } = question;
  const source = query.store ?? "trace";
  const tenant = tenantOf(scope, query);
  if (source === "trace" || tenant === undefined) return readEvidence(options);
  const wanted = rowStores.filter((name) => source === "all" || source === name);
  const start = startOf(options.after, wanted);
  let slice = start === undefined ? await readEvidence(options) : nothing;
  if (slice.next !== null || slice.bounded) return slice;
  let at = start ?? { store: wanted[0], token: undefined };
  while (at.store !== undefined) {
    const room = options.limit - slice.events.length;
    const next: RowStore | undefined = wanted[wanted.indexOf(at.store) + 1];
    if (room <= 0) return { ...slice, next: positionOf(at.store, at.token) };
    const rows = await rowsOf(memory, at.store, { tenant, question, room, token: at.token });
    const events =
      at.store === "tool_log" && source === "all"
        ? withoutLogged(rows.events, await tracedCalls(store, question, rows.events))
        : rows.events;
    slice = joined(slice, { ...rows, events }, rows.events.length - events.length);
    if (rows.next !== null) {
      return { ...slice, next: positionOf(at.store, rows.next) };
    }
    at = { store: next, token: undefined };
  }
  return slice;
}

const nothing: EventSlice = {
  events: [],
  next: null,
  sourceRows: 0,
  bundleCount: 0,
  duplicatesRemoved: 0,
  errors: [],
  bounded: false,
};

type RowAnswer = Awaited<ReturnType<typeof readRows>>;

/** A memory that does not answer is a finding of the page, not its failure. */
async function rowsOf(
  memory: MemoryStore,
  store: RowStore,
  of: TenantFilter & {
    readonly question: Question;
    readonly room: number;
    readonly token: string | undefined;
  },
): Promise<RowAnswer> {
  const { query, options, only } = of.question;
  try {
    return await readRows(
      memory,
      store,
      { tenant: of.tenant, query },
      {
        limit: of.room,
        budgetRows: Math.min(options.budgetRows ?? rowsBudget, rowsBudget),
        ...(of.token === undefined ? {} : { after: of.token }),
        ...(only === undefined ? {} : { only }),
      },
    );
  } catch (error) {
    if (!CodedError.is(error) || !error.retryable) throw error;
    const finding = { code: "provider_query_failed", count: 1, source_store: store } as const;
    return { events: [], next: null, sourceRows: 0, errors: [finding], bounded: false };
  }
}

function joined(slice: EventSlice, rows: RowAnswer, dropped: number): EventSlice {
  return {
    ...slice,
    events: [...slice.events, ...rows.events],
    sourceRows: slice.sourceRows + rows.sourceRows,
    duplicatesRemoved: slice.duplicatesRemoved + dropped,
    errors: [...slice.errors, ...rows.errors],
    bounded: slice.bounded || rows.bounded,
  };
}

/** Tool calls of the trace in the turns of the log's events. */
async function tracedCalls(
  store: EvidenceStore,
  { scope, query }: Question,
  logged: readonly TurnEvent[],
): Promise<readonly TurnEvent[]> {
  const turns = [...new Set(logged.flatMap((event) => event.turn_id ?? []))];
  const user = query.user_id === undefined ? {} : { user_id: query.user_id };
  const slices = await Promise.all(
    turns.slice(0, comparedTurnsMax).map((turn_id) => {
      const calls: EventQuery = { ...user, turn_id, event_kind: "tool_call" };
      return store.page(scope, calls, { limit: limits.pageEventsMax });
    }),
  );
  return slices.flatMap((slice) => slice.events);
}

interface Start {
  readonly store: RowStore | undefined;
  readonly token: string | undefined;
}

/** Position in the rows; undefined while it is in the evidence. */
function startOf(after: Keyset | undefined, wanted: readonly RowStore[]): Start | undefined {
  if (after?.[phaseField] === undefined) return undefined;
  const phase = phaseOf(after);
  const store = wanted.find((name) => name === phase);
  const token = after?.[tokenField];
  if (store === undefined) throw new CodedError("cursor_rejected");
  return { store, token: typeof token === "string" ? token : undefined };
}

/** Kind of rows of a position; undefined while it is in the evidence. */
export function phaseOf(position: Keyset | null | undefined): RowStore | undefined {
  const phase = position?.[phaseField];
  return rowStores.find((name) => name === phase);
}

function positionOf(store: RowStore, token: string | undefined): Keyset {
  return { [phaseField]: store, ...(token === undefined ? {} : { [tokenField]: token }) };
}

/** True when the event of a row has the id in its identity or attributes. */
function names(event: TurnEvent, id: string): boolean {
  const values: readonly unknown[] = [...Object.values(event), ...Object.values(event.attributes)];
  return values.includes(id);
}

/** Most rows that a timeline reads of one thread. */
const timelineRowsMax = 500;

/**
 * Rows of memory for the timeline of a root: messages and logged calls of the turns among its
 * events, for each of their tenants (requirements: Endpoints 6).
 */
export async function timelineRows(
  memory: MemoryStore | undefined,
  scope: EvidenceScope,
  events: readonly TurnEvent[],
): Promise<readonly TurnEvent[]> {
  if (memory === undefined) return [];
  const turns = new Set(events.flatMap((event) => event.turn_id ?? []));
  const places = new Map<string, EventQuery & Pick<Identity, "user_id">>();
  for (const { user_id, agent_id, thread_id, event_kind } of events) {
    if (event_kind !== "turn" || user_id === undefined || thread_id === undefined) continue;
    if (tenantOf(scope, { user_id }) !== user_id) continue;
    const agent = agent_id === undefined ? {} : { agent_id };
    places.set(JSON.stringify([user_id, agent_id, thread_id]), { user_id, thread_id, ...agent });
  }
  const question = (query: EventQuery): Question => ({
    scope,
    query,
    options: { limit: timelineRowsMax, budgetRows: timelineRowsMax * 4 },
    only: (event) => event.turn_id !== undefined && turns.has(event.turn_id),
  });
  const slices = await Promise.all(
    [...places.values()].flatMap((query) =>
      rowStores.map((store) =>
        rowsOf(memory, store, {
          tenant: query.user_id,
          question: question(query),
          room: timelineRowsMax,
          token: undefined,
        }),
      ),
    ),
  );
  const rows = slices.flatMap((slice) => slice.events);
  return [
    ...rows.filter((event) => event.source_store === "conversation"),
    ...withoutLogged(
      rows.filter((event) => event.source_store === "tool_log"),
      events,
    ),
  ];
}
