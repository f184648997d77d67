/** @module Audit file: where commands find the audit log. */
import { join } from "node:path";

import type { Config } from "../../config/config.ts";

/**
 * The configured log, else the one in the data directory: a command without the collector's
 * accounts has no log of its own.
 */
export function auditFileOf({ auditLog, dataDir }: Pick<Config, "auditLog" | "dataDir">): string {
  return auditLog ?? join(dataDir, "audit.jsonl");
}
