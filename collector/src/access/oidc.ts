/**
 * @module OIDC: sign-in through an OpenID Connect provider, by authorization code with PKCE, state
 * and nonce. What a sign-in needs until its end is sealed in a cookie of the browser that began
 * it, so sign-ins that never end take no memory here (security: Sessions).
 */
import { CodedError } from "@turnproof/semconv";
import type { Configuration } from "openid-client";

import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Log } from "../log.ts";
import { principalIn, requirePlausible } from "./claims.ts";
import type { Claims } from "./claims.ts";
import { providerCredential } from "./credentials.ts";
import type { Keyring } from "./keyring.ts";
import { describeProvider, loadClient, providerFailure } from "./provider-metadata.ts";
import type { Opener } from "./sessions.ts";
import { createTickets } from "./sign-in-ticket.ts";
import type { TypedIdentity } from "./typed-identity.ts";

/** Sign-ins through one provider. */
export interface Oidc {
  /**
   * Begins a sign-in: where the browser goes, and the cookie that it brings back.
   *
   * @throws CodedError `sign_in_unavailable` or `sign_in_refused` of the provider's description
   */
  begin(redirectUri: string, next: string): Promise<{ location: string; ticket: string }>;
  /**
   * Ends a sign-in at the provider's answer: whose session to open, and where to go.
   *
   * @throws CodedError `sign_in_state`, `sign_in_refused`, `sign_in_unassigned` or
   * `sign_in_unavailable`
   */
  finish(answer: URL, ticket: string | undefined): Promise<{ opener: Opener; next: string }>;
}

interface OidcOptions {
  readonly settings: OidcSettings;
  readonly keyring: Keyring;
  readonly typed: TypedIdentity;
  readonly log: Log;
  readonly now: () => number;
}

/** Age at which the provider's metadata are fetched again: its endpoints may move. */
const metadataMsMax = 600_000;

/** Sign-ins through the provider of the settings; its metadata is fetched when needed. */
export function createOidc({ settings, keyring, typed, log, now }: OidcOptions): Oidc {
  const tickets = createTickets(keyring, now);
  let described: Promise<Configuration> | undefined;
  let describedAt = 0;
  const provider = (): Promise<Configuration> => {
    if (described !== undefined && Math.abs(now() - describedAt) < metadataMsMax) return described;
    const fetched = describeProvider(settings);
    described = fetched;
    describedAt = now();
    // The next sign-in fetches it again.
    fetched.catch(() => {
      if (described === fetched) described = undefined;
    });
    return fetched;
  };
  const coded = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (CodedError.is(error)) throw error;
      const failure = providerFailure(error);
      log.warn("sign_in_failed", { ...failure });
      throw new CodedError(failure.code);
    }
  };
  return {
    begin: (redirectUri, next) =>
      coded(async () => {
        const [client, config] = await Promise.all([loadClient(), provider()]);
        const state = client.randomState();
        const nonce = client.randomNonce();
        const verifier = client.randomPKCECodeVerifier();
        const location = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: settings.scopes,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
          state,
          nonce,
        });
        return { location: location.href, ticket: tickets.issue({ state, nonce, verifier, next }) };
      }),
    finish: (answer, text) =>
      coded(async () => {
        const ticket = tickets.redeem(text, answer.searchParams.getAll("state"));
        if (ticket === undefined) throw new CodedError("sign_in_state");
        const [client, config] = await Promise.all([loadClient(), provider()]);
        const tokens = await client.authorizationCodeGrant(config, answer, {
          pkceCodeVerifier: ticket.verifier,
          expectedState: ticket.state,
          expectedNonce: ticket.nonce,
          idTokenExpected: true,
        });
        const claims: Claims = tokens.claims() ?? {};
        requirePlausible(claims, Date.now(), settings.clientId);
        const issued =
          principalIn(claims, settings, typed) ??
          principalIn(await moreClaims(config, tokens.access_token, claims), settings, typed);
        if (issued === undefined) throw new CodedError("sign_in_unassigned");
        const credential = providerCredential(settings);
        return { opener: { principal: issued.name, credential, issued }, next: ticket.next };
      }),
  };
}

/** Claims of the userinfo endpoint too: many providers keep the token short. */
async function moreClaims(
  config: Configuration,
  accessToken: string,
  claims: Claims,
): Promise<Claims> {
  const subject = claims["sub"];
  if (config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const { fetchUserInfo } = await loadClient();
  const more = await fetchUserInfo(config, accessToken, String(subject));
  return { ...more, ...claims };
}
