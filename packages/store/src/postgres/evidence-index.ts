/**
 * @module EvidenceIndex: the native index over evidence (requirements: Versioning): columns that
 * are derived from each event, and PostgreSQL's indexes over them. The database keeps an index by
 * itself, so provisioning one fills it; without any, reads give the same answers more slowly.
 */
import { isDeepStrictEqual } from "node:util";

import type {
  NativeIndex,
  NativeIndexOptions,
  NativeIndexState,
  Parity,
  ParityOptions,
} from "../native-index.ts";
import { readsOf, sameAnswers } from "../read-parity.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Database, Session } from "./database.ts";
import { evidenceReader } from "./evidence-reader.ts";
import { derivedColumns, derivedRow, derivedTypes } from "./evidence-writer.ts";
import type { DerivedRow } from "./evidence-writer.ts";
import { bindings } from "./sql-text.ts";
import { fromStoredJson, toStoredJson } from "./stored-text.ts";

/** Indexes of the native path; the schema makes them, an operator may take them away. */
const indexes = {
  evidence_events_user: "(user_id) WHERE tenant_said",
  evidence_events_thread: "(thread_id) WHERE thread_id IS NOT NULL",
  evidence_events_mentions: "USING gin (mentions)",
} as const;

const names = Object.keys(indexes) as (keyof typeof indexes)[];
/** Rows of one step of a comparison. */
const chunkRows = 500;
/** Events whose ids are read both ways. */
const sampledRows = 20;

/** The index as operators' commands see it. */
export function evidenceIndex(database: Database): NativeIndex {
  const state = async (): Promise<NativeIndexState> => {
    const { rows } = await database.query("SELECT count(*)::text AS n FROM evidence_events");
    const stored = Number(rows[0]?.["n"]);
    const provisioned = (await standing(database)).length === names.length;
    return { provisioned, stored, indexed: provisioned ? stored : 0 };
  };
  return {
    state,
    async migrate(options = {}) {
      if (options.dryRun === false) await provision(database, options);
      return state();
    },
    async backfill(options = {}) {
      if (options.dryRun === false) await backfill(database, options);
      return state();
    },
    parity: (options) => parity(database, options),
    async drop(options = {}) {
      if (options.dryRun === false) {
        for (const name of names) await database.query(`DROP INDEX IF EXISTS ${name}`);
      }
      return state();
    },
  };
}

/** Names of the indexes that are there and whole. */
async function standing(session: Session): Promise<string[]> {
  const bind = bindings();
  const { rows } = await session.query(
    `SELECT c.relname AS name FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass('evidence_events') AND i.indisvalid
    AND c.relname = ANY(${bind.texts(names)})`,
    bind.parameters,
  );
  return rows.map((row) => row["name"] as string);
}

/** Makes what is missing without holding writers up; an interrupted build is done again. */
async function provision(
  database: Database,
  { signal, onProgress }: NativeIndexOptions,
): Promise<void> {
  const there = new Set(await standing(database));
  for (const [done, name] of names.entries()) {
    signal?.throwIfAborted();
    if (!there.has(name)) {
      await database.query(`DROP INDEX IF EXISTS ${name}`);
      await database.query(`CREATE INDEX CONCURRENTLY ${name} ON evidence_events ${indexes[name]}`);
    }
    onProgress?.(done + 1, names.length);
  }
}

/**
 * Derives the columns of every row anew and writes those that an earlier version, or somebody's
 * hand, left different. A row that is right is not written, so an interrupted run only reads again.
 */
async function backfill(database: Database, options: NativeIndexOptions): Promise<void> {
  const set = derivedColumns.map((name) => `${name} = r.${name}`).join(", ");
  await everyRow(database, options, async (rows) => {
    const changed = rows.filter(({ held, wanted }) => !isDeepStrictEqual(held, wanted));
    if (changed.length === 0) return;
    const bind = bindings();
    const json = toStoredJson(changed.map(({ place, wanted }) => ({ seq: place, ...wanted })));
    await database.query(
      `UPDATE evidence_events AS e SET ${set}
FROM jsonb_to_recordset(${bind.plain(json)}::jsonb) AS r(seq bigint, ${derivedTypes}) WHERE e.seq = r.seq`,
      bind.parameters,
    );
  });
}

