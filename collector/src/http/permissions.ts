/**
 * @module Permissions: one table says what each route needs and what its audit record is called. A
 * route without a row does not start, and neither does a row without a route (design 6.3, W12).
 */
import type { Hono } from "hono";

import type { Permission } from "../access/principal.ts";
import type { AppEnv } from "./environment.ts";

/**
 * What a route needs: a permission; `signed_in`, any principal; `open`, nobody; `ingest`, a
 * producer's token, which the receiver checks itself.
 */
export type Need = Permission | "signed_in" | "open" | "ingest";

/** A row of the table. */
export interface RouteRule {
  readonly needs: Need;
  /** Only a principal bound to no tenant and no application. */
  readonly unbound?: true;
  /** Changes something in the provider: refused in read-only mode. */
  readonly mutates?: true;
  /** Works on whole turns: answered by a thread that reads, where there is one. */
  readonly reads?: true;
  /** Name in the audit log; every protected route has one. */
  readonly audit?: string;
}

const open: RouteRule = { needs: "open" };
const ingest: RouteRule = { needs: "ingest" };
const read = (audit: string): RouteRule => ({ needs: "trace.read", audit });
const turns = (audit: string): RouteRule => ({ ...read(audit), reads: true });

/** Method and path template of every route, below the base path. */
export const routeRules: { readonly [route: string]: RouteRule } = {
  "GET /healthz": open,
  "GET /readyz": open,
  "GET /readyz/store": open,
  "GET /login": open,
  "POST /login": open,
  "GET /assets/:file": open,
  "GET /favicon.ico": open,
  "GET /.well-known/jwks.json": open,
  "POST /v1/traces": ingest,
  "POST /v1/logs": ingest,
  "POST /v1/metrics": ingest,
  "ALL /v1/traces": ingest,
  "ALL /v1/logs": ingest,
  "ALL /v1/metrics": ingest,
  "POST /logout": { needs: "signed_in", audit: "session.ended" },
  "GET /": { needs: "signed_in", audit: "home.read" },
  "GET /settings": { needs: "signed_in", audit: "settings.read" },
  "GET /settings.json": { needs: "signed_in", audit: "settings.read" },
  "GET /openapi.json": { needs: "signed_in", audit: "openapi.read" },
  "GET /docs": { needs: "signed_in", audit: "docs.read" },
  "GET /patterns": { needs: "signed_in", audit: "patterns.read" },
  "GET /metrics": { ...read("metrics.read"), unbound: true },
  "GET /traces": turns("turns.read"),
  "GET /traces/turns.json": turns("turns.read"),
  "GET /traces/overview.json": turns("turns.read"),
  "GET /traces/facets.json": turns("turns.read"),
  "GET /traces/differences.json": turns("turns.read"),
  "GET /traces/trend.json": turns("turns.read"),
  "GET /traces/events.json": turns("events.read"),
  "GET /traces/health": turns("health.read"),
  "GET /traces/health.json": turns("health.read"),
  "GET /traces/compare": turns("compare.read"),
  "GET /traces/compare.json": turns("compare.read"),
  "GET /traces/analysis.json": turns("analysis.read"),
  "GET /traces/inspect.json": turns("lineage.read"),
  "GET /traces/replay-plan.json": {
    ...turns("replay_plan.read"),
    needs: "replay.create",
  },
  "GET /traces/reconcile": turns("reconcile.read"),
  "GET /traces/reconcile.json": turns("reconcile.read"),
  "POST /traces/reconcile": turns("reconcile.judged"),
  "GET /traces/reconcile.jws": turns("reconcile.signed"),
  "GET /traces/find": turns("find.read"),
  "GET /traces/find.json": turns("find.read"),
  "GET /traces/capabilities.json": read("capabilities.read"),
  "GET /traces/artifact.json": { needs: "artifact.lookup", audit: "artifact.read" },
  "POST /traces/account/resolve": { needs: "account.resolve", audit: "account.resolved" },
  "POST /traces/reveal": { needs: "trace.reveal", audit: "content.revealed" },
  "POST /traces/replays": { needs: "replay.create", audit: "replay.created", mutates: true },
  "POST /traces/feedback": { needs: "outcome.write", audit: "feedback.written", mutates: true },
  "GET /learning": read("learning.read"),
  "GET /learning.json": read("learning.read"),
  "POST /traces/recommendations": {
    needs: "recommendation.review",
    audit: "recommendation.proposed",
    mutates: true,
  },
  "POST /traces/recommendations/:recommendation_id/review": {
    needs: "recommendation.review",
    audit: "recommendation.reviewed",
    mutates: true,
  },
  "GET /memory": read("memory.read"),
  "GET /memory.json": read("memory.read"),
  "POST /traces/outcomes": { needs: "outcome.write", audit: "outcome.written", mutates: true },
  "POST /agents/:agent_id/run": { needs: "agent.run", audit: "agent.run", mutates: true },
  "POST /agents/:agent_id/playground/stream": {
    needs: "agent.run",
    audit: "agent.streamed",
    mutates: true,
  },
  "GET /traces/live": read("live.read"),
  "GET /traces/:root_trace_id": turns("turn.read"),
  "GET /agents": turns("agents.read"),
  "GET /agents.json": turns("agents.read"),
  "GET /agents/:agent_id": turns("agent.read"),
  "GET /threads": turns("threads.read"),
  "GET /threads.json": turns("threads.read"),
  "GET /threads/:thread_id": turns("thread.read"),
};

/** True for a registered handler that answers; what is registered under a wildcard goes between. */
export function isEndpoint(route: { readonly path: string }): boolean {
  return !route.path.endsWith("*");
}

/** Method and template, without the base path, of a registered route. */
export function routeName(method: string, path: string, basePath: string): string {
  const below = basePath === "/" ? path : path.slice(basePath.length);
  return `${method} ${below === "" ? "/" : below}`;
}

/** Methods that a path answers to, in any of its spellings as a template; none where nothing is. */
export function methodsAt(path: string, basePath: string): readonly string[] {
  const parts = (basePath === "/" ? path : path.slice(basePath.length)).split("/");
  const methods = Object.keys(routeRules).flatMap((route) => {
    const [method = "", template = ""] = route.split(" ");
    const places = template.split("/");
    const fits =
      places.length === parts.length &&
      places.every((place, index) => {
        const part = parts[index] ?? "";
        return place.startsWith(":") ? part !== "" : place === part;
      });
    if (!fits || method === "ALL") return [];
    return method === "GET" ? ["GET", "HEAD"] : [method];
  });
  return [...new Set(methods)].toSorted();
}

/**
 * Holds an app to the table, in both directions.
 *
 * @throws Error naming the routes that have no row, and the rows that have no route
 */
export function requireRules(
  app: Hono<AppEnv>,
  basePath: string,
  rules: { readonly [route: string]: RouteRule } = routeRules,
): void {
  const registered = new Set(
    app.routes.filter(isEndpoint).map((route) => routeName(route.method, route.path, basePath)),
  );
  const bare = [...registered].filter((route) => !Object.hasOwn(rules, route));
  const idle = Object.keys(rules).filter((route) => !registered.has(route));
  const unaudited = Object.entries(rules)
    .filter(([, rule]) => rule.needs !== "open" && rule.needs !== "ingest" && !rule.audit)
    .map(([route]) => route);
  if (bare.length + idle.length + unaudited.length === 0) return;
  throw new Error(
    `routes and permissions disagree; without a permission: ${bare.join(", ") || "none"}; ` +
      `without a route: ${idle.join(", ") || "none"}; unaudited: ${unaudited.join(", ") || "none"}`,
  );
}
