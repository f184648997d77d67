/**
 * @module AuditOff: a collector without accounts records no access. Where an audit log exists from
 * an earlier start, one record in it shows from when accesses are not recorded.
 */
import { existsSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";

import type { Config } from "../../config/config.ts";
import type { Log } from "../../log.ts";
import { createPseudonyms } from "../pseudonyms.ts";
import { openKeyring } from "../stable-secret.ts";
import { auditFileOf } from "./audit-file.ts";
import { createSigner } from "./checkpoint.ts";
import { openAudit } from "./log.ts";
import { offEvent } from "./record.ts";
import { shipperOf } from "./ship.ts";

/** Adds the record. A log that takes none is stated in the collector's own log. */
export async function recordAuditOff(config: Config, log: Log): Promise<void> {
  const file = auditFileOf(config);
  if (config.backend === "ephemeral" || !existsSync(file)) return;
  try {
    const audit = await openAudit({
      file,
      keyring: openKeyring(config.sessionSecret, config.dataDir),
      pseudonyms: createPseudonyms({ auditScope: config.auditScope }),
      signer: createSigner(config.dataDir, config.auditScope),
      shipper: shipperOf(config, log),
    });
    await audit.append({ event: offEvent, result: "ok" });
    await audit.close();
  } catch (error) {
    log.warn("audit_off_not_recorded", {
      code: CodedError.is(error) ? error.code : "audit_unavailable",
    });
  }
}
