/**
 * @module Erasure: the rows of evidence of one user in the engine, and their end. What is deleted
 * is named in a table that is dropped afterwards, because the engine keeps the text of each
 * mutation; mutations write parts anew, and the parts before them are taken off the disk.
 */
import { setTimeout as sleep } from "node:timers/promises";

import { groupBy } from "@turnproof/semconv";

import type { EraseEvidence, Unreached } from "../erasure.ts";
import { erasureOf, pinnedBatch, withoutCopies } from "../evidence-erasure.ts";
import type { ErasureRows, RootErasure } from "../evidence-erasure.ts";
import type { KeyedRow } from "../evidence-retention.ts";
import { eventColumns } from "./columns.ts";
import { clusterName } from "./clickhouse-options.ts";
import type { Engine } from "./connection.ts";
import { forCluster } from "./migration.ts";
import { NativeBlock } from "./native-writer.ts";
import { batchNumber, prepareBatch } from "./prepared-batch.ts";
import type { PreparedBlocks } from "./prepared-batch.ts";
import { readTouched } from "./reader.ts";
import { decodeRows } from "./row-decode.ts";
import { bindings } from "./sql-text.ts";

/** What erasure works with. */
export interface ErasureParts {
  readonly engine: Engine;
  readonly cluster: string | undefined;
  readonly send: (batch: PreparedBlocks) => Promise<void>;
}

/** Rows of one step: each step rewrites the parts that hold them. */
const rowsPerStep = 500_000;

/** The erasure of an engine. */
export function clickhouseErasure(parts: ErasureParts): EraseEvidence {
  return erasureOf(erasureRows(parts), rowsPerStep);
}

/** Roots that go; of one that is shared, the batch whose rows stay. */
const named = `CREATE TABLE IF NOT EXISTS erasing
(
    root_trace_id String,
    keep UInt64,
    user_id String
)
ENGINE = MergeTree
ORDER BY root_trace_id`;

function erasureRows(parts: ErasureParts): ErasureRows<number> {
  const { engine } = parts;
  const names = namesIn(parts);
  return {
    async rootsNaming(userId) {
      const bind = bindings();
      const answer = await engine.query(
        `SELECT DISTINCT root_trace_id FROM events
WHERE scope = 'user' AND user_id = ${bind.text(userId)} ORDER BY root_trace_id`,
        bind.parameters,
      );
      return (answer.columns.get("root_trace_id") ?? []) as string[];
    },
    load: (roots) => loadRows(engine, roots),
    rewrite: (roots) => rewrite(parts, names, roots),
    async countVerdicts(userId) {
      const bind = bindings();
      const answer = await engine.query(
        `SELECT toUInt64(count()) AS n FROM verdicts FINAL
WHERE scope = 'user' AND user_id = ${bind.text(userId)}`,
        bind.parameters,
      );
      return Number(answer.columns.get("n")?.[0] ?? 0);
    },
    async forgetVerdicts(userId, roots) {
      await names.put([["", 0n, userId], ...roots.map((root) => [root, 1n, userId] as const)]);
      await mutate(
        engine,
        "verdicts",
        `(scope = 'user' AND user_id IN (SELECT user_id FROM erasing))
    OR (scope = '' AND root_trace_id IN (SELECT root_trace_id FROM erasing WHERE keep = 1))`,
      );
      // Where a root is shared, the hash of the user still leads to it.
      const shared = "SELECT murmurHash3_32(root_trace_id) FROM erasing WHERE keep = 1";
      const hash = "SELECT murmurHash3_32(user_id) FROM erasing";
      if (roots.length > 0) {
        await mutate(engine, "locate", `root IN (${shared}) AND hash IN (${hash})`);
      }
      await names.drop();
    },
    purge: () => purge(engine),
  };
}

/** The table that names what goes. */
interface Names {
  put(rows: readonly (readonly [root: string, keep: bigint, user: string])[]): Promise<void>;
  drop(): Promise<void>;
}

function namesIn({ engine, cluster }: ErasureParts): Names {
  const onCluster = cluster === undefined ? "" : ` ON CLUSTER '${clusterName(cluster)}'`;
  const drop = (): Promise<void> => engine.command(`DROP TABLE IF EXISTS erasing${onCluster} SYNC`);
  return {
    drop,
    async put(rows) {
      await drop();
      await engine.command(cluster === undefined ? named : forCluster(named, cluster));
      const block = new NativeBlock();
      for (const [root, keep, user] of rows) {
        block.set("root_trace_id", "String", root);
        block.set("keep", "UInt64", keep);
        block.set("user_id", "String", user);
        block.endRow();
      }
      await engine.insert("erasing", block.encode(), "erasing");
    },
  };
}

