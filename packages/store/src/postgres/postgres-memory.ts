/** @module PostgresMemory: scoped memory over the tables; every statement contains the filter. */
import { CodedError } from "@turnproof/semconv";
import type { ScopedKind } from "@turnproof/semconv";

import { readPosition } from "../memory/list-position.ts";
import { checkFilter, checkScopedKind, insideFilter, recordOf } from "../memory/record-rules.ts";
import { firstPageOf } from "../memory/row-page.ts";
import { timeKey } from "../memory/similarity.ts";
import type {
  MemoryFilter,
  MemoryPage,
  MemoryRecord,
  MemoryStore,
  SearchResult,
} from "../memory-store.ts";
import type { Database, Session } from "./database.ts";
import { idSql, insideSql, liveSql } from "./memory-condition.ts";
import {
  memoryKeys,
  newestFirst,
  newestSql,
  replaceUnderLock,
  upsert,
  withSecondTry,
} from "./memory-key.ts";
import { scopedColumns, scopedRecord, scopedValues } from "./memory-row.ts";
import { textSearch, vectorSearch } from "./memory-search.ts";
import type { SearchPlace } from "./memory-search.ts";
import { guarded, unguarded } from "./row-security.ts";
import type { ScopedWork } from "./row-security.ts";
import { bindings, tableOf } from "./sql-text.ts";
import type { Bindings } from "./sql-text.ts";
import type { VectorIndexes } from "./vector-index.ts";

/** Dependencies of memory. */
export interface PostgresMemoryParts {
  readonly database: Database;
  readonly clock: () => string;
  readonly rowSecurity: boolean;
  readonly vectors: VectorIndexes | undefined;
  readonly exactRowsMax: number;
}

/** The methods that take a filter. */
export type ScopedMemory = Pick<
  MemoryStore,
  "put" | "get" | "list" | "count" | "update" | "delete" | "vectorSearch" | "textSearch"
>;

/** Scoped memory. */
export function postgresMemory(parts: PostgresMemoryParts): ScopedMemory {
  const ground = groundOf(parts);
  return { ...reads(ground), ...writes(ground), ...searches(ground) };
}

/** Shared by the methods. */
interface Ground {
  readonly parts: PostgresMemoryParts;
  readonly run: ScopedWork;
  /** Whether tenant and id identify at most one row in the table of a kind. */
  readonly keyed: (kind: ScopedKind) => Promise<boolean>;
  readonly check: (filter: MemoryFilter, kind: ScopedKind) => void;
  /** Unexpired rows inside the filter. */
  readonly where: (filter: MemoryFilter, bind: Bindings, now?: string) => string;
}

function groundOf(parts: PostgresMemoryParts): Ground {
  const { database, clock } = parts;
  return {
    parts,
    run: parts.rowSecurity ? guarded(database) : unguarded(database),
    keyed: memoryKeys(database),
    check(filter, kind) {
      checkFilter(filter);
      checkScopedKind(kind);
    },
    where: (filter, bind, now = clock()) => `${insideSql(filter, bind)} AND ${liveSql(now, bind)}`,
  };
}

