/**
 * @module Session cookie: exactly one cookie of its name, or the request is refused (security:
 * Sessions; faults W6).
 */
import { CodedError } from "@turnproof/semconv";
import { setCookie } from "hono/cookie";

import type { AppContext } from "./environment.ts";

/** Name of the cookie; on HTTPS a prefix binds it to the secure origin. */
export function cookieNameOf(secure: boolean, basePath: string): string {
  return secure && basePath === "/" ? "__Host-turnproof" : "turnproof-session";
}

/**
 * The value of the session cookie.
 *
 * @throws CodedError `bad_request` when it occurs twice: one of them was injected
 */
export function sessionCookie(c: AppContext, name: string): string | undefined {
  const values = (c.req.header("cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  if (values.length > 1) throw new CodedError("bad_request");
  return values[0];
}

/** The `Set-Cookie` of a session; an empty value ends it. */
export function setSessionCookie(
  c: AppContext,
  value: string,
  options: { readonly name: string; readonly secure: boolean; readonly basePath: string },
): void {
  setCookie(c, options.name, value, {
    path: options.basePath,
    httpOnly: true,
    sameSite: "Lax",
    secure: options.secure,
    ...(value === "" ? { maxAge: 0 } : {}),
  });
}
