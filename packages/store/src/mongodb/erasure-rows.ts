/** @module ErasureRows: the documents of evidence of one user, and their end. */
import type { EvidenceBatch } from "@turnproof/evidence";
import type { Db } from "mongodb";

import type { Unreached } from "../erasure.ts";
import { loadEach, rewriteBy } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { legacyCollection } from "../legacy-bundles.ts";
import type { LegacyBundles } from "../legacy-bundles.ts";
import { retentionRows } from "./retention-rows.ts";
import type { RetentionKey } from "./retention-rows.ts";
import type { RootIndex } from "./root-index.ts";
import { coded } from "./store-error.ts";

/** What erasure stands on. */
export interface ErasureParts {
  readonly database: Db;
  readonly roots: RootIndex;
  readonly append: (batch: EvidenceBatch) => Promise<void>;
  readonly legacy: LegacyBundles | undefined;
}

/** The documents of a database. */
export function erasureRows(parts: ErasureParts): ErasureRows<RetentionKey> {
  const { database, roots, append, legacy } = parts;
  const rows = retentionRows(database, roots);
  const verdicts = database.collection("evidence_verdicts");
  return {
    rootsNaming: (userId) =>
      coded(async () => {
        const found = database
          .collection("evidence_events")
          .aggregate([
            { $match: { user_id: { $eq: userId } } },
            { $group: { _id: "$root_trace_id" } },
            { $sort: { _id: 1 } },
          ]);
        const named: string[] = [];
        for await (const row of found) named.push(String(row["_id"]));
        return named;
      }),
    load: (some) => loadEach(rows, some),
    rewrite: rewriteBy(append, rows),
    countVerdicts: (userId) => coded(() => verdicts.countDocuments({ user_id: { $eq: userId } })),
    async forgetVerdicts(userId, shared) {
      await coded(() => verdicts.deleteMany({ user_id: { $eq: userId } }));
      if (shared.length === 0) return;
      const unsaid = { root_trace_id: { $in: [...shared] }, tenant_said: { $eq: false } };
      await coded(() => verdicts.deleteMany(unsaid));
    },
    purge: () =>
      compactAll(database, [
        "evidence_events",
        "evidence_verdicts",
        "evidence_batches",
        ...(legacy === undefined ? [] : [legacyCollection]),
      ]),
    ...(legacy === undefined ? {} : { eraseLegacy: legacy.erase }),
  };
}

/**
 * Gives the blocks of deleted documents back, where the role may and the server can. The oplog
 * keeps what it was told until it is overwritten.
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
