/**
 * @module Authenticate: the principal of a request, by Bearer token, session cookie or, where no
 * sign-in is configured, its loopback address; and the refusal of a request without one.
 */
import { localAdmin } from "../access/credentials.ts";
import type { Credentials } from "../access/credentials.ts";
import { bearerOf } from "../access/ingest-tokens.ts";
import type { Principal } from "../access/principal.ts";
import type { OpenSession, Sessions } from "../access/sessions.ts";
import type { Throttle } from "../access/throttle.ts";
import type { Audit } from "../access/audit/contract.ts";
import { isLoopback } from "../config/loopback.ts";
import { clientAddress, wantsPage } from "./environment.ts";
import type { AppContext } from "./environment.ts";
import { refuse } from "./errors.ts";
import { sessionCookie } from "./session-cookie.ts";

/** What credentials are compared with. */
export interface AuthenticateOptions {
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly audit: Audit | undefined;
  readonly basePath: string;
  readonly cookieName: string;
}

/** Result of the credentials of a request. */
export interface Identified {
  readonly principal: Principal | undefined;
  readonly session?: OpenSession;
  readonly credential?: string;
  /** True when a presented credential is wrong. */
  readonly wrong: boolean;
}

/** `away` where the store that has the session does not answer. */
export async function authenticate(
  c: AppContext,
  options: Omit<AuthenticateOptions, "throttle" | "audit" | "basePath">,
): Promise<Identified | "away"> {
  const { credentials, sessions } = options;
  if (!credentials.configured) {
    const address = clientAddress(c);
    const local = address === undefined || isLoopback(address.replace(/^::ffff:/, ""));
    return { principal: local ? localAdmin : undefined, wrong: false };
  }
  const header = c.req.header("authorization");
  if (header !== undefined) {
    const found = credentials.byToken(bearerOf(header) ?? "");
    if (found === undefined) return { principal: undefined, wrong: true };
    const { credential } = found;
    return { principal: { ...found.principal, via: "bearer" }, credential, wrong: false };
  }
  const cookie = sessionCookie(c, options.cookieName);
  const session = cookie === undefined ? undefined : await sessions.find(cookie);
  // Whether it is valid is not known.
  if (session === "away") return session;
  if (session === undefined) return { principal: undefined, wrong: false };
  const { principal: name, credential, issued } = session.session;
  const principal = credentials.byName(name, credential, issued);
  if (principal === undefined) return { principal: undefined, wrong: false };
  return { principal: { ...principal, via: "session" }, session, credential, wrong: false };
}

/** Longest return address. */
export const nextCharsMax = 2_048;

/**
 * Without a principal: a browser is redirected to the sign-in page, a wrong credential is
 * throttled.
 */
export async function refuseUnknown(
  c: AppContext,
  options: Omit<AuthenticateOptions, "sessions" | "cookieName">,
  wrong: boolean,
): Promise<Response> {
  if (wrong) {
    const wait = options.throttle.failed(clientAddress(c) ?? "in-process");
    await options.audit?.append({
      event: "credential.refused",
      route: c.get("route"),
      result: wait > 0 ? "throttled" : "unauthenticated",
      client: clientAddress(c),
    });
    await options.throttle.hold(wait);
    if (wait > 0) return refuse(c, "throttled", { retryAfterSeconds: wait });
  }
  if (c.req.method === "GET" && wantsPage(c) && options.credentials.configured) {
    const login = `${options.basePath === "/" ? "" : options.basePath}/login`;
    const whole = `${c.req.path}${new URL(c.req.url).search}`;
    // The form's limit; a list without its filters is better than none.
    const next = whole.length > nextCharsMax ? c.req.path : whole;
    return c.redirect(`${login}?next=${encodeURIComponent(next)}`, 303);
  }
  return refuse(c, "unauthenticated");
}
