/** @module ProviderMetadata: metadata of an OpenID Connect provider, or why it cannot be used. */
import type * as openidClient from "openid-client";
import type { Configuration } from "openid-client";

import type { OidcSettings } from "../config/oidc-settings.ts";

const timeoutSeconds = 10;

/** The protocol's client, loaded by the first sign-in: most collectors have no provider. */
export const loadClient = (): Promise<typeof openidClient> => import("openid-client");

/** Fetches the provider's metadata, which must have exactly the issuer of the settings. */
export async function describeProvider(settings: OidcSettings): Promise<Configuration> {
  const { issuer, clientId, clientSecret } = settings;
  const client = await loadClient();
  const authentication = clientSecret === undefined ? client.None() : undefined;
  // The settings admit http on this machine alone.
  const execute = [client.enableNonRepudiationChecks];
  if (issuer.startsWith("http:")) execute.push(client.allowInsecureRequests);
  const config = await client.discovery(new URL(issuer), clientId, clientSecret, authentication, {
    execute,
    timeout: timeoutSeconds,
  });
  // Some providers describe one issuer for all organizations; every one of them would be let in.
  if (unslashed(config.serverMetadata().issuer) !== unslashed(issuer)) {
    throw Object.assign(new Error("issuer"), { code: "OAUTH_ISSUER_DIFFERS" });
  }
  return config;
}

function unslashed(url: string): string {
  return url.replace(/\/$/, "");
}

/** Why the provider cannot be used. */
export interface ProviderFailure {
  readonly code: "sign_in_unavailable" | "sign_in_refused";
  /** The library's own name of the failure, such as `OAUTH_TIMEOUT`. */
  readonly reason: string;
}

/** An error of the protocol's client as its code and reason. */
export function providerFailure(error: unknown): ProviderFailure {
  const code = isAway(error) ? "sign_in_unavailable" : "sign_in_refused";
  return { code, reason: reasonOf(error) };
}

/** Whether the provider did not answer; anything else is an answer that cannot be used. */
function isAway(error: unknown): boolean {
  const code = codeOf(error);
  if (statusOf(error) >= 500) return true;
  return code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT" || error instanceof TypeError;
}

/** Status of the answer that an error, or one that it was made from, is about; 0 without one. */
function statusOf(error: unknown): number {
  if (typeof error !== "object" || error === null) return 0;
  const { status, cause } = error as { readonly status?: unknown; readonly cause?: unknown };
  return typeof status === "number" ? status : statusOf(cause);
}

/** The library's own name of the failure; its message and cause may hold claims. */
function reasonOf(error: unknown): string {
  const code = codeOf(error);
  return /^OAUTH_[A-Z_]{1,60}$/.test(code) ? code : "unknown";
}

function codeOf(error: unknown): string {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : "";
}
