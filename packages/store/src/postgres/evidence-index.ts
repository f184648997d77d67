/**
 * @module EvidenceIndex: the native index over evidence (requirements: Versioning): columns that
 * are derived from each event, and PostgreSQL's indexes over them. The database keeps an index by
 * itself, so provisioning one fills it; without any, reads give the same answers more slowly.
 */
import { isDeepStrictEqual } from "node:util";

import type { EventSlice, SliceOptions } from "../evidence-store.ts";
import type {
  NativeIndex,
  NativeIndexOptions,
  NativeIndexState,
  Parity,
  ParityOptions,
} from "../native-index.ts";
import type { EvidenceScope } from "../scope.ts";
import type { StoredEvent } from "../stored-event.ts";
import type { Database, Session } from "./database.ts";
import { evidenceReader } from "./evidence-reader.ts";
import type { Reads } from "./evidence-reader.ts";
import { derivedColumns, derivedRow } from "./evidence-writer.ts";
import { bindings } from "./sql-text.ts";
import { fromStoredJson } from "./stored-text.ts";

/** Indexes of the native path; the schema makes them, an operator may take them away. */
const indexes = {
  evidence_events_user: "(user_id) WHERE tenant_said",
  evidence_events_thread: "(thread_id) WHERE thread_id IS NOT NULL",
  evidence_events_mentions: "USING gin (mentions)",
} as const;

const names = Object.keys(indexes) as (keyof typeof indexes)[];
/** Rows of one step of a comparison. */
const chunkRows = 500;
/** Events whose ids are read both ways, and how much of each answer. */
const sampledRows = 20;
const pageEvents = 50;

/** The index as operators' commands see it. */
export function evidenceIndex(database: Database): NativeIndex {
  const state = async (): Promise<NativeIndexState> => {
    const { rows } = await database.query("SELECT count(*)::text AS n FROM evidence_events");
    const stored = Number(rows[0]?.["n"]);
    const provisioned = (await standing(database)).length === names.length;
    return { provisioned, stored, indexed: provisioned ? stored : 0 };
  };
  const build = async (options: NativeIndexOptions = {}): Promise<NativeIndexState> => {
    if (options.dryRun === false) await provision(database, options);
    return state();
  };
  return {
    state,
    migrate: build,
    backfill: build,
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

async function compareRows(
  session: Session,
  { signal, onProgress }: NativeIndexOptions,
): Promise<Compared> {
  const { rows } = await session.query("SELECT count(*)::text AS n FROM evidence_events");
  const all = Number(rows[0]?.["n"]);
  const held = derivedColumns.map((name) => `'${name}', ${derivedText(name)}`).join(", ");
  let [compared, differences, after] = [0, 0, "0"];
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
    for (const row of chunk.rows) {
      const wanted = derivedRow(fromStoredJson(row["event"] as string) as StoredEvent);
      if (!isDeepStrictEqual(fromStoredJson(row["held"] as string), wanted)) differences += 1;
    }
    compared += chunk.rows.length;
    onProgress?.(compared, all);
    if (chunk.rows.length < chunkRows) return { compared, differences };
    after = chunk.rows.at(-1)?.["place"] as string;
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
  for (const read of await readsToCompare(session, scope)) {
    signal?.throwIfAborted();
    const [one, other] = [await read(native), await read(compatible)];
    if (!isDeepStrictEqual(one, other)) differences += 1;
    compared += 1;
  }
  return { compared, differences };
}

type Read = (reader: Reads) => Promise<Pick<EventSlice, "events" | "next">>;

/** Reads of the tenants, threads and ids that the newest rows name. */
async function readsToCompare(session: Session, scope: EvidenceScope): Promise<Read[]> {
  const newest = await evidenceReader(session).page(
    scope,
    { store: "all" },
    { limit: sampledRows },
  );
  const options: SliceOptions = { limit: pageEvents };
  const reads = new Map<string, Read>();
  const add = (key: readonly unknown[], read: Read): unknown =>
    reads.set(JSON.stringify(key), read);
  for (const event of newest.events) {
    const { user_id: tenant, thread_id } = event;
    if (tenant !== undefined) {
      add(["tenant", tenant], (reader) => reader.page({ tenant }, { store: "all" }, options));
    }
    if (thread_id !== undefined) {
      add(["thread", thread_id], (reader) => reader.page(scope, { thread_id }, options));
    }
    for (const id of [event.span_id, event.input_refs?.[0]?.ref, tenant, "no such id"]) {
      if (typeof id !== "string") continue;
      add(["find", id], (reader) => reader.find(scope, id, { store: "all" }, options));
    }
  }
  return [...reads.values()];
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
