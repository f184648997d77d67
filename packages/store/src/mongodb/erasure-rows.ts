/** @module ErasureRows: finds and deletes the documents of evidence of one user. */
import type { EvidenceBatch } from "@turnproof/evidence";
import type { Db } from "mongodb";

import type { Unreached } from "../erasure.ts";
import { hashesOfId } from "../bundle/bundle-words.ts";
import { loadEach } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { tenantText } from "../ledger/turn-fields.ts";
import { legacyCollection } from "../legacy/bundles.ts";
import type { LegacyBundles } from "../legacy/bundles.ts";
import type { OldEvents } from "../old-evidence.ts";
import { retentionRows } from "./retention-rows.ts";
import { coded } from "./store-error.ts";

/** Dependencies of erasure. */
export interface MongoErasureParts {
  readonly database: Db;
  readonly append: (batch: EvidenceBatch) => Promise<void>;
  readonly old: Pick<OldEvents, "drop">;
  readonly legacy: LegacyBundles | undefined;
}

/** The documents of a database. */
export function erasureRows(parts: MongoErasureParts): ErasureRows<number> {
  const { database, append, old, legacy } = parts;
  const rows = retentionRows(database, append);
  return {
    rootsNaming: (userId) =>
      coded(async () => {
        // The index of words may find more; the rows decide.
        const found = database
          .collection("evidence_bundles")
          .aggregate([
            { $match: { words: { $in: [...hashesOfId(userId)] } } },
            { $group: { _id: "$root_trace_id" } },
            { $sort: { _id: 1 } },
          ]);
        const named: string[] = [];
        for await (const document of found) {
          const root = String(document["_id"]);
          const held = await rows.load(root);
          if (held.some(({ row }) => row.user_id === userId)) named.push(root);
        }
        return named;
      }),
    load: (some) => loadEach(rows, some),
    rewrite: (roots) => rows.remove(roots),
    written: rows.written,
    async forgetTurns(userId) {
      const turns = database.collection("turn_ledger");
      await coded(() => turns.deleteMany({ tenant: { $eq: tenantText(userId) } }));
    },
    async purge() {
      // It contains the user's original rows, and is dropped where all of it is copied.
      await old.drop();
      return compactAll(database, [
        "evidence_bundles",
        "evidence_batches",
        "turn_ledger",
        "operator_rows",
        ...(legacy === undefined ? [] : [legacyCollection]),
      ]);
    },
    ...(legacy === undefined ? {} : { eraseLegacy: legacy.erase }),
  };
}

/**
 * Frees the blocks of deleted documents, where role and server allow it. The oplog keeps its
 * entries until they are overwritten.
 */
export async function compactAll(
  database: Db,
  collections: readonly string[],
): Promise<readonly Unreached[]> {
  const unreached: Unreached[] = ["mongodb_oplog"];
  for (const compact of collections) {
    const done = await database.command({ compact }).then(
      () => true,
      () => false,
    );
    if (!done && !unreached.includes("mongodb_free_blocks")) unreached.push("mongodb_free_blocks");
  }
  return unreached;
}
