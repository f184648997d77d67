/** @module MissingRows: evidence that is gone from the store, in reports and among the losses. */
import { rootsNamedMax } from "../ingest.ts";
import type { IngestReport, MissingEvidence } from "../ingest.ts";
import type { JournalLosses } from "./journal-losses.ts";

/** The counts, with the first of the roots. */
export function missingReport(missing: MissingEvidence | undefined): IngestReport["missing"] {
  if (missing === undefined) return null;
  const { roots, ...counts } = missing;
  return { ...counts, roots_named: roots.slice(0, rootsNamedMax) };
}

/**
 * Losses with the roots whose rows are gone or damaged: like quarantined rows, they prevent a
 * success.
 */
export function withMissing(
  known: JournalLosses,
  missing: MissingEvidence | undefined,
  damaged: readonly string[],
): JournalLosses {
  const gone = missing?.roots ?? [];
  if (gone.length === 0 && damaged.length === 0) return known;
  const roots = new Set([...known.quarantined_roots, ...gone, ...damaged]);
  return { ...known, quarantined_roots: [...roots].toSorted() };
}

/** Most traces that a question is compared with. */
const gapsMax = 200;

/** The traces with a gap; null where there are more, or not all are named. */
export function gapsOf(
  missing: MissingEvidence | undefined,
  damaged: readonly string[],
): readonly string[] | null {
  const gone = missing?.roots ?? [];
  const roots = new Set([...gone, ...damaged]);
  return roots.size > gapsMax || gone.length < (missing?.roots_missing ?? 0) ? null : [...roots];
}
