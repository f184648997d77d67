/**
 * @module Clickhouse: evidence at scale. One provider with two connections: chDB embedded in a
 * data directory, and a server or cluster by URL.
 */
import { CodedError } from "@turnproof/semconv";

import { offerErasure } from "../erasure.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import { operatorRowsOf } from "../operator-rows.ts";
import { capabilitiesOf } from "../providers.ts";
import { checkBy } from "../store-check.ts";
import { bundleReads } from "./bundle-reads.ts";
import { insertBatch, readBack } from "./bundle-writer.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { clickhouseState } from "./collector-state.ts";
import { openEngine } from "./connection.ts";
import type { Engine, Tables } from "./engine.ts";
import { readAnswer } from "./engine-client.ts";
import { clickhouseErasure } from "./erasure.ts";
import { withdrawLeft } from "./late-writes.ts";
import { makeTables } from "./migration.ts";
import { copySmall } from "./old-events.ts";
import { clickhouseOperatorRows } from "./operator-rows.ts";
import { prepareBatch } from "./prepared-batch.ts";
import type { PreparedBundles } from "./prepared-batch.ts";
import { quietRoots } from "./quiet-roots.ts";
import { heldIn, standingOf } from "./root-counts.ts";
import { setAside } from "./damaged-parts.ts";
import { readAll } from "./whole-read.ts";
import { shortRoots } from "./short-roots.ts";
import { clickhouseTurns } from "./turn-ledger.ts";

/** How to open the provider. */
export interface ClickhouseOptions {
  readonly connection: ClickhouseConnection;
}

/**
 * Opens the evidence store and migrates its tables to this version. A few events of an older
 * version are copied at once; with many, the store opens without them, its reads are marked as
 * bounded and its check reports `migration_pending` until they are copied. Throws `store_locked`
 * when another process uses the data directory, `store_version_newer` for data of a newer build,
 * and retryable codes when the server does not answer.
 */
export async function clickhouse({ connection }: ClickhouseOptions): Promise<EvidenceStore> {
  const engine = await openEngine(connection);
  const cluster = "cluster" in connection ? connection.cluster : undefined;
  try {
    await makeTables({ engine, cluster });
    await withdrawLeft({ engine, cluster });
    const pending = await copySmall({ engine, cluster });
    const store = provider({ engine, cluster }, pending);
    offerErasure(store, clickhouseErasure({ engine, cluster }));
    if (engine.embedded) {
      lent.set(store, {
        select: (...requested) => engine.select(...requested),
        command: (sql) => engine.command(sql),
        insert: (...given) => engine.insert(...given),
        pending: async () => pending,
        knownRoots: async (roots) => (await engine.knownRoots?.(roots)) ?? new Map(),
      });
    }
    return store;
  } catch (error) {
    await engine.close();
    throw error;
  }
}

/** An open engine as another thread of this process uses it; input and output are plain data. */
export interface LentEngine {
  readonly select: Engine["select"];
  readonly command: Engine["command"];
  readonly insert: Engine["insert"];
  /** True while events of an older version are not copied. */
  readonly pending: () => Promise<boolean>;
  readonly knownRoots: NonNullable<Engine["knownRoots"]>;
}

const lent = new WeakMap<EvidenceStore, LentEngine>();

/**
 * Access for another thread to the same embedded engine, which only one thread may open; undefined
 * for every other store, which a thread opens itself.
 */
export function lentEngineOf(store: EvidenceStore): LentEngine | undefined {
  return lent.get(store);
}

/** The store over another thread's engine: it parses the answers, and closes nothing. */
export async function clickhouseOver(engine: LentEngine): Promise<EvidenceStore> {
  const borrowed: Engine = {
    embedded: true,
    select: engine.select,
    query: async (...requested) => readAnswer(await engine.select(...requested)),
    command: engine.command,
    insert: engine.insert,
    knownRoots: engine.knownRoots,
    close: async () => {},
  };
  return provider({ engine: borrowed, cluster: undefined }, await engine.pending());
}

function provider(tables: Tables, pending: boolean): EvidenceStore {
  const { engine } = tables;
  let closed = false;
  let sending: Promise<unknown> = Promise.resolve();
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  async function send(batch: PreparedBundles): Promise<void> {
    open();
    const done = insertBatch(engine, batch);
    sending = Promise.allSettled([sending, done]);
    await done;
  }
  const store: EvidenceStore = {
    name: engine.embedded ? "clickhouse embedded" : "clickhouse server",
    capabilities: capabilitiesOf("clickhouse"),
    sources: ["trace", "conversation", "tool_log"],
    ledger: clickhouseTurns(tables),
    operatorRows: operatorRowsOf(clickhouseOperatorRows(tables)),
    state: clickhouseState(engine),
    append: async (batch) => send(prepareBatch(batch)),
    async appendPrepared(batch) {
      // Prepared with this build's `@turnproof/store/prepare`, but maybe for another store.
      if (!("weeks" in batch)) throw new CodedError("store_rejected_row");
      await send(batch as PreparedBundles);
    },
    readBack: (batchId) => readBack(engine, batchId),
    ...bundleReads(engine, open, () => pending),
    standing: (roots) => standingOf(engine, roots),
    shortRoots: (...requested) => shortRoots(engine, ...requested),
    held: (signal) => heldIn(engine, signal),
    ...(engine.embedded ? { setAside: (signal) => setAside(engine, signal) } : {}),
    readAll: (signal) => readAll(engine, signal),
    quietRoots: (since, before, limit) => quietRoots(engine, since, before, limit),
    async check() {
      const result = await checkBy(async () => {
        open();
        for (const table of ["bundles", "turn_ledger"]) {
          await engine.query(`SELECT 1 AS one FROM ${table} LIMIT 1`);
        }
      });
      return pending && result.ok ? { ...result, diagnostics: ["migration_pending"] } : result;
    },
    async close() {
      if (closed) return;
      closed = true;
      // The engine must not be closed during an insert (storage: Two tables of evidence).
      await sending;
      await engine.close();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  return store;
}
