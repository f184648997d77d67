/** @module ClickhouseBundles: the evidence port over packed bundles in ClickHouse. */
import { CodedError } from "@turnproof/semconv";

import type { EvidenceStore } from "../evidence-store.ts";
import { checkBy } from "../store-check.ts";
import { microseconds } from "../stored-event.ts";
import { epochMicros } from "../time.ts";
import { bundleReads, standingOf } from "./bundle-reads.ts";
import { batchWord, encodeBatch, hasAnySql } from "./bundle-table.ts";
import type { Engine } from "./connection.ts";
import { batchNumber } from "./prepared-batch.ts";
import { clickhouseTurns } from "./turn-ledger.ts";
import { putVerdicts, readVerdicts } from "./verdict-table.ts";

/** Evidence in the tables of this engine, which are there. */
export function clickhouseBundles(engine: Engine): EvidenceStore {
  let closed = false;
  let pending: Promise<unknown> = Promise.resolve();
  const open = (): void => {
    if (closed) throw new CodedError("store_closed");
  };
  const store: EvidenceStore = {
    name: engine.embedded ? "clickhouse embedded" : "clickhouse server",
    sources: ["trace", "conversation", "tool_log"],
    async append(batch) {
      open();
      const done = Promise.all(
        encodeBatch(batch).map(({ week, block }) =>
          engine.insert("bundles", block, `${batch.batchId}/${week}`),
        ),
      );
      pending = Promise.allSettled([pending, done]);
      await done;
    },
    async readBack(batchId) {
      open();
      const answer = await engine.query(
        `SELECT toFloat64(sum(events)) AS rows, toFloat64(max(batch_events)) AS wanted,
    toFloat64(count()) AS bundles
FROM bundles WHERE ${hasAnySql([batchWord(batchId)])} AND batch = ${batchNumber(batchId)}`,
      );
      const at = (name: string): number => Number(answer.columns.get(name)?.[0] ?? 0);
      const [rows, wanted] = [at("rows"), at("wanted")];
      return { rows: Math.min(rows, wanted), complete: at("bundles") > 0 && rows >= wanted };
    },
    ledger: clickhouseTurns(engine),
    ...bundleReads(engine, open),
    verdicts: (scope, roots) => readVerdicts(engine, scope, roots),
    putVerdicts: (verdicts) => putVerdicts(engine, verdicts),
    async quietRoots(since, before, limit) {
      const [from, to] = [since, before].map((time) => epochMicros(microseconds(time)));
      const answer = await engine.query(
        `SELECT root_trace_id, max(received_at) AS last FROM bundles
WHERE received_at >= fromUnixTimestamp64Micro(${from}) AND events > 0
GROUP BY root_trace_id HAVING last < fromUnixTimestamp64Micro(${to})
ORDER BY last, root_trace_id LIMIT ${Math.max(Math.floor(limit), 0)}`,
      );
      return (answer.columns.get("root_trace_id") ?? []) as string[];
    },
    standing: (roots) => standingOf(engine, roots),
    check: () =>
      checkBy(async () => {
        open();
        await engine.query("SELECT 1 AS one FROM bundles LIMIT 1");
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
  return store;
}
