/** @module Claims: the principal that an identity provider's claims name. */
import type { OidcSettings } from "../config/oidc-settings.ts";
import { roles } from "./principal.ts";
import type { Principal, Role } from "./principal.ts";
import type { TypedIdentity } from "./typed-identity.ts";

/** Claims of a token or of the userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** The principal; undefined without a role, or without the tenant that the settings require. */
export function principalIn(
  claims: Claims,
  settings: OidcSettings,
  typed: TypedIdentity,
): Omit<Principal, "via"> | undefined {
  const subject = claims["sub"];
  const role = highest(claimAt(claims, settings.roleClaim), settings.roles);
  if (typeof subject !== "string" || !/^[\x21-\x7e]{1,255}$/.test(subject)) return undefined;
  if (role === undefined) return undefined;
  // A configured account has no colon in its name.
  const principal = { name: `oidc:${subject}`, role };
  if (settings.tenantClaim === undefined) return principal;
  const tenant = claimAt(claims, settings.tenantClaim);
  if (typeof tenant !== "string" || tenant === "") return undefined;
  return { ...principal, userId: typed(tenant) };
}

/** How far the provider's clock may be ahead. */
const aheadSeconds = 300;

/**
 * What the library takes as it comes: a subject without a name, a token of the future, which a
 * provider with a wrong clock makes, and one that was issued to another client.
 *
 * @throws Error whose `code` is the reason
 */
export function requirePlausible({ sub, iat, azp }: Claims, now: number, clientId: string): void {
  const refused = (code: string): Error => Object.assign(new Error("claims"), { code });
  if (typeof sub !== "string" || sub.trim() === "") throw refused("OAUTH_SUBJECT_EMPTY");
  if (typeof iat === "number" && iat > now / 1_000 + aheadSeconds) {
    throw refused("OAUTH_ISSUED_IN_FUTURE");
  }
  // OpenID Connect Core 3.1.3.7: the party that the token was issued to, where it is named.
  if (azp !== undefined && azp !== clientId) throw refused("OAUTH_ISSUED_TO_ANOTHER");
}

/** A claim by its name; where none has this name, dots lead into objects. */
function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let value: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = (value as Claims)[part];
  }
  return value;
}

function highest(claim: unknown, named: OidcSettings["roles"]): Role | undefined {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  const found = values.map((value) =>
    typeof value === "string" && Object.hasOwn(named, value) ? named[value] : undefined,
  );
  return roles.findLast((role) => found.includes(role));
}