/** The unexpired row of this id. */
async function readOne(
  ground: Ground,
  session: Session,
  place: { readonly filter: MemoryFilter; readonly kind: ScopedKind; readonly id: string },
): Promise<MemoryRecord | undefined> {
  const { filter, kind, id } = place;
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT ${scopedColumns} FROM ${tableOf(kind)}
WHERE ${ground.where(filter, bind)} AND ${idSql(id, bind)}
ORDER BY ${newestFirst} LIMIT 1`,
    bind.parameters,
  );
  return rows.map((row) => scopedRecord(row, kind)).find((record) => insideFilter(record, filter));
}

function reads(ground: Ground): Pick<MemoryStore, "get" | "list" | "count"> {
  const { run, check, where } = ground;
  return {
    async get(filter, kind, id) {
      check(filter, kind);
      return run(filter, (session) => readOne(ground, session, { filter, kind, id }));
    },
    async list(filter, kind, options): Promise<MemoryPage> {
      check(filter, kind);
      const bind = bindings();
      const after = options.after === undefined ? "" : `AND ${afterSql(options.after, bind)}`;
      const sql = `SELECT ${scopedColumns} FROM ${tableOf(kind)}
WHERE ${where(filter, bind, options.now)} ${after}
ORDER BY created_key DESC, id LIMIT ${Math.max(Math.trunc(options.limit), 0) + 1}`;
      const { rows } = await run(filter, (session) => session.query(sql, bind.parameters));
      const records = rows.map((row) => scopedRecord(row, kind));
      return firstPageOf(
        records.filter((record) => insideFilter(record, filter)),
        options.limit,
      );
    },
    async count(filter, kind) {
      check(filter, kind);
      const bind = bindings();
      const sql = `SELECT count(*)::text AS n FROM ${tableOf(kind)} WHERE ${where(filter, bind)}`;
      const { rows } = await run(filter, (session) => session.query(sql, bind.parameters));
      return Number(rows[0]?.["n"]);
    },
  };
}

function writes(ground: Ground): Pick<MemoryStore, "put" | "update" | "delete"> {
  const { parts, run, keyed, check, where } = ground;
  const vectors = parts.vectors !== undefined;
  return {
    async put(filter, kind, draft) {
      check(filter, kind);
      const record = recordOf(filter, kind, draft, { now: parts.clock(), version: 1 });
      if (await keyed(kind)) {
        // Each attempt has its own session: an error ends the transaction of the first.
        return withSecondTry(() => run(filter, (session) => upsert(session, record, vectors)));
      }
      const replace = (session: Session): Promise<MemoryRecord> =>
        replaceUnderLock(session, record, vectors);
      return parts.rowSecurity ? run(filter, replace) : parts.database.transaction(replace);
    },
    async update(filter, kind, id, version, change) {
      check(filter, kind);
      const one = await keyed(kind);
      return run(filter, async (session) => {
        const row = await readOne(ground, session, { filter, kind, id });
        if (row?.version !== version) throw new CodedError("store_conflict");
        const written = { now: parts.clock(), version: version + 1 };
        const record = recordOf(filter, kind, { ...row, ...change }, written);
        const bind = bindings();
        const values = scopedValues(record, bind, vectors);
        const set = values.map(([name, value]) => `${name} = ${value}`);
        const named = `${where(filter, bind)} AND ${idSql(id, bind)}`;
        // The row may have changed since it was read: the version decides again.
        const { changed } = await session.query(
          `UPDATE ${tableOf(kind)} SET ${set.join(", ")}, version = version + 1
WHERE ${one ? named : newestSql(kind, named)}
    AND version = ${bind.plain(String(version))}::bigint`,
          bind.parameters,
        );
        if (changed !== 1) throw new CodedError("store_conflict");
        return record;
      });
    },
    async delete(filter, kind, id) {
      check(filter, kind);
      const bind = bindings();
      const sql = `DELETE FROM ${tableOf(kind)} WHERE ${where(filter, bind)} AND ${idSql(id, bind)}`;
      const { changed } = await run(filter, (session) => session.query(sql, bind.parameters));
      return changed > 0;
    },
  };
}

function searches(ground: Ground): Pick<MemoryStore, "vectorSearch" | "textSearch"> {
  const { parts, run, check } = ground;
  const search = async (
    filter: MemoryFilter,
    kind: ScopedKind,
    now: string | undefined,
    find: (place: SearchPlace) => Promise<SearchResult>,
    inTransaction = false,
  ): Promise<SearchResult> => {
    check(filter, kind);
    const indexed = parts.vectors?.get(kind);
    const { exactRowsMax } = parts;
    const place = { filter, kind, now: now ?? parts.clock(), indexed, exactRowsMax };
    const work = (session: Session): Promise<SearchResult> => find({ ...place, session });
    const found = await (inTransaction && !parts.rowSecurity
      ? parts.database.transaction(work)
      : run(filter, work));
    const hits = found.hits.filter(({ record }) => insideFilter(record, filter));
    return { ...found, hits };
  };
  return {
    vectorSearch(filter, kind, query) {
      // Index settings are local to a transaction.
      const indexed = parts.vectors?.get(kind)?.has(query.embedding.length) === true;
      return search(filter, kind, query.now, (place) => vectorSearch(place, query), indexed);
    },
    textSearch: (filter, kind, query) =>
      search(filter, kind, query.now, (place) => textSearch(place, query)),
  };
}

/** Rows after the position in the order of every list. */
export function afterSql(position: string, bind: Bindings): string {
  const { created_at, id } = readPosition(position);
  const key = bind.text(timeKey(created_at));
  return `(created_key < ${key} OR (created_key = ${key} AND id > ${bind.text(id)}))`;
}
