/**
 * @module Cross-site: whether a request may have come from another site's page (security: Sessions;
 * faults W4).
 */
import type { AppContext } from "./environment.ts";

/**
 * True when Origin and fetch metadata are ours. A session (`strict`) needs an Origin; a Bearer or
 * loopback caller, which is not a browser's ambient authority, is refused only with a foreign one.
 */
export function sameSite(c: AppContext, origins: readonly string[], strict = false): boolean {
  const site = c.req.header("sec-fetch-site");
  if (site === "cross-site" || (strict && site !== undefined && site !== "same-origin")) {
    return false;
  }
  const origin = c.req.header("origin");
  if (origin === undefined) return !strict;
  if (origins.includes(origin)) return true;
  if (origins.length > 0 || !URL.canParse(origin)) return false;
  const own = new URL(c.req.url);
  // The scheme as browsers see it: before a proxy that ends TLS, ours is always http.
  return new URL(origin).origin === `${c.get("scheme") ?? own.protocol}//${own.host}`;
}
