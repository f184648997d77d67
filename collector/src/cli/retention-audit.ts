/**
 * @module Retention audit: records when a run of retention began and ended, the ages that it
 * applied, and how many rows it removed; never whose. A run that cannot be recorded is not done.
 */
import { isoTime } from "@turnproof/semconv";
import { shortestDays } from "@turnproof/store/admin";
import type { RetentionPolicy } from "@turnproof/store/admin";

import { retentionFileOf, retentionScopeOf } from "../access/audit/audit-file.ts";
import { createSigner } from "../access/audit/checkpoint.ts";
import { openAudit } from "../access/audit/log.ts";
import type { RetentionRecord } from "../access/audit/retention-record.ts";
import { createPseudonyms } from "../access/pseudonyms.ts";
import { openKeyring } from "../access/stable-secret.ts";
import type { Config } from "../config/config.ts";

/** Record of one run. */
export interface RetentionAudit extends AsyncDisposable {
  record(result: "ok" | "partial" | "failed", removed: RetentionRecord["removed"]): Promise<void>;
}

const dayMs = 86_400_000;

/**
 * Opens the log and records the start of a run.
 * @throws CodedError audit_unavailable, also while another run writes to it
 */
export async function auditRetention(
  config: Config,
  policy: RetentionPolicy,
  now: string,
): Promise<RetentionAudit> {
  const scope = retentionScopeOf(config);
  const ages = agesOf(policy, now);
  const audit = await openAudit({
    file: retentionFileOf(config),
    keyring: openKeyring(config.sessionSecret, config.dataDir),
    pseudonyms: createPseudonyms({ auditScope: scope }),
    signer: createSigner(config.dataDir, scope),
  });
  const record = (result: string, removed: RetentionRecord["removed"]): Promise<void> =>
    audit.append({
      event: "retention.applied",
      role: "operator",
      result,
      reason: "age",
      retention: { ...ages, removed },
    });
  try {
    await record("begun", []);
  } catch (error) {
    await audit.close();
    throw error;
  }
  return { record, [Symbol.asyncDispose]: () => audit.close() };
}

/** @throws CodedError parameter_invalid for ages in a wrong order */
function agesOf(policy: RetentionPolicy, now: string): Omit<RetentionRecord, "removed"> {
  const { outcome, metadata, structure, preview, tenants } = policy;
  const before = Object.entries({ outcome, metadata, structure, preview }).map(
    ([name, days]) => [name, isoTime(Date.parse(now) - days * dayMs)] as const,
  );
  return {
    shortest_days: shortestDays(policy),
    before: Object.fromEntries(before),
    tenants: tenants?.size ?? 0,
  };
}
