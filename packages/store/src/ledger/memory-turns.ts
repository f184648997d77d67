/**
 * @module MemoryTurns: the ledger's turns in memory, and the readable reference of every provider:
 * what a question means is what this answers.
 */
import { checkScope } from "../scope.ts";
import { comparePlaces, passes, placeOf } from "./turn-conditions.ts";
import type { TurnQuestion, TurnReader, TurnWriter } from "./turn-question.ts";
import { compareVersions } from "./turn-record.ts";
import type { TurnRecord } from "./turn-record.ts";
import { callGroups, facetOf, figureGroups } from "./turn-sums.ts";

/** Turns that end with the process. */
export function memoryTurns(): TurnReader & TurnWriter {
  const held = new Map<string, TurnRecord>();
  const asked = (question: TurnQuestion): TurnRecord[] => {
    checkScope(question.scope);
    question.signal?.throwIfAborted();
    return [...held.values()].filter((record) => passes(record, question));
  };
  return {
    async putTurns(records) {
      for (const record of records) {
        const known = held.get(record.key);
        if (known !== undefined && compareVersions(known.version, record.version) > 0) continue;
        const { first_received } = known ?? record;
        held.set(record.key, { ...record, first_received });
      }
    },
    async dropTurns(keys) {
      for (const { key, version } of keys) {
        const known = held.get(key);
        if (known !== undefined && compareVersions(known.version, version) <= 0) held.delete(key);
      }
    },
    async listTurns(question, { order, limit, after }) {
      const placed = asked(question)
        .map((record) => ({ record, place: placeOf(record, order) }))
        .filter(({ place }) => after === undefined || comparePlaces(place, after, order) > 0)
        .toSorted((a, b) => comparePlaces(a.place, b.place, order));
      const page = placed.slice(0, limit);
      return {
        records: page.map(({ record }) => record),
        next: placed.length > limit ? (page.at(-1)?.place ?? null) : null,
      };
    },
    countTurns: async (question) => asked(question).length,
    turnFacets: async (question, fields, valuesMax) => {
      const records = asked(question);
      return fields.map((field) => facetOf(records, field, valuesMax));
    },
    turnFigures: async (question, options) => figureGroups(asked(question), options),
    callFigures: async (question, kind, by) => callGroups(asked(question), kind, by),
  };
}
