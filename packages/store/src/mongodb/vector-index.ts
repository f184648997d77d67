/**
 * @module VectorIndexes: which search index a search uses (requirements: Provider scoping); checked
 * periodically for every filter field. Where the principal may not change an index there is one
 * diagnostic, later checks try again, and searches are exact.
 */
import { memoryCollections, vectorKinds } from "@turnproof/semconv";
import type { Code, ScopedKind } from "@turnproof/semconv";
import type { Db } from "mongodb";

import { inspect } from "./search-index.ts";
import type { SearchIndex, SearchIndexState } from "./search-index.ts";
import { migrateSearchIndexes } from "./vector-migration.ts";
import type { SearchMigrationOptions, SearchMigrationRow } from "./vector-migration.ts";

/** The index for a search, and its diagnostics. */
export interface ServingIndex {
  /** The index; undefined where the search must be exact. */
  readonly index: SearchIndex | undefined;
  /** Why there is none; reported once, by the first search after a failure. */
  readonly diagnostics: readonly Code[];
  /** Why there is none, regardless of earlier reports. */
  readonly reason: Code | undefined;
}

/** The search indexes of one database. */
export interface MongoVectorIndexes {
  /** The index for a search of a kind with a vector of this length. */
  forSearch(kind: ScopedKind, dimensions: number): Promise<ServingIndex>;
  /** Reports that a search on the index of a kind was refused, so that it is checked again. */
  refused(kind: ScopedKind): void;
  /** Checks every collection again, and adds missing filter fields to indexes. */
  reconcile(): Promise<void>;
  /** Creates missing indexes, adds filter fields, and waits; a dry run by default. */
  migrate(options?: SearchMigrationOptions): Promise<readonly SearchMigrationRow[]>;
  /** Codes of problems with the indexes, checked again when due. */
  diagnostics(): Promise<readonly Code[]>;
  /** Collections whose index lacks the filter field, as of the last check. */
  unscoped(): readonly string[];
}

interface Known {
  readonly indexes: readonly SearchIndex[];
  readonly lookedAt: number;
}

/** Milliseconds between two checks, and the shorter time while an index is being built. */
const lookMs = 60_000;
const buildingLookMs = 5_000;

/** Why an index in this state is not used; most important first. */
const codes: readonly (readonly [SearchIndexState, Code])[] = [
  ["unscoped", "vector_index_unscoped"],
  ["failed", "vector_index_failed"],
  ["stale", "vector_index_stale"],
  ["building", "vector_index_building"],
];

/** The indexes of one database; with `mayChange` false they are only read. */
export function vectorIndexes(
  database: Db,
  mayChange: boolean,
  now: () => number = Date.now,
): MongoVectorIndexes {
  const { known, look, current, isNew } = lookout(database, mayChange, now);
  const reconcile = async (): Promise<void> => {
    for (const kind of vectorKinds) await look(kind);
  };
  return {
    async forSearch(kind, dimensions) {
      if (!vectorKinds.includes(kind)) {
        return { index: undefined, diagnostics: [], reason: undefined };
      }
      const indexes = await current(kind);
      const index = indexes.find((one) => one.state === "ready" && one.dimensions === dimensions);
      if (index !== undefined) return { index, diagnostics: [], reason: undefined };
      const reason = reasonOf(indexes, dimensions);
      const isFirst = reason !== undefined && isNew(kind, reason);
      return { index: undefined, diagnostics: isFirst ? [reason] : [], reason };
    },
    refused: (kind) => void known.delete(kind),
    reconcile,
    async migrate(options = {}) {
      const rows = await migrateSearchIndexes(database, mayChange, options);
      await reconcile();
      return rows;
    },
    async diagnostics() {
      const found = new Set<Code>();
      for (const kind of vectorKinds) {
        for (const code of codesOf(await current(kind))) found.add(code);
      }
      return codes.flatMap(([, code]) => (found.has(code) ? [code] : []));
    },
    unscoped: () =>
      [...known].flatMap(([kind, { indexes }]) =>
        indexes.some(({ state }) => state === "unscoped") ? [memoryCollections[kind]] : [],
      ),
  };
}

/** State of the indexes, and their periodic checks. */
interface Lookout {
  readonly known: Map<ScopedKind, Known>;
  readonly look: (kind: ScopedKind) => Promise<Known>;
  /** The indexes of a kind, checked again when due. */
  readonly current: (kind: ScopedKind) => Promise<readonly SearchIndex[]>;
  /** True once for a code of a kind, until it no longer applies. */
  readonly isNew: (kind: ScopedKind, code: Code) => boolean;
}

function lookout(database: Db, mayChange: boolean, now: () => number): Lookout {
  const known = new Map<ScopedKind, Known>();
  const looking = new Map<ScopedKind, Promise<Known>>();
  const found = new Map<ScopedKind, Set<Code>>();
  const inspected = async (kind: ScopedKind): Promise<Known> => {
    const indexes = await inspect(database.collection(memoryCollections[kind]), mayChange);
    const entry = { indexes, lookedAt: now() };
    known.set(kind, entry);
    const standing = codesOf(indexes);
    const kept = [...(found.get(kind) ?? [])].filter(
      (one) => standing.has(one) || one === "vector_index_dimensions",
    );
    found.set(kind, new Set(kept));
    return entry;
  };
  const look = (kind: ScopedKind): Promise<Known> => {
    const under = looking.get(kind) ?? inspected(kind).finally(() => looking.delete(kind));
    looking.set(kind, under);
    return under;
  };
  return {
    known,
    look,
    async current(kind) {
      const entry = known.get(kind);
      const isBuilding = entry?.indexes.some(({ state }) => state === "building") === true;
      const ageMax = isBuilding ? buildingLookMs : lookMs;
      const isFresh = entry !== undefined && now() - entry.lookedAt <= ageMax;
      return (isFresh ? entry : await look(kind)).indexes;
    },
    isNew(kind, code) {
      const reported = found.get(kind) ?? new Set();
      if (reported.has(code)) return false;
      found.set(kind, reported.add(code));
      return true;
    },
  };
}

function codesOf(indexes: readonly SearchIndex[]): ReadonlySet<Code> {
  return new Set(
    codes.flatMap(([state, code]) => (indexes.some((one) => one.state === state) ? [code] : [])),
  );
}

/** Why none of the indexes serves vectors of this length; undefined where there is none. */
function reasonOf(indexes: readonly SearchIndex[], dimensions: number): Code | undefined {
  const own = indexes.filter((index) => index.dimensions === dimensions);
  const found = codes.find(([state]) => own.some((index) => index.state === state));
  if (found !== undefined) return found[1];
  return indexes.length > 0 ? "vector_index_dimensions" : undefined;
}
