/** @module AuditState: state of the audit log, for pages and their JSON twins. */
import type { Audit } from "./contract.ts";
import type { AuditFailure } from "./audit-failure.ts";
import type { ShipState } from "./ship.ts";
import type { AuditVerification } from "./verify.ts";

/** Without an audit log it counts as healthy. */
export interface AuditState {
  readonly on: boolean;
  readonly healthy: boolean;
  /** Why it cannot be written, `disk_full` or `audit_unavailable`; null while it can. */
  readonly failure: AuditFailure | null;
  readonly records: number;
  /** Checkpoints that are sent elsewhere. */
  readonly shipping: ShipState;
  /**
   * The first finding in the records that were there at the start: its code and record, and how
   * many there are. Null when nothing was touched, or it is not known yet.
   */
  readonly damage: AuditDamage | null;
  /** Whether the records that were there at the start are checked. */
  readonly checked: boolean;
}

/** Damage of the log. */
interface AuditDamage {
  readonly code: string;
  readonly record: number;
  readonly total: number;
}

/** The state of the log, where there is one. */
export function auditState(audit: Audit | undefined): AuditState {
  return {
    on: audit !== undefined,
    healthy: audit?.healthy ?? true,
    failure: audit?.failure ?? null,
    records: audit?.records ?? 0,
    checked: audit?.checked !== undefined,
    damage: damageOf(audit?.checked),
    shipping: audit?.shipping ?? { targets: 0, shipped: null, failing: 0, failures: 0 },
  };
}

function damageOf(checked: AuditVerification | undefined): AuditDamage | null {
  const first = checked?.findings[0];
  if (checked === undefined || first === undefined) return null;
  return { code: first.code, record: first.record, total: checked.findings_total };
}
