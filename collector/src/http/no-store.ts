/**
 * @module Headers of every answer: nothing is cached, sniffed, framed or fetched from elsewhere
 * (design 6.3; faults W8, W10).
 */
import type { MiddlewareHandler } from "hono";

import type { AppEnv } from "./environment.ts";

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

/** What every answer carries, those of the edge included. */
export const securityHeaders: { readonly [name: string]: string } = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  // Nothing of an address leaves the origin. `no-referrer` would also turn the Origin of our own
  // forms into "null", and every sign-in by a browser would be refused as foreign.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "DENY",
};

/** Sets the headers; `Cache-Control` stays what an open asset says of itself. */
export function noStore(): MiddlewareHandler<AppEnv> {
  return async function noStore(c, next) {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value);
    if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
    c.res.headers.set("X-Request-Id", c.get("requestId"));
  };
}
