/** @module TurnAnswers: writes one random history to a store, and runs all queries on it. */
import type {
  CallField,
  CallOptions,
  CallValues,
  GroupOrder,
  GroupPosition,
  GroupsPage,
  TurnOrder,
  TurnPosition,
  TurnQuery,
  TurnReader,
  TurnWriter,
} from "../ledger/turn-query.ts";
import type { ListField, StoredTime, TextField } from "../ledger/turn-fields.ts";
import type { TurnRecord } from "../ledger/turn-record.ts";
import { heldOf } from "../ledger/turn-writes.ts";

/** What is written, and the query. */
export interface TurnHistory {
  readonly records: readonly TurnRecord[];
  readonly gone: readonly TurnRecord[];
  readonly query: TurnQuery;
  readonly order: TurnOrder;
  readonly field: TextField | ListField;
  readonly by: readonly CallField[];
  readonly divided: CallOptions;
  readonly called: CallValues;
  readonly everyMs: number | undefined;
  /** Time of the intervals of figures. */
  readonly time: StoredTime | undefined;
  readonly aheadFrom: number | undefined;
  readonly groupOrder: GroupOrder | undefined;
}

/** Writes the history and returns every answer; two stores must agree. */
export async function requestAll(
  store: TurnReader & TurnWriter,
  {
    records,
    gone,
    query,
    order,
    field,
    by,
    divided,
    called,
    everyMs,
    time,
    aheadFrom,
    groupOrder,
  }: TurnHistory,
): Promise<object> {
  await store.putTurns(records.slice(0, 20));
  await store.dropTurns(gone.map(heldOf));
  await store.putTurns(records.slice(20));
  const pages: (readonly TurnRecord[])[] = [];
  let after: TurnPosition | undefined;
  do {
    const next = after === undefined ? {} : { after };
    const page = await store.listTurns(query, { order, limit: 7, ...next });
    pages.push(page.records);
    after = page.next ?? undefined;
  } while (after !== undefined);
  const groups: GroupsPage[] = [];
  for (const by of ["thread_id", "agent_id"] as const) {
    let from: GroupPosition | undefined;
    do {
      const next = from === undefined ? {} : { after: from };
      const ahead = aheadFrom === undefined ? {} : { aheadFrom };
      const ordered = groupOrder === undefined ? ahead : { ...ahead, order: groupOrder };
      const page = await store.turnGroups(query, by, { limit: 3, ...next, ...ordered });
      groups.push(page);
      from = page.next ?? undefined;
    } while (from !== undefined);
  }
  const first = query.where[0] ?? { call: called };
  const stretch = everyMs === undefined ? {} : { everyMs };
  const timed = time === undefined ? stretch : { ...stretch, time };
  return {
    pages,
    groups,
    count: await store.countTurns(query),
    facets: await store.turnFacets(query, [field, "verdict", "tool_name"], 3),
    counts: [
      await store.turnCounts(query, {}),
      await store.turnCounts(query, stretch),
      await store.turnCounts(query, { by: field, ...stretch, also: { call: called } }),
      await store.turnCounts({ ...query, where: [] }, { by: field, also: first }),
    ],
    all: await store.turnFigures(query, {}),
    figures: await store.turnFigures(query, { by: field, ...timed }),
    stretches: await store.turnFigures(query, stretch),
    tools: await store.callFigures(query, "tool", by),
    agents: await store.callFigures(query, "agent", by),
    models: await store.callFigures(query, "model", ["name", "release"]),
    divided: await store.callFigures(query, "model", by, divided),
    called: [
      await store.countTurns({ ...query, where: [{ call: called }] }),
      await store.countTurns({ ...query, where: [{ call: called, not: true }] }),
    ],
  };
}
