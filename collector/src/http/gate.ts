/**
 * @module Gate: between the edge and the routes. Authenticates the caller, checks that the request
 * came from our own pages and that the role permits the route, and writes the audit record before
 * the answer (security: Audit).
 */
import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";
import { CodedError } from "@turnproof/semconv";

import type { Audit } from "../access/audit/log.ts";
import { localAdmin } from "../access/credentials.ts";
import type { Credentials } from "../access/credentials.ts";
import { bearerOf } from "../access/ingest-tokens.ts";
import { isNarrowed, permits } from "../access/principal.ts";
import type { Principal } from "../access/principal.ts";
import type { OpenSession, Sessions } from "../access/sessions.ts";
import type { Throttle } from "../access/throttle.ts";
import { loggedHeader, statementIn } from "../access/audit/logged-statement.ts";
import { isLoopback } from "../config/config.ts";
import { sameSite } from "./cross-site.ts";
import { clientAddress, wantsPage } from "./environment.ts";
import type { AppContext, AppEnv } from "./environment.ts";
import { refuse } from "./errors.ts";
import { isEndpoint, methodsAt, routeName } from "./endpoint.ts";
import type { Endpoint, Endpoints } from "./endpoint.ts";
import { sessionCookie } from "./session-cookie.ts";

/** Dependencies of the gate. */
export interface AccessGateOptions {
  readonly endpoints: Endpoints;
  readonly credentials: Credentials;
  readonly sessions: Sessions;
  readonly throttle: Throttle;
  readonly audit: Audit | undefined;
  readonly origins: readonly string[];
  readonly readOnly: boolean;
  readonly basePath: string;
  readonly cookieName: string;
}

/** The gate; a refused request never reaches a route. */
export function gate(options: AccessGateOptions): MiddlewareHandler<AppEnv> {
  const { audit, basePath, endpoints } = options;
  return async function gate(c, next) {
    const route = matchedRoutes(c).find(isEndpoint);
    const name = route === undefined ? "" : routeName(route.method, route.path, basePath);
    c.set("route", name);
    const endpoint = endpoints[name];
    if (endpoint?.needs === "open" || endpoint?.needs === "ingest") {
      if (name === "POST /login" && !sameSite(c, options.origins)) {
        return refuse(c, "cross_origin");
      }
      await next();
      return;
    }
    const found = await identify(c, options);
    if (found === "away") return refuse(c, "store_unavailable");
    if (found.principal === undefined) return denied(c, options, found.wrong);
    c.set("principal", found.principal);
    c.set("session", found.session);
    c.set("credential", found.credential);
    if (endpoint === undefined) return unserved(c, endpoints, basePath);
    const refusal = await judge(c, endpoint, found, options);
    const record = { event: endpoint.audit ?? "", route: name, ...callerOf(c, found.principal) };
    if (refusal !== undefined) {
      await audit?.append({ ...record, result: refusal });
      return refuse(c, refusal);
    }
    if (endpoint.process === true && !isNarrowed(found.principal)) {
      await answerProcess(c, next, audit, record);
    } else await answer(c, next, audit, record);
    return;
  };
}

/** For a path with other methods the answer lists them; the base path may end with a slash. */
async function unserved(c: AppContext, endpoints: Endpoints, basePath: string): Promise<Response> {
  if (basePath !== "/" && c.req.path === `${basePath}/` && c.req.method === "GET") {
    return c.redirect(`${basePath}${new URL(c.req.url).search}`, 308);
  }
  const methods = methodsAt(endpoints, c.req.path, basePath);
  if (methods.length === 0) return refuse(c, "not_found");
  c.header("Allow", methods.join(", "));
  return refuse(c, "method_not_allowed");
}

type Recorded = Parameters<Audit["append"]>[0];

/** Runs the route, then records its result; the answer is sent only after the record. */
async function answer(
  c: AppContext,
  next: () => Promise<void>,
  audit: Audit | undefined,
  record: Omit<Recorded, "result">,
): Promise<void> {
  audit?.requireWritable();
  await next();
  const statement = statementIn(c.res.headers.get(loggedHeader));
  c.res.headers.delete(loggedHeader);
  if (audit === undefined) return;
  const failed = c.res.status >= 400;
  try {
    await audit.append({
      ...record,
      ...statement,
      result: failed ? `status_${c.res.status}` : "ok",
    });
  } catch (error) {
    c.res = await refuse(c, CodedError.is(error) ? error.code : "audit_unavailable");
  }
}

/**
 * Records the access first, and a failure after it. Without a record the route reads the state of
 * the process alone, so that what is wrong with the log can be seen.
 */
async function answerProcess(
  c: AppContext,
  next: () => Promise<void>,
  audit: Audit | undefined,
  record: Omit<Recorded, "result">,
): Promise<void> {
  const isRecorded = async (result: string): Promise<boolean> =>
    audit === undefined ||
    audit.append({ ...record, result }).then(
      () => true,
      () => false,
    );
  c.set("unrecorded", !(await isRecorded("ok")));
  await next();
  if (c.res.status >= 400 && c.get("unrecorded") !== true) {
    await isRecorded(`status_${c.res.status}`);
  }
}

interface Identified {
  readonly principal: Principal | undefined;
  readonly session?: OpenSession;
  readonly credential?: string;
  /** True when a presented credential is wrong. */
  readonly wrong: boolean;
}

async function identify(c: AppContext, options: AccessGateOptions): Promise<Identified | "away"> {
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
async function denied(
  c: AppContext,
  options: AccessGateOptions,
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

async function judge(
  c: AppContext,
  { needs, unbound, mutates }: Endpoint,
  found: Identified,
  options: AccessGateOptions,
): Promise<"cross_origin" | "forbidden" | "scope_forbidden" | "store_read_only" | undefined> {
  const { principal, session } = found;
  if (principal === undefined) return "forbidden";
  const unsafe = !["GET", "HEAD"].includes(c.req.method);
  if (unsafe && !sameSite(c, options.origins, session !== undefined)) return "cross_origin";
  if (unsafe && session !== undefined && !(await carriesToken(c, session))) return "cross_origin";
  if (needs !== "signed_in" && !permits(principal, needs as "trace.read")) {
    return "forbidden";
  }
  if (unbound && isNarrowed(principal)) return "scope_forbidden";
  if (mutates && options.readOnly) return "store_read_only";
  return undefined;
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

function callerOf(
  c: AppContext,
  principal: Principal,
): { role: string; operator: string; client: string | undefined; requestId: string } {
  return {
    role: principal.role,
    operator: principal.name,
    client: clientAddress(c),
    requestId: c.get("requestId"),
  };
}
