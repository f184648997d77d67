/** @module ErasureRows: the rows of evidence of one user in the tables, and their end. */
import { loadEach, rewriteBy } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { legacyCollection } from "../legacy-bundles.ts";
import type { LegacyBundles } from "../legacy-bundles.ts";
import type { Database } from "./database.ts";
import { appendBatch } from "./evidence-writer.ts";
import { purge, purgedTables } from "./purge.ts";
import { retentionRows } from "./retention-rows.ts";
import { bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** The rows of a database. */
export function erasureRows(
  database: Database,
  legacy: LegacyBundles | undefined,
): ErasureRows<string> {
  const rows = retentionRows(database);
  return {
    async rootsNaming(userId) {
      const bind = bindings();
      const found = await database.query(
        `SELECT DISTINCT root_trace_id AS root FROM evidence_events
WHERE tenant_said AND user_id = ${bind.text(userId)} ORDER BY root_trace_id`,
        bind.parameters,
      );
      return found.rows.map((row) => fromStored(row["root"] as string));
    },
    load: (roots) => loadEach(rows, roots),
    rewrite: rewriteBy((batch) => appendBatch(database, batch), rows),
    async countVerdicts(userId) {
      const bind = bindings();
      const found = await database.query(
        `SELECT count(*)::text AS n FROM evidence_verdicts
WHERE tenant_said AND user_id = ${bind.text(userId)}`,
        bind.parameters,
      );
      return Number(found.rows[0]?.["n"]);
    },
    async forgetVerdicts(userId, roots) {
      const bind = bindings();
      await database.query(
        `DELETE FROM evidence_verdicts WHERE (tenant_said AND user_id = ${bind.text(userId)})
    OR (NOT tenant_said AND root_trace_id = ANY(${bind.texts(roots)}))`,
        bind.parameters,
      );
    },
    purge: () =>
      purge(database, [
        ...purgedTables.evidence,
        ...(legacy === undefined ? [] : [legacyCollection]),
      ]),
    ...(legacy === undefined ? {} : { eraseLegacy: legacy.erase }),
  };
}
