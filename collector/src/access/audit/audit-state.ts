/** @module AuditState: how the audit log fares, as pages and their twins say it. */
import type { Audit } from "./log.ts";

/** Without a log nothing is wrong with it. */
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
