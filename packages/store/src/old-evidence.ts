/** @module OldEvidence: rows of versions before the ledger, which are copied into bundles. */
import { CodedError } from "@turnproof/semconv";

import type { CopyOptions, CopyReport, ParityReport } from "./admin.ts";
import type { CheckResult } from "./evidence-store.ts";

/** What an earlier version left in a database. */
export interface OldEvents {
  /** True while some of it was not copied, as far as is known here. */
  pending(): boolean;
  /** Asks the database: another process may have copied it. */
  refresh(): Promise<boolean>;
  copy(options?: CopyOptions): Promise<CopyReport>;
  /** Compares it with the copy. */
  check(options?: Omit<CopyOptions, "dryRun">): Promise<ParityReport>;
  /** @throws CodedError `migration_pending` until it is copied, `migration_differs` */
  drop(): Promise<void>;
}

/** What a check says while old rows wait. */
export async function checkedWith(
  old: OldEvents,
  check: () => Promise<CheckResult>,
): Promise<CheckResult> {
  const result = await check();
  if (!result.ok || !(await old.refresh())) return result;
  return { ...result, diagnostics: [...(result.diagnostics ?? []), "migration_pending"] };
}

/**
 * Whole roots are needed to tell whose rows are, so what is not copied comes first.
 * @throws CodedError `migration_pending`
 */
export async function requireCopied(old: OldEvents): Promise<void> {
  if (await old.refresh()) throw new CodedError("migration_pending");
}
