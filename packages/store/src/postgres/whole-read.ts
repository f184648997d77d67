/**
 * @module WholeRead: reads each row of the tables that turns rest on, with what is stored outside
 * of the row. The server compares each page with its checksum as it reads it, where it has them.
 */
import { setTimeout as sleep } from "node:timers/promises";

import type { WholeRead } from "../evidence-store.ts";
import type { Database } from "./database.ts";

const tables = ["evidence_roots", "evidence_bundles", "root_epochs", "turn_ledger"] as const;
/** Pages of one statement: 8 MiB. */
const slicePages = 1_024;

/**
 * Reads slice by slice, at most half of the time.
 * @throws CodedError `store_corrupt` where a page or a row cannot be read
 */
export async function readAll(database: Database, signal?: AbortSignal): Promise<WholeRead> {
  for (const table of tables) {
    const { rows } = await database.query(
      `SELECT (pg_relation_size('${table}') / current_setting('block_size')::bigint)::text AS pages`,
    );
    const pages = Number(rows[0]?.["pages"] ?? 0);
    for (let page = 0; page < pages; page += slicePages) {
      const began = performance.now();
      // Every row has a hash, so this condition reads each row and returns none.
      await database.query(
        `SELECT count(*) FROM ${table} AS each
WHERE ctid >= '(${page},0)' AND ctid < '(${page + slicePages},0)' AND md5(each::text) = ''`,
      );
      await sleep(performance.now() - began, undefined, { ...(signal && { signal }) });
    }
  }
  return { damagedRoots: [] };
}
