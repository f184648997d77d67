/**
 * @module MemoryTurns: the ledger in memory, and the readable reference for every provider: it
 * defines the meaning of a query.
 */
import { checkScope } from "../scope.ts";
import { compareTurnPositions, passes, turnPositionOf } from "./turn-conditions.ts";
import type { TurnLedger, TurnQuery } from "./turn-query.ts";
import { compareVersions } from "./turn-record.ts";
import type { TurnRecord, TurnVersion } from "./turn-record.ts";
import { countsByFigures } from "./figure-rows.ts";
import { groupsAmong } from "./turn-groups.ts";
import { callGroups, facetOf, figureGroups } from "./turn-sums.ts";
import { heldOf } from "./turn-writes.ts";

/** Turns that end with the process. */
export function memoryTurns(): TurnLedger {
  const held = new Map<string, { readonly version: TurnVersion; readonly record?: TurnRecord }>();
  const put = (key: string, version: TurnVersion, record?: TurnRecord): void => {
    const known = held.get(key);
    if (known !== undefined && compareVersions(known.version, version) > 0) return;
    held.set(key, record === undefined ? { version } : { version, record });
  };
  const requested = (query: TurnQuery): TurnRecord[] => {
    checkScope(query.scope);
    query.signal?.throwIfAborted();
    return [...held.values()].flatMap(({ record }) =>
      record !== undefined && passes(record, query) ? [record] : [],
    );
  };
  return {
    answeredIn: "process",
    async putTurns(records) {
      for (const record of records) put(record.key, record.version, record);
    },
    async dropTurns(gone) {
      for (const { key, version } of gone) put(key, version);
    },
    async turnsOf(roots) {
      const wanted = new Set(roots);
      return [...held.values()].flatMap(({ record }) => {
        const root = record?.row.root_trace_id ?? "";
        return record !== undefined && wanted.has(root) ? [heldOf(record)] : [];
      });
    },
    async listTurns(query, { order, limit, after }) {
      const placed = requested(query)
        .map((record) => ({ record, position: turnPositionOf(record, order) }))
        .filter(
          ({ position }) => after === undefined || compareTurnPositions(position, after, order) > 0,
        )
        .toSorted((a, b) => compareTurnPositions(a.position, b.position, order));
      const page = placed.slice(0, limit);
      return {
        records: page.map(({ record }) => record),
        next: placed.length > limit ? (page.at(-1)?.position ?? null) : null,
      };
    },
    countTurns: async (query) => requested(query).length,
    turnFacets: async (query, fields, valuesMax) => {
      const records = requested(query);
      return fields.map((field) => facetOf(records, field, valuesMax));
    },
    turnCounts: async (query, options) =>
      countsByFigures(async (of, by) => figureGroups(requested(of), by), query, options),
    turnFigures: async (query, options) => figureGroups(requested(query), options),
    turnGroups: async (query, by, paging) => groupsAmong(requested(query), by, paging),
    callFigures: async (query, kind, by, options) =>
      callGroups(requested(query), { kind, by, options }),
  };
}
