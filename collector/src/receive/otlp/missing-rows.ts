/** @module MissingRows: evidence that is gone from the store, in reports and among the losses. */
import type { IngestReport, MissingEvidence } from "../ingest.ts";
import type { JournalLosses } from "./journal-losses.ts";

/** The counts without the roots, which are of all tenants. */
export function missingReport(missing: MissingEvidence | undefined): IngestReport["missing"] {
  if (missing === undefined) return null;
  const { roots: _roots, ...counts } = missing;
  return counts;
}

/** Losses with the roots whose rows are gone: like quarantined rows, they prevent a success. */
export function withMissing(
  known: JournalLosses,
  missing: MissingEvidence | undefined,
): JournalLosses {
  if (missing === undefined || missing.roots.length === 0) return known;
  const roots = new Set([...known.quarantined_roots, ...missing.roots]);
  return { ...known, quarantined_roots: [...roots].toSorted() };
}
