/**
 * @module DoctorAudit: result of `turnproof doctor` for the audit log, also while a collector
 * writes to it. Nothing is made or changed.
 */
import { existsSync, statSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";

import { auditFileOf } from "../access/audit/audit-file.ts";
import { readPublicKey } from "../access/audit/checkpoint.ts";
import { findingAdvice, findingMeaning } from "../access/audit/finding-texts.ts";
import { verifyAudit } from "../access/audit/verify.ts";
import { readKeyring } from "../access/stable-secret.ts";
import type { Config } from "../config/config.ts";
import type { Check } from "./doctor-evidence.ts";
import { adviceOf } from "./failure.ts";

const check = "audit log";

/** Compares the log with its checkpoints and its kept tree; none where there is no log. */
export async function auditCheck(config: Config): Promise<readonly Check[]> {
  const file = auditFileOf(config);
  if (!["", ".checkpoints", ".tree"].some((rest) => existsSync(`${file}${rest}`))) return [];
  const { size = 0 } = statSync(`${file}.checkpoints`, { throwIfNoEntry: false }) ?? {};
  try {
    const { ok, records, findings, findings_total } = await verifyAudit({
      file,
      keyring: () => readKeyring(config.sessionSecret, config.dataDir),
      origin: config.auditScope,
      publicKey: () => readPublicKey(config.dataDir),
      extent: { records: Number.POSITIVE_INFINITY, checkpointBytes: size },
    });
    if (ok)
      return [
        { check, state: "ok", message: `No record was changed or removed: ${records} records.` },
      ];
    const { code = "", record = 0 } = findings[0] ?? {};
    // A line that is being written has no end yet; the next start sets a torn one aside.
    const isTornOnly = findings_total === 1 && code === "audit_line_torn";
    const meaning = findingMeaning(code);
    const message =
      `${code} from record ${record} of ${file}${meaning === undefined ? "" : `: ${meaning}`} ` +
      `(${findings_total === 1 ? "1 finding" : `${findings_total} findings`}). ` +
      `${findingAdvice(code)} See TurnproofAuditDamaged in docs/operate/alerts.md.`;
    return [{ check, state: isTornOnly ? "warn" : "fail", message }];
  } catch (error) {
    if (!CodedError.is(error)) throw error;
    const advice = error.code === "key_unusable" ? ` ${adviceOf(error.code) ?? ""}` : "";
    return [{ check, state: "fail", message: `${error.message}${advice}` }];
  }
}
