/** @module AuditState: state of the audit log, for pages and their JSON twins. */
import type { Audit } from "./log.ts";

/** Without an audit log it counts as healthy. */
export interface AuditState {
  readonly on: boolean;
  readonly healthy: boolean;
  readonly records: number;
}

/** The state of the log, where there is one. */
export function auditState(audit: Audit | undefined): AuditState {
  return {
    on: audit !== undefined,
    healthy: audit?.healthy ?? true,
    records: audit?.records ?? 0,
  };
}
