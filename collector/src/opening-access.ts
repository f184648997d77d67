/** @module OpeningAccess: opens authentication and the audit log. */
import { parseKeyring } from "@turnproof/semconv/fingerprint";
import type { Key } from "@turnproof/semconv/fingerprint";

import { loggedFindings } from "./access/audit/finding-texts.ts";
import { recordAuditOff } from "./access/audit/audit-off.ts";
import { openAudit } from "./access/audit/log.ts";
import type { Audit } from "./access/audit/contract.ts";
import { shipperOf } from "./access/audit/ship.ts";
import { verifyAudit } from "./access/audit/verify.ts";
import { createSigner } from "./access/audit/checkpoint.ts";
import { createCredentials } from "./access/credentials.ts";
import { createOidc } from "./access/oidc.ts";
import { createPseudonyms } from "./access/pseudonyms.ts";
import { openIdentityKey, openKeyring } from "./access/stable-secret.ts";
import { createTypedIdentity } from "./access/typed-identity.ts";
import { createThrottle } from "./access/throttle.ts";
import type { Parts } from "./parts.ts";
import type { Opening } from "./opening-options.ts";
import { namesOf } from "./opening-options.ts";

/** The audit log, if one is configured. */
export async function openAuditLog(
  { config, log, opened }: Opening,
  { keyring, pseudonyms }: Pick<Access, "keyring" | "pseudonyms">,
): Promise<Audit | undefined> {
  if (config.auditLog === undefined) {
    await recordAuditOff(config, log);
    return undefined;
  }
  const signer = createSigner(config.dataDir, config.auditScope);
  const shipper = shipperOf(config, log);
  const { auditLog: file, auditScope: origin } = config;
  const audit = await openAudit({
    file,
    keyring,
    pseudonyms,
    signer,
    shipper,
    check: (extent) =>
      verifyAudit({
        file,
        keyring: () => keyring,
        origin,
        publicKey: () => signer.publicKey,
        extent,
      }),
    onChecked: loggedFindings(log, file),
  });
  opened.push(audit.close.bind(audit));
  return audit;
}

/** Parts that decide which principal reads what. */
type Access = Pick<
  Parts,
  "keyring" | "typed" | "credentials" | "oidc" | "pseudonyms" | "throttle"
> & { readonly identityKey: Key };

/** Authentication. */
export function openAccess({ config, log, options }: Opening): Access {
  const now = options.now ?? Date.now;
  const keyring = openKeyring(config.sessionSecret, config.dataDir);
  const identityKey = openIdentityKey(config.identityKey, config.dataDir);
  const typed = createTypedIdentity(identityKey, namesOf(config));
  const credentials = createCredentials(config, typed);
  const { auditScope, pseudonymKey } = config;
  const pseudonyms = createPseudonyms({
    auditScope,
    ...(pseudonymKey === undefined ? {} : { key: parseKeyring(pseudonymKey)[0] }),
  });
  const throttle = createThrottle(now);
  const { oidc: settings } = config;
  const oidc = settings && createOidc({ settings, keyring, typed, log, now });
  return { keyring, identityKey, typed, credentials, oidc, pseudonyms, throttle };
}
