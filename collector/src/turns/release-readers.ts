/**
 * @module ReleaseReaders: the ledger for the turns of two releases. Figures of either are read for
 * both in one statement, by release, because a statement costs more than the rows of a side.
 */
import type { CallFigures, FigureGroup, TurnQuery, TurnReader } from "@turnproof/store";

/** One side: all turns of its query are those of a release that pass the filters of both. */
export interface ReleaseSide {
  readonly query: TurnQuery;
  readonly release: string;
}

/** What is read of a side. */
export type SideReader = Pick<
  TurnReader,
  "callFigures" | "countTurns" | "turnCounts" | "turnFacets" | "turnFigures"
>;

/**
 * The readers of both sides.
 *
 * @param common filters of both sides
 */
export function releaseReaders(
  ledger: TurnReader,
  common: TurnQuery,
  { a, b }: { readonly a: ReleaseSide; readonly b: ReleaseSide },
): { readonly a: SideReader; readonly b: SideReader } {
  const any = [a, b].map(({ release: has }) => ({ list: "release" as const, has }));
  const either = { ...common, where: [...common.where, { any }] };
  const figures = sharedReads<FigureGroup>();
  const calls = sharedReads<CallFigures>();
  const readerOf = ({ query, release }: ReleaseSide): SideReader => ({
    countTurns: (own) => ledger.countTurns(own),
    turnCounts: (own, options) => ledger.turnCounts(own, options),
    turnFacets: (own, fields, valuesMax) => ledger.turnFacets(own, fields, valuesMax),
    // Another query is of a part of the side.
    async turnFigures(own, options) {
      if (own !== query || options.by !== undefined) return ledger.turnFigures(own, options);
      const read = figures(options, () =>
        ledger.turnFigures(either, { ...options, by: "release" }),
      );
      return (await read)
        .filter(({ value }) => value === release)
        .map(({ value: _release, ...figures }) => figures);
    },
    async callFigures(own, kind, by, options) {
      if (own !== query || by.includes("release")) {
        return ledger.callFigures(own, kind, by, options);
      }
      const read = calls([kind, by, options], () =>
        ledger.callFigures(either, kind, [...by, "release"], options),
      );
      return (await read)
        .filter(({ group }) => group.release === release)
        .map(({ group: { release: _release, ...group }, ...figures }) => ({ ...figures, group }));
    },
  });
  return { a: readerOf(a), b: readerOf(b) };
}

/** Reads by their parameters, each made once. */
function sharedReads<T>(): (
  parameters: unknown,
  read: () => Promise<readonly T[]>,
) => Promise<readonly T[]> {
  const reads = new Map<string, Promise<readonly T[]>>();
  return (parameters, read) => {
    const key = JSON.stringify(parameters);
    const made = reads.get(key) ?? read();
    reads.set(key, made);
    return made;
  };
}
