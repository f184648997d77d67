/**
 * @module Authorize: whether a principal may send a request to an endpoint: from our own pages
 * where it changes something, with the permission, without a tenant where the endpoint needs that.
 */
import { isNarrowed, permits } from "../access/principal.ts";
import type { Principal } from "../access/principal.ts";
import type { OpenSession } from "../access/sessions.ts";
import { sameSite } from "./cross-site.ts";
import type { Endpoint } from "./endpoint.ts";
import type { AppContext } from "./environment.ts";

/** What a request is compared with. */
export interface AuthorizeOptions {
  readonly origins: readonly string[];
  readonly readOnly: boolean;
}

/** A principal, and its session where it signed in. */
export interface SignedIn {
  readonly principal: Principal;
  readonly session?: OpenSession | undefined;
}

/** Code of the refusal. */
export type AccessRefusal = "cross_origin" | "forbidden" | "scope_forbidden" | "store_read_only";

/** The refusal of a request; undefined where it is permitted. */
export async function authorize(
  c: AppContext,
  { needs, unbound, mutates }: Endpoint,
  { principal, session }: SignedIn,
  { origins, readOnly }: AuthorizeOptions,
): Promise<AccessRefusal | undefined> {
  const unsafe = !["GET", "HEAD"].includes(c.req.method);
  if (unsafe && !sameSite(c, origins, session !== undefined)) return "cross_origin";
  if (unsafe && session !== undefined && !(await carriesToken(c, session))) return "cross_origin";
  // Open endpoints have no principal and are answered before.
  const isPermission = needs !== "signed_in" && needs !== "open" && needs !== "ingest";
  if (isPermission && !permits(principal, needs)) return "forbidden";
  if (unbound && isNarrowed(principal)) return "scope_forbidden";
  return mutates && readOnly ? "store_read_only" : undefined;
}

/** The session's token, as a header or as a field of a form. */
async function carriesToken(c: AppContext, session: OpenSession): Promise<boolean> {
  const header = c.req.header("x-csrf-token");
  if (header !== undefined) return header === session.csrfToken;
  const type = c.req.header("content-type") ?? "";
  if (!/^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(type)) return false;
  // An unreadable body has no token.
  const body = await c.req.parseBody().catch(() => undefined);
  return body?.["csrf_token"] === session.csrfToken;
}
