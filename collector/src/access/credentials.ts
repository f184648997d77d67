/**
 * @module Credentials: maps a presented token or session to a principal. A presented token is
 * compared with every configured one, always all of them, in constant time (security: Principals,
 * faults W7).
 */
import { createHash } from "node:crypto";

import type { Account } from "../config/accounts.ts";
import type { Config } from "../config/config.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import { equalSecret } from "./keyring.ts";
import type { TypedIdentity } from "./typed-identity.ts";
import type { Principal } from "./principal.ts";

/** Principal name of the single operator token. */
const operatorName = "operator-token";

/** Lookup of configured principals. */
export interface Credentials {
  /** False: no authentication is configured and loopback is the local admin. */
  readonly configured: boolean;
  /** The principal of a token, and a digest that identifies the token. */
  byToken(
    token: string,
  ): { readonly principal: Omit<Principal, "via">; readonly credential: string } | undefined;
  /** False: people sign in through an identity provider alone. */
  readonly tokens: boolean;
  /**
   * The principal of a session, while its credential is still configured; `issued` is whom an
   * identity provider named at the sign-in.
   */
  byName(
    name: string,
    credential: string,
    issued?: Omit<Principal, "via">,
  ): Omit<Principal, "via"> | undefined;
  /**
   * Replaces the accounts. Returns the names whose account was removed or changed in token, role
   * or binding.
   */
  replaceAccounts(accounts: readonly Account[]): readonly string[];
}

/** The local admin of a collector without authentication; loopback only. */
export const localAdmin: Principal = { name: "local", role: "admin", via: "loopback" };

/** Credentials from the configuration; account bindings are ids as people type them. */
export function createCredentials(
  config: Pick<Config, "authToken" | "accounts" | "oidc">,
  typed: TypedIdentity,
): Credentials {
  const rowsOf = (accounts: readonly Account[]): readonly CredentialRow[] =>
    [
      ...(config.authToken === undefined
        ? []
        : [{ name: operatorName, token: config.authToken, role: "admin" as const }]),
      ...accounts.map(({ userId, ...account }) =>
        userId === undefined
          ? account
          : { ...account, userId: userId === null ? null : typed(userId) },
      ),
    ].map(({ token, ...principal }) => ({ token, principal, credential: digestOf(token) }));
  const provider = config.oidc === undefined ? undefined : providerCredential(config.oidc);
  let rows = rowsOf(config.accounts);
  return {
    // Decided once: an emptied accounts file denies all access.
    configured: rows.length > 0 || config.oidc !== undefined,
    tokens: rows.length > 0,
    byToken: (token) => {
      let found: CredentialRow | undefined;
      for (const row of rows) if (equalSecret(row.token, token)) found = row;
      return found === undefined
        ? undefined
        : { principal: found.principal, credential: found.credential };
    },
    byName: (name, credential, issued) => {
      if (issued !== undefined && credential === provider) return issued;
      return rows.find((row) => row.principal.name === name && row.credential === credential)
        ?.principal;
    },
    replaceAccounts: (accounts) => {
      const before = rows;
      rows = rowsOf(accounts);
      const same = new Set(rows.map((row) => JSON.stringify([row.principal, row.credential])));
      return before
        .filter((row) => !same.has(JSON.stringify([row.principal, row.credential])))
        .map((row) => row.principal.name);
    },
  };
}

/** Credential of sessions by an identity provider: they end when its configuration changes. */
export function providerCredential({ clientSecret: _secret, ...settings }: OidcSettings): string {
  return digestOf(JSON.stringify(settings));
}

interface CredentialRow {
  readonly token: string;
  readonly principal: Omit<Principal, "via">;
  readonly credential: string;
}

function digestOf(token: string): string {
  return createHash("sha256").update("credential/v1").update(token).digest("hex").slice(0, 32);
}
