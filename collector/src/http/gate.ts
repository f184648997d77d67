/**
 * @module Gate: between the edge and the routes. Authenticates the caller, checks that the request
 * came from our own pages and that the role permits the route, and writes the audit record before
 * the answer (security: Audit).
 */
import type { MiddlewareHandler } from "hono";
import { matchedRoutes } from "hono/route";

import { isNarrowed } from "../access/principal.ts";
import { authenticate, refuseUnknown } from "./authenticate.ts";
import type { AuthenticateOptions } from "./authenticate.ts";
import { authorize } from "./authorize.ts";
import type { AuthorizeOptions } from "./authorize.ts";
import { sameSite } from "./cross-site.ts";
import type { AppContext, AppEnv } from "./environment.ts";
import { refuse } from "./errors.ts";
import { isEndpoint, methodsAt, routeName } from "./endpoint.ts";
import type { Endpoints } from "./endpoint.ts";
import { accessRecord, answerProcess, answerRecorded } from "./recorded-answer.ts";

/** Dependencies of the gate. */
export interface AccessGateOptions extends AuthenticateOptions, AuthorizeOptions {
  readonly endpoints: Endpoints;
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
    const found = await authenticate(c, options);
    if (found === "away") return refuse(c, "store_unavailable");
    const { principal, session, credential, wrong } = found;
    if (principal === undefined) return refuseUnknown(c, options, wrong);
    c.set("principal", principal);
    c.set("session", session);
    c.set("credential", credential);
    if (endpoint === undefined) return unserved(c, endpoints, basePath);
    const refusal = await authorize(c, endpoint, { principal, session }, options);
    const record = accessRecord(c, endpoint.audit ?? "", principal);
    if (refusal !== undefined) {
      await audit?.append({ ...record, result: refusal });
      return refuse(c, refusal);
    }
    const isProcess = endpoint.process === true && !isNarrowed(principal);
    await (isProcess ? answerProcess : answerRecorded)(c, next, audit, record);
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
