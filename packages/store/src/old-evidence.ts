/** @module OldEvidence: rows of versions before the ledger, which are copied into bundles. */
import { CodedError } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "./evidence-admin.ts";
import type { CheckResult } from "./evidence-store.ts";

/** Data of an earlier version in a database. */
export interface OldEvents {
  /** True while some of it is not copied, as far as this process has determined. */
  pending(): boolean;
  /** Queries the database: another process may have copied it. */
  refresh(): Promise<boolean>;
  copy(options?: CopyOptions): Promise<CopyReport>;
  /** Compares it with the copy. */
  check(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /** @throws CodedError `migration_pending` until it is copied, `migration_differs` */
  drop(): Promise<void>;
}

/** Result of a check while old rows are not copied. */
export async function checkedWith(
  old: OldEvents,
  check: () => Promise<CheckResult>,
): Promise<CheckResult> {
  const result = await check();
  if (!result.ok || !(await old.refresh())) return result;
  return { ...result, diagnostics: [...(result.diagnostics ?? []), "migration_pending"] };
}

/**
 * Rows are attributed by complete roots, so uncopied rows are copied first.
 * @throws CodedError `migration_pending`
 */
export async function requireCopied(old: OldEvents): Promise<void> {
  if (await old.refresh()) throw new CodedError("migration_pending");
}
