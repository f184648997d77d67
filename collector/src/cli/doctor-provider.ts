/** @module DoctorProvider: result of `turnproof doctor` for the OpenID Connect provider. */
import { codes } from "@turnproof/semconv";

import { describeProvider, providerFailure } from "../access/provider-metadata.ts";
import type { Config } from "../config/config.ts";
import type { Check } from "./doctor-evidence.ts";

/** Whether sign-ins through the provider can begin; none where none is configured. */
export async function providerCheck({ oidc }: Pick<Config, "oidc">): Promise<readonly Check[]> {
  if (oidc === undefined) return [];
  const check = "identity provider";
  try {
    await describeProvider(oidc);
    return [{ check, state: "ok", message: `${oidc.issuer} answers.` }];
  } catch (error) {
    const { code, reason } = providerFailure(error);
    const message = `${code}: ${oidc.issuer} (${reason}): ${codes[code].sentence}`;
    return [{ check, state: "fail", message }];
  }
}
