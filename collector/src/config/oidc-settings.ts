/** @module OIDC settings: the identity provider that people sign in through, and its claims. */
import type { Role } from "../access/principal.ts";
import { roleName } from "./accounts.ts";
import { list, text } from "./config-values.ts";

/** An OpenID Connect provider and the meaning of its claims. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent for a public client. */
  readonly clientSecret?: string;
  readonly scopes: string;
  readonly roleClaim: string;
  /** Roles by values of the claim. */
  readonly roles: Readonly<Record<string, Role>>;
  /** Absent: people are bound to no tenant. */
  readonly tenantClaim?: string;
}

/** The provider's issuer: https, or http on this machine. */
export const issuer = text.superRefine((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isPlain = url?.search === "" && url.hash === "" && url.username === "";
  const isLocal = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
  const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLocal);
  if (!isPlain || !isSafe) {
    context.addIssue({ code: "custom", message: "an https address without query or login" });
  }
});

/** Scopes between spaces; the provider answers with an identity only for `openid`. */
export const scopes = text.refine(
  (value) => value.split(/\s+/).includes("openid"),
  "scopes have openid among them",
);

/** `value=role` between commas. */
export const roleValues = list.transform((parts, context): Readonly<Record<string, Role>> => {
  const named: Record<string, Role> = Object.create(null);
  for (const [index, part] of parts.entries()) {
    const at = part.lastIndexOf("=");
    const role = roleName.safeParse(part.slice(at + 1).trim());
    const value = part.slice(0, Math.max(0, at)).trim();
    if (role.success && value !== "") named[value] = role.data;
    else context.addIssue({ code: "custom", message: `entry ${index + 1} is not value=role` });
  }
  return named;
});

/** What the variables of the provider hold. */
interface OidcVariables {
  readonly UI_OIDC_ISSUER?: string | undefined;
  readonly UI_OIDC_CLIENT_ID?: string | undefined;
  readonly UI_OIDC_CLIENT_SECRET?: string | undefined;
  readonly UI_OIDC_SCOPES: string;
  readonly UI_OIDC_ROLE_CLAIM: string;
  readonly UI_OIDC_ROLES?: Readonly<Record<string, Role>> | undefined;
  readonly UI_OIDC_TENANT_CLAIM?: string | undefined;
}

/** The settings, where a provider is configured. */
export function oidcOf(data: OidcVariables): OidcSettings | undefined {
  const { UI_OIDC_ISSUER: named, UI_OIDC_CLIENT_ID: clientId } = data;
  if (named === undefined || clientId === undefined) return undefined;
  const { UI_OIDC_CLIENT_SECRET: clientSecret, UI_OIDC_TENANT_CLAIM: tenantClaim } = data;
  return {
    issuer: named,
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    scopes: data.UI_OIDC_SCOPES.split(/\s+/).join(" "),
    roleClaim: data.UI_OIDC_ROLE_CLAIM,
    roles: data.UI_OIDC_ROLES ?? Object.fromEntries(roleName.options.map((role) => [role, role])),
    ...(tenantClaim === undefined ? {} : { tenantClaim }),
  };
}
