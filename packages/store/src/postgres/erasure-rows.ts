/** @module ErasureRows: finds and deletes the rows of evidence of one user in the tables. */
import { hashesOfId } from "../bundle/bundle-words.ts";
import { loadEach } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import { legacyCollection } from "../legacy/bundles.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import type { Database } from "./database.ts";
import { wordsSql } from "./bundle-writer.ts";
import type { OldEvents } from "../old-evidence.ts";
import { purge, purgedTables } from "./purge.ts";
import { retentionRows } from "./retention-rows.ts";
import { bindings } from "./sql-text.ts";
import { fromStored } from "./stored-text.ts";

/** Dependencies of erasure. */
export interface ErasureParts {
  readonly database: Database;
  readonly old: Pick<OldEvents, "drop">;
  readonly legacy: LegacyBundles | undefined;
}

/** The rows of a database. */
export function erasureRows({ database, old, legacy }: ErasureParts): ErasureRows<number> {
  const rows = retentionRows(database);
  return {
    async rootsNaming(userId) {
      const bind = bindings();
      // The index of words may find more; the rows decide.
      const { rows: found } = await database.query(
        `SELECT DISTINCT r.root_trace_id AS root FROM evidence_bundles b
JOIN evidence_roots r ON r.root = b.root
WHERE b.words && ${wordsSql(hashesOfId(userId), bind)} ORDER BY root`,
        bind.parameters,
      );
      const roots = found.map((row) => fromStored(row["root"] as string));
      const named: string[] = [];
      for (const root of roots) {
        const held = await rows.load(root);
        if (held.some(({ row }) => row.user_id === userId)) named.push(root);
      }
      return named;
    },
    load: (roots) => loadEach(rows, roots),
    rewrite: (roots) => rows.remove(roots),
    written: rows.written,
    async forgetTurns(userId) {
      const turns = bindings();
      await database.query(
        `DELETE FROM turn_ledger WHERE tenant = ${turns.text(tenantText(userId))}`,
        turns.parameters,
      );
    },
    async purge() {
      // It contains the user's original rows, and is dropped where all of it is copied.
      await old.drop();
      return purge(database, [
        ...purgedTables.evidence,
        ...(legacy === undefined ? [] : [legacyCollection]),
      ]);
    },
    ...(legacy === undefined ? {} : { eraseLegacy: legacy.erase }),
  };
}
