/**
 * @module Headers of every answer: no caching, sniffing, framing or fetching from elsewhere
 * (security: Answers; faults W8, W10).
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

/** Headers of every answer, including those of the edge. */
export const securityHeaders: { readonly [name: string]: string } = {
  "Content-Security-Policy": policy,
  "X-Content-Type-Options": "nosniff",
  // No part of an address leaves the origin. `no-referrer` would also turn the Origin of our own
  // forms into "null", and every sign-in by a browser would be refused as foreign.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Resource-Policy": "same-origin",
  "X-Frame-Options": "DENY",
  "Permissions-Policy": [
    "accelerometer",
    "bluetooth",
    "camera",
    "display-capture",
    "geolocation",
    "gyroscope",
    "hid",
    "idle-detection",
    "local-fonts",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "publickey-credentials-get",
    "screen-wake-lock",
    "serial",
    "usb",
    "web-share",
    "xr-spatial-tracking",
  ]
    .map((feature) => `${feature}=()`)
    .join(", "),
};

/** With secure cookies a browser comes over TLS alone, for a year. */
const strictTransport = "max-age=31536000";

/** Sets the headers; an asset's own `Cache-Control` is kept. */
export function noStore(options: { readonly secure: boolean }): MiddlewareHandler<AppEnv> {
  return async function noStore(c, next) {
    await next();
    for (const [name, value] of Object.entries(securityHeaders)) c.res.headers.set(name, value);
    if (options.secure) c.res.headers.set("Strict-Transport-Security", strictTransport);
    if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
    c.res.headers.set("X-Request-Id", c.get("requestId"));
  };
}
