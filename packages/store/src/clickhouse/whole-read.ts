/**
 * @module WholeRead: reads each column of the tables that turns rest on. The engine compares each
 * block with its checksum as it reads it. Other tables and indexes are no evidence.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { WholeRead } from "../evidence-store.ts";
import type { Engine } from "./engine.ts";

const tables = ["bundles", "root_epochs", "turn_ledger"] as const;

/**
 * Reads a partition at a time, at most half of the time: one statement over years of evidence would
 * exceed the time limit of statements.
 * @throws CodedError `store_corrupt` where a block is not as it was written
 */
export async function readAll(engine: Engine, signal?: AbortSignal): Promise<WholeRead> {
  for (const table of tables) {
    const found = await engine.query(
      `SELECT DISTINCT _partition_id AS id FROM ${table}`,
      {},
      signal,
    );
    for (const id of found.columns.get("id") ?? []) {
      const began = performance.now();
      // Names of the engine's own: hexadecimal digits, or `all`.
      const own = `_partition_id = '${String(id).replaceAll(/\W/g, "")}'`;
      const read = `SELECT toFloat64(count()) AS rows FROM ${table} WHERE ${own} AND NOT ignore(*)`;
      await engine.query(read, {}, signal);
      await sleep(performance.now() - began, undefined, { ...(signal && { signal }) });
    }
  }
  return { damagedRoots: [] };
}
