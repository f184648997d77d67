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

/** What is written, and the question. */
export interface TurnHistory {
  readonly records: readonly TurnRecord[];
  readonly gone: readonly TurnRecord[];
  readonly question: TurnQuery;
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
    question,
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
    const page = await store.listTurns(question, { order, limit: 7, ...next });
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
      const page = await store.turnGroups(question, by, { limit: 3, ...next, ...ordered });
      groups.push(page);
      from = page.next ?? undefined;
    } while (from !== undefined);
  }
  const first = question.where[0] ?? { call: called };
  const stretch = everyMs === undefined ? {} : { everyMs };
  const timed = time === undefined ? stretch : { ...stretch, time };
  return {
    pages,
    groups,
    count: await store.countTurns(question),
    facets: await store.turnFacets(question, [field, "verdict", "tool_name"], 3),
    counts: [
      await store.turnCounts(question, {}),
      await store.turnCounts(question, stretch),
      await store.turnCounts(question, { by: field, ...stretch, also: { call: called } }),
      await store.turnCounts({ ...question, where: [] }, { by: field, also: first }),
    ],
    all: await store.turnFigures(question, {}),
    figures: await store.turnFigures(question, { by: field, ...timed }),
    stretches: await store.turnFigures(question, stretch),
    tools: await store.callFigures(question, "tool", by),
    agents: await store.callFigures(question, "agent", by),
    models: await store.callFigures(question, "model", ["name", "release"]),
    divided: await store.callFigures(question, "model", by, divided),
    called: [
      await store.countTurns({ ...question, where: [{ call: called }] }),
      await store.countTurns({ ...question, where: [{ call: called, not: true }] }),
    ],
  };
}
