/**
 * @module ErasureRows: the rows of evidence of one user in batch files, and their end. Every root
 * is looked at, since a file names roots and no users.
 */
import type { EvidenceBatch } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";

import { loadEach, rewriteBy } from "../evidence-erasure.ts";
import type { ErasureRows } from "../evidence-erasure.ts";
import { legacyFiles } from "./legacy-files.ts";
import { retentionRows } from "./retention-rows.ts";
import type { BatchRow, RetentionParts } from "./retention-rows.ts";

/** The rows of a disk. */
export function erasureRows(
  parts: RetentionParts,
  append: (batch: EvidenceBatch) => Promise<void>,
): ErasureRows<BatchRow> {
  const { disk, catalog, verdicts } = parts;
  const rows = retentionRows(parts);
  return {
    async rootsNaming(userId) {
      await catalog.refresh();
      const named: string[] = [];
      for (const { root, rows: held } of catalog.newestFirst()) {
        const loaded = await rows.load(root);
        // What is damaged cannot be told to be free of the user.
        if (loaded.length < held) throw new CodedError("store_corrupt", { field: "evidence" });
        if (loaded.some(({ row }) => row.user_id === userId)) named.push(root);
      }
      return named;
    },
    load: (roots) => loadEach(rows, roots),
    rewrite: rewriteBy(append, rows),
    countVerdicts: (userId) => verdicts.count((verdict) => verdict.user_id === userId),
    async forgetVerdicts(userId, roots) {
      const shared = new Set(roots);
      await verdicts.drop(
        (verdict) =>
          verdict.user_id === userId ||
          (verdict.user_id === undefined && shared.has(verdict.root_trace_id)),
      );
    },
    purge: async () => [],
    eraseLegacy: legacyFiles(disk).erase,
  };
}
