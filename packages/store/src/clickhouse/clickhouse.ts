/**
 * @module Clickhouse: evidence at scale. One provider over two connections: chDB embedded under a
 * data directory, and a server or cluster by URL.
 */
import { CodedError } from "@turnproof/semconv";

import { offerErasure } from "../erasure.ts";
import type { EvidenceStore } from "../evidence-store.ts";
import { checkBy } from "../store-check.ts";
import type { ClickhouseConnection } from "./clickhouse-options.ts";
import { openEngine, readAnswer } from "./connection.ts";
import type { Engine, SharedKnowledge } from "./connection.ts";
import { clickhouseErasure } from "./erasure.ts";
import { scopeFilter } from "./filter.ts";
import type { ScopeFilter } from "./filter.ts";
import { inserter } from "./insert.ts";
import { migrate } from "./migration.ts";
import { prepareBatch } from "./prepared-batch.ts";
import type { PreparedBlocks } from "./prepared-batch.ts";
import { quietRoots, readBack, standingOf } from "./read-back.ts";
import { receiptSpans } from "./receipt-span.ts";
import { reader, readTouched } from "./reader.ts";
import { survey } from "./survey.ts";
import { clickhouseTurns } from "./turn-ledger.ts";
import { putVerdicts, readVerdicts } from "./verdict-table.ts";

/** How to open the provider. */
export interface ClickhouseOptions {
  readonly connection: ClickhouseConnection;
  /** Replaces the tenant filter in SQL. For tests of the tests only. */
  readonly scopeFilter?: ScopeFilter;
}

/**
 * Opens the evidence store and brings its tables to this version. Throws `store_locked` when another
 * process uses the data directory, `store_version_newer` for data of a newer build, and retryable
 * codes when the server does not answer.
 */
export async function clickhouse(options: ClickhouseOptions): Promise<EvidenceStore> {
  const { connection } = options;
  const engine = await openEngine(connection);
  const cluster = "cluster" in connection ? connection.cluster : undefined;
  try {
    await migrate(engine, cluster);
  } catch (error) {
    await engine.close();
    throw error;
  }
  return provider(engine, options.scopeFilter ?? scopeFilter, cluster);
}

/** An open engine as another thread of this process uses it; plain data in and out. */
export interface LentEngine extends SharedKnowledge {
  readonly select: Engine["select"];
  readonly command: Engine["command"];
  readonly insert: Engine["insert"];
}

const lent = new WeakMap<EvidenceStore, LentEngine>();

/**
 * What another thread needs to work over the same embedded engine, which one thread alone may open;
 * undefined of every other store, which a thread opens for itself.
 */
export function lentEngineOf(store: EvidenceStore): LentEngine | undefined {
  return lent.get(store);
}

/** The store over an engine that another thread lends: it reads the answers, and closes nothing. */
export function clickhouseOver(engine: LentEngine): Promise<EvidenceStore> {
  const { touched, span } = engine;
  const borrowed: Engine = {
    embedded: false,
    shared: { touched, span },
    select: engine.select,
    query: async (...asked) => readAnswer(await engine.select(...asked)),
    command: engine.command,
    insert: engine.insert,
    close: async () => {},
  };
  return provider(borrowed, scopeFilter);
}

async function provider(
  engine: Engine,
  filterOfScope: ScopeFilter,
  cluster?: string,
): Promise<EvidenceStore> {
  const touched = await readTouched(engine);
  const spans = receiptSpans(engine);
  const writer = inserter(engine, touched, spans);
  let closed = false;
  let pending: Promise<unknown> = Promise.resolve();
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  async function send(batch: PreparedBlocks): Promise<void> {
    open();
    const done = writer.insert(batch);
    pending = Promise.allSettled([pending, done]);
    await done;
  }
  const read = reader(engine, { touched, spans }, filterOfScope);
  const store: EvidenceStore = {
    name: engine.embedded || engine.shared ? "clickhouse embedded" : "clickhouse server",
    sources: ["trace", "conversation", "tool_log"],
    ledger: clickhouseTurns(engine),
    append: async (batch) => send(prepareBatch(batch)),
    // Whoever prepared it used this build's `@turnproof/store/prepare`: the form is ours.
    appendPrepared: (batch) => send(batch as PreparedBlocks),
    readBack: (batchId, receivedAt) => readBack(engine, batchId, receivedAt),
    ...read,
    survey: (scope, query, options) => survey(engine, scope, query, options),
    verdicts: (scope, roots) => readVerdicts(engine, scope, roots),
    putVerdicts: (verdicts) => putVerdicts(engine, verdicts),
    quietRoots: (since, before, limit) => quietRoots(engine, since, before, limit),
    standing: (roots) => standingOf(engine, roots),
    check: () =>
      checkBy(async () => {
        open();
        await engine.query("SELECT 1 AS one FROM events LIMIT 1");
      }),
    async close() {
      if (closed) return;
      closed = true;
      // The engine must not be torn down under an insert (design 5.3).
      await pending;
      await engine.close();
    },
    [Symbol.asyncDispose]: () => store.close(),
  };
  offerErasure(store, clickhouseErasure({ engine, cluster, send }));
  if (engine.embedded) {
    lent.set(store, {
      select: (...asked) => engine.select(...asked),
      command: (sql) => engine.command(sql),
      insert: (...given) => engine.insert(...given),
      touched: async () => [...touched],
      span: () => spans.current(),
    });
  }
  return store;
}
