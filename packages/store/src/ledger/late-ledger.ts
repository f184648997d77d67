/** @module LateLedger: a ledger that the first query opens, or whose store may be unreachable. */
import type { TurnLedger } from "./turn-query.ts";

/** The ledger that `current` returns at each call; its errors are passed on. */
export function lateLedger(
  answeredIn: TurnLedger["answeredIn"],
  current: () => TurnLedger | Promise<TurnLedger>,
): TurnLedger {
  return {
    answeredIn,
    putTurns: async (records) => (await current()).putTurns(records),
    dropTurns: async (gone) => (await current()).dropTurns(gone),
    turnsOf: async (roots) => (await current()).turnsOf(roots),
    listTurns: async (query, page) => (await current()).listTurns(query, page),
    countTurns: async (query) => (await current()).countTurns(query),
    turnFacets: async (...requested) => (await current()).turnFacets(...requested),
    turnCounts: async (query, options) => (await current()).turnCounts(query, options),
    turnFigures: async (query, options) => (await current()).turnFigures(query, options),
    turnGroups: async (...requested) => (await current()).turnGroups(...requested),
    callFigures: async (...requested) => (await current()).callFigures(...requested),
  };
}
