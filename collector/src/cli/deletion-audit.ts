/**
 * @module Deletion audit: records that a deletion was done, when, why, and whether it was complete;
 * never for which user. The record has no id, no pseudonym of it and no count that could identify
 * one.
 */
import { auditFileOf } from "../access/audit/audit-file.ts";
import { createSigner } from "../access/audit/checkpoint.ts";
import type { DeletionReason } from "../access/audit/deletion-reason.ts";
import { shipperOf } from "../access/audit/ship.ts";
import { subjectOfUser } from "../access/audit/logged-statement.ts";
import { deletedEvent } from "../access/audit/record.ts";
import { removeSalt, saltsFile } from "../access/audit/salts.ts";
import { openAudit } from "../access/audit/log.ts";
import { createPseudonyms } from "../access/pseudonyms.ts";
import { openKeyring } from "../access/stable-secret.ts";
import type { Config } from "../config/config.ts";
import { createLog } from "../log.ts";
import type { Log } from "../log.ts";

/** Record of one deletion. */
export interface DeletionAudit extends AsyncDisposable {
  record(result: "ok" | "partial"): Promise<void>;
  /**
   * Removes the salt of the user's leaves: they reveal nothing any more, and proofs still verify.
   */
  forget(userId: string): void;
}

/**
 * Opens the audit log and records the start of a deletion, with its reason where one is given.
 * @throws CodedError audit_unavailable, also while a collector writes to it
 */
export async function auditDeletion(
  config: Config,
  reason: DeletionReason | undefined,
  log: Log = createLog(config.log),
): Promise<DeletionAudit> {
  const file = auditFileOf(config);
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const audit = await openAudit({
    file,
    keyring,
    pseudonyms: createPseudonyms({ auditScope: config.auditScope }),
    signer: createSigner(config.dataDir, config.auditScope),
    shipper: shipperOf(config, log),
  });
  const record = (result: string): Promise<void> =>
    audit.append({ event: deletedEvent, role: "operator", result, reason });
  const salts = saltsFile(file);
  const forget = (userId: string): void => void removeSalt(salts, subjectOfUser(userId, keyring));
  await record("begun");
  return { record, forget, [Symbol.asyncDispose]: () => audit.close() };
}