async function rewrite(
  { engine, send }: ErasureParts,
  names: Names,
  roots: readonly RootErasure<number>[],
): Promise<readonly number[]> {
  const batches = new Map(
    roots.flatMap(({ root, left }) => {
      const batch = pinnedBatch(withoutCopies(left));
      return batch === undefined ? [] : [[root, batch] as const];
    }),
  );
  const keepOf = (root: string): bigint => {
    const batch = batches.get(root);
    return batch === undefined ? 0n : batchNumber(batch.batchId);
  };
  await names.put(roots.map(({ root }) => [root, keepOf(root), ""]));
  // Hashes of the roots go first: rows that stay bring theirs with them.
  await mutate(engine, "turns", `root IN (SELECT ${turnRoot} FROM erasing)`);
  for (const batch of batches.values()) await send(prepareBatch(batch));
  await mutate(
    engine,
    "events",
    `root_trace_id IN (SELECT root_trace_id FROM erasing) AND (root_trace_id, batch) NOT IN
    (SELECT root_trace_id, keep FROM erasing WHERE keep != 0)`,
  );
  const left = "SELECT murmurHash3_32(root_trace_id) FROM events";
  const going = "SELECT murmurHash3_32(root_trace_id) FROM erasing WHERE keep = 0";
  await mutate(engine, "locate", `root IN (${going}) AND root NOT IN (${left})`);
  const whole = "SELECT root_trace_id FROM erasing WHERE keep = 0";
  await mutate(engine, "verdicts", `root_trace_id IN (${whole})`);
  await names.drop();
  return roots.map(({ gone }) => gone.length);
}

/** The hash of a root in the table of turns, see turn-rows. */
const turnRoot =
  "bitShiftLeft(toUInt64(murmurHash3_32(concat('/', root_trace_id))), 32) + murmurHash3_32(root_trace_id)";

async function mutate(engine: Engine, table: string, where: string): Promise<void> {
  const settings = "mutations_sync = 2, allow_nondeterministic_mutations = 1";
  await engine.command(`ALTER TABLE ${table} DELETE WHERE ${where} SETTINGS ${settings}`);
}

async function loadRows(
  engine: Engine,
  roots: readonly string[],
): Promise<ReadonlyMap<string, readonly KeyedRow<number>[]>> {
  const touched = await readTouched(engine);
  const columns = eventColumns
    .map(({ name }) => name)
    .filter((name) => name !== "batch" && touched.has(name));
  const bind = bindings();
  const answer = await engine.query(
    `SELECT ${columns.join(", ")} FROM events WHERE root_trace_id IN ${bind.texts(roots)}`,
    bind.parameters,
  );
  const rows = decodeRows(answer).map((row, key) => ({ key, row }));
  return groupBy(rows, ({ row }) => row.root_trace_id ?? "");
}

const evidenceTables = ["events", "locate", "turns", "verdicts"] as const;

/**
 * Takes replaced parts off the disk. An embedded engine has no thread that does: its tables are
 * exchanged for tables of the same active parts, which are links and cost nothing. A server removes
 * them by itself, as soon as it is told to.
 */
async function purge(engine: Engine): Promise<readonly Unreached[]> {
  const { together } = engine;
  if (together === undefined) return purgeServer(engine);
  for (const table of evidenceTables) {
    const other = `${table}_active`;
    // Left by a run that was killed.
    await engine.command(`DROP TABLE IF EXISTS ${other} SYNC`);
    await together([
      `CREATE TABLE ${other} AS ${table}`,
      `ALTER TABLE ${other} ATTACH PARTITION ALL FROM ${table}`,
      `EXCHANGE TABLES ${table} AND ${other}`,
      `DROP TABLE ${other} SYNC`,
    ]);
  }
  return [];
}

/** How long a server is waited for. */
const partsWaitMs = 20_000;

async function purgeServer(engine: Engine): Promise<readonly Unreached[]> {
  const unreached: Unreached[] = ["clickhouse_server_logs"];
  const outdated = `SELECT toUInt64(count()) AS n FROM system.parts
WHERE database = currentDatabase() AND NOT active
    AND table IN (${evidenceTables.map((table) => `'${table}'`).join(", ")})`;
  for (const table of evidenceTables) {
    await engine.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 1`);
  }
  try {
    const until = Date.now() + partsWaitMs;
    for (;;) {
      const answer = await engine.query(outdated);
      if (Number(answer.columns.get("n")?.[0] ?? 0) === 0) return unreached;
      if (Date.now() > until) return [...unreached, "clickhouse_inactive_parts"];
      await sleep(250);
    }
  } finally {
    for (const table of evidenceTables) {
      await engine.command(`ALTER TABLE ${table} MODIFY SETTING old_parts_lifetime = 15`);
    }
  }
}
