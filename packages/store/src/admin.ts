/**
 * @module Unscoped administrative access (requirements: Scope hierarchy 4): for migration, audit,
 * retention and maintenance, never for request handlers. A separate subpath and type, so that a
 * missing argument can never widen a read.
 */
export { deleteUserEvidence } from "./erasure.ts";
export type { EraseEvidence, ErasureOptions, ErasureReport, Unreached } from "./erasure.ts";
export { deleteUser } from "./delete-user.ts";
export type { DeletedKind, DeleteUserOptions, DeletionReport } from "./delete-user.ts";
export { checkEvidenceFile } from "./filesystem/evidence-check.ts";
export type { EvidenceFileState } from "./filesystem/evidence-check.ts";
export { lookAtParts } from "./clickhouse/damaged-parts.ts";
export type { Comparable, FailedPart, PartsLook } from "./clickhouse/damaged-parts.ts";
export { snapshotEngine } from "./clickhouse/engine-snapshot.ts";
export { snapshotEvidence } from "./filesystem/evidence-snapshot.ts";
export { clickhouseAdmin } from "./clickhouse/clickhouse-admin.ts";
export { defaultRetention, shortestDays } from "./retention.ts";
export type {
  Retention,
  RetentionClass,
  RetentionCount,
  RetentionDays,
  RetentionOptions,
  RetentionPolicy,
  RetentionReport,
  TenantDays,
} from "./retention.ts";
export { unscoped } from "./memory-admin.ts";
export type { AdminFilter, LegacyScope, MemoryAdmin, RowChange } from "./memory-admin.ts";
export type { CopyOptions, CopyReport, EvidenceAdmin, ParityReport } from "./evidence-admin.ts";
