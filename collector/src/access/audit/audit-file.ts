/** @module Audit file: where commands find the audit log and the log of retention. */
import { join } from "node:path";

import type { Config } from "../../config/config.ts";

/**
 * The configured log, else the one in the data directory: a command without the collector's
 * accounts has no log of its own.
 */
export function auditFileOf({ auditLog, dataDir }: Pick<Config, "auditLog" | "dataDir">): string {
  return auditLog ?? join(dataDir, "audit.jsonl");
}

/**
 * The log of retention: apart from the audit log, which a running collector holds, because
 * retention over a database runs beside collectors.
 */
export function retentionFileOf({ dataDir }: Pick<Config, "dataDir">): string {
  return join(dataDir, "retention.jsonl");
}

/** Scope of that log's checkpoints: two logs of one scope would be two histories of one log. */
export function retentionScopeOf({ auditScope }: Pick<Config, "auditScope">): string {
  return `${auditScope}/retention`;
}
