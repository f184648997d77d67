/** @module AuditFacts: what an audit log shows for an evidence pack. */
import { existsSync, readFileSync } from "node:fs";

import { compareTimes } from "@turnproof/evidence";

import { auditFileOf } from "../../access/audit/audit-file.ts";
import { readPublicKey } from "../../access/audit/checkpoint.ts";
import { logLines } from "../../access/audit/lines.ts";
import { originOf, verifierKey } from "../../access/audit/note.ts";
import { openRecord } from "../../access/audit/record.ts";
import { verifyAudit } from "../../access/audit/verify.ts";
import { openKeyring } from "../../access/stable-secret.ts";
import type { Config } from "../../config/config.ts";
import type { PackFacts } from "./pack-facts.ts";

/** The log's state, and the deletions that it records in the window. */
export interface AuditFacts {
  readonly log: PackFacts["audit"];
  readonly deletions: PackFacts["deletions"];
}

/** Verifies the log and reads it. */
export async function auditFacts(
  config: Config,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<AuditFacts> {
  const file = auditFileOf(config);
  if (!existsSync(file)) return { log: null, deletions: [] };
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const publicKey = readPublicKey(config.dataDir);
  const origin = config.auditScope;
  const result = await verifyAudit({ file, keyring, origin, publicKey: () => publicKey });
  const deletions: PackFacts["deletions"] = [];
  for await (const { lines } of logLines(file)) {
    for (const line of lines) {
      const record = openRecord(line, keyring);
      if (record?.event !== "user.deleted") continue;
      if (compareTimes(record.ts, from) < 0 || compareTimes(record.ts, to) >= 0) continue;
      const { ts: at, reason = "reason not recorded", result: ended } = record;
      deletions.push({ at, reason, result: ended });
    }
  }
  const log = {
    ok: result.ok,
    records: result.records,
    checkpoints: result.checkpoints,
    findings: result.findings_total,
    tree_head: newestNote(`${file}.checkpoints`, originOf(origin)),
    key: verifierKey(originOf(origin), publicKey),
  };
  return { log, deletions };
}

/** The last note of a file of checkpoints; null where there is none. */
function newestNote(file: string, origin: string): string | null {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const at = text.startsWith(`${origin}\n`) ? text.lastIndexOf(`${origin}\n`) : -1;
  return at < 0 ? null : text.slice(at);
}