/** Every row's derived columns against its event, then reads of many ids both ways. */
async function parity(database: Database, options: ParityOptions): Promise<Parity> {
  return database.transaction(async (session) => {
    // Both ways must see the same rows while others write.
    await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY");
    const rows = await compareRows(session, options);
    const reads = await compareReads(session, options);
    return {
      unitsCompared: rows.compared,
      readsCompared: reads.compared,
      differences: rows.differences + reads.differences,
    };
  });
}

interface Compared {
  readonly compared: number;
  readonly differences: number;
}

async function compareRows(session: Session, options: NativeIndexOptions): Promise<Compared> {
  let [compared, differences] = [0, 0];
  await everyRow(session, options, async (rows) => {
    compared += rows.length;
    differences += rows.filter(({ held, wanted }) => !isDeepStrictEqual(held, wanted)).length;
  });
  return { compared, differences };
}

/** A row's derived columns as they are, and as they should be. */
interface DerivedPair {
  readonly place: string;
  readonly held: unknown;
  readonly wanted: DerivedRow;
}

/** All rows in the order of their arrival, some at a time. */
async function everyRow(
  session: Session,
  { signal, onProgress }: NativeIndexOptions,
  take: (rows: readonly DerivedPair[]) => Promise<void>,
): Promise<void> {
  const { rows } = await session.query("SELECT count(*)::text AS n FROM evidence_events");
  const all = Number(rows[0]?.["n"]);
  const held = derivedColumns.map((name) => `'${name}', ${derivedText(name)}`).join(", ");
  let [done, after] = [0, "0"];
  for (;;) {
    signal?.throwIfAborted();
    const bind = bindings();
    const chunk = await session.query(
      `SELECT e.seq::text AS place, e.event::text AS event,
    jsonb_build_object(${held})::text AS held
FROM evidence_events AS e WHERE e.seq > ${bind.plain(after)}::bigint
ORDER BY e.seq LIMIT ${chunkRows}`,
      bind.parameters,
    );
    const pairs = chunk.rows.map((row) => ({
      place: row["place"] as string,
      held: fromStoredJson(row["held"] as string),
      wanted: derivedRow(fromStoredJson(row["event"] as string) as StoredEvent),
    }));
    await take(pairs);
    done += pairs.length;
    onProgress?.(done, all);
    if (pairs.length < chunkRows) return;
    after = pairs.at(-1)?.place ?? after;
  }
}

/** A number of nanoseconds is more than a number of JSON holds. */
function derivedText(name: string): string {
  return name === "event_ns" ? "e.event_ns::text" : `e.${name}`;
}

async function compareReads(session: Session, { scope, signal }: ParityOptions): Promise<Compared> {
  const native = evidenceReader(session);
  const compatible = evidenceReader(withoutIndexes(session));
  let [compared, differences] = [0, 0];
  const sample = await native.page(scope, { store: "all" }, { limit: sampledRows });
  for (const read of readsOf(sample.events, scope)) {
    signal?.throwIfAborted();
    if (!(await sameAnswers(read, native, compatible))) differences += 1;
    compared += 1;
  }
  return { compared, differences };
}

/** The same statements with the search for roots made to scan; roots are still loaded by theirs. */
function withoutIndexes(session: Session): Session {
  const use = (state: "on" | "off"): Promise<unknown> =>
    session.query(`SELECT set_config('enable_indexscan', '${state}', true),
    set_config('enable_bitmapscan', '${state}', true),
    set_config('enable_indexonlyscan', '${state}', true)`);
  return {
    script: (sql) => session.script(sql),
    async query(sql, parameters) {
      if (!sql.startsWith("SELECT root_trace_id")) return session.query(sql, parameters);
      await use("off");
      const answer = await session.query(sql, parameters);
      await use("on");
      return answer;
    },
  };
}
