/**
 * @module Endpoint: the declaration of a route beside its handler: required permission, audit
 * name, input and output. The gate, the API description, the README and the tests read it
 * (security: Principals; faults W12).
 */
import type { Code } from "@turnproof/semconv";
import type { Hono } from "hono";
import { z } from "zod";

import type { Permission } from "../access/principal.ts";
import type { Parts } from "../parts.ts";
import type { AppEnv } from "./environment.ts";
import type { NavigationChild, NavigationLink } from "./navigation.ts";

/**
 * Requirement of a route: a permission; `signed_in`, any principal; `open`, no principal;
 * `ingest`, a producer's token, which the receiver checks itself.
 */
export type Need = Permission | "signed_in" | "open" | "ingest";

/** Tag of an operation in the API description; `Process` is the one of a group without any. */
export type Tag =
  | "Receiving"
  | "Traces"
  | "Alerts"
  | "Agents"
  | "Threads"
  | "Learning and memory"
  | "Tools for agents"
  | "Session and settings"
  | "Process";

/** The declaration of one route. */
export interface Endpoint {
  readonly needs: Need;
  /** Only for a principal without a tenant or application binding. */
  readonly unbound?: true;
  /** Changes something in the provider: refused in read-only mode. */
  readonly mutates?: true;
  /**
   * Shows the state of this process: answered for a principal without a tenant while the audit log
   * cannot be written, without a row of the store (security: Audit).
   */
  readonly process?: true;
  /** Reads whole turns: answered by a reading thread, where there is one. */
  readonly reads?: true;
  /** Its large answer is in memory as a whole until it is read: a few are served at a time. */
  readonly whole?: true;
  /** A file, a stream or a run, which may wait for its store longer than a page. */
  readonly lasts?: true;
  /** Name in the audit log; every protected route has one. */
  readonly audit?: string;
  /** `operationId` of the API description; the id of a page ends with `Page` there. */
  readonly id: string;
  readonly summary: string;
  readonly text?: string;
  /** Schema of the query; without one, the handler reads none. */
  readonly query?: z.ZodObject;
  readonly body?: { readonly type: string; readonly schema?: z.ZodType };
  readonly returns: string;
  /** Media type of the answer; default JSON. */
  readonly answers?: string;
  /** Media types of the same answer in its other formats. */
  readonly formats?: readonly string[];
  /** Template of the route that answers this page's model as JSON. */
  readonly twin?: string;
  readonly status?: number;
  /** Other answers that are no failure, by status. */
  readonly also?: Readonly<Record<number, string>>;
  /** Tag of the route's group. */
  readonly tag?: Tag;
  /** The same answer is sent with 503 while the state is bad. */
  readonly unready?: true;
  readonly failures?: readonly Code[];
}

/** Endpoints by method and path template below the base path, such as `GET /traces`. */
export type Endpoints = Readonly<Record<string, Endpoint>>;

/**
 * Routes of one page, or of one part of the API. `Answers` has the type of each JSON answer by its
 * route; `npm run generate` makes the schemas of the API description from it.
 */
export interface RouteGroup<Answers = object> {
  readonly tag?: Tag;
  readonly endpoints: Endpoints;
  /** The page's link in the rail, or the link that is current on it. */
  readonly rail?: NavigationLink | NavigationChild;
  /** Never set: it ties the type to the group. */
  readonly answers?: Answers;
  /** The handlers of these endpoints; `all`: the endpoints of every group. */
  readonly routes: (parts: Parts, all: Endpoints) => Hono<AppEnv>;
}

/** No parameters. */
export const none: z.ZodObject = z.strictObject({});
/** Media type of a page. */
export const html = "text/html";
/** Failures of a page of a list. */
export const pageFailures: readonly Code[] = [
  "cursor_rejected",
  "scope_forbidden",
  "store_unavailable",
];
/** Failures of a query about one root. */
export const windowFailures: readonly Code[] = [
  "trace_not_found_in_window",
  "evidence_pending",
  "scope_forbidden",
  "store_unavailable",
];
/** The `also` of an operation of a page's form. */
export const orForm: NonNullable<Endpoint["also"]> = {
  303: "A form was sent: to the page, which shows the change.",
};
/** A form, or a JSON body, of this schema. */
export const formOrJson = (schema: z.ZodType): NonNullable<Endpoint["body"]> => ({
  type: "application/x-www-form-urlencoded",
  schema,
});
/** A JSON body of this schema. */
export const json = (schema: z.ZodType): NonNullable<Endpoint["body"]> => ({
  type: "application/json",
  schema,
});

/** A page at `path`, and the same model as JSON at its twin. */
export function withTwin(path: string, endpoint: Endpoint, twin = `${path}.json`): Endpoints {
  return { [`GET ${path}`]: { ...endpoint, answers: html, twin }, [`GET ${twin}`]: endpoint };
}

/**
 * The endpoints of several groups.
 *
 * @throws Error where two groups have one route
 */
export function joinEndpoints(groups: readonly RouteGroup[]): Endpoints {
  const rows = groups.flatMap(({ endpoints, tag = "Process" }) =>
    Object.entries(endpoints).map(([route, endpoint]) => [route, { ...endpoint, tag }] as const),
  );
  const joined = Object.fromEntries(rows);
  if (Object.keys(joined).length < rows.length) throw new Error("a route is declared twice");
  return joined;
}

/** True for a registered handler that answers; one under a wildcard is middleware. */
export function isEndpoint(route: { readonly path: string }): boolean {
  return !route.path.endsWith("*");
}

/** Method and template, without the base path, of a registered route. */
export function routeName(method: string, path: string, basePath: string): string {
  const below = basePath === "/" ? path : path.slice(basePath.length);
  return `${method} ${below === "" ? "/" : below}`;
}

/** Methods of a path, in any of its spellings as a template; empty where there is none. */
export function methodsAt(endpoints: Endpoints, path: string, basePath: string): readonly string[] {
  const below = basePath === "/" ? path : path.slice(basePath.length);
  const parts = (below === "" ? "/" : below).split("/");
  const methods = Object.keys(endpoints).flatMap((route) => {
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
 * Checks an app against its endpoints, in both directions.
 *
 * @throws Error naming handlers without an endpoint, endpoints without a handler, and protected
 * ones without an audit name
 */
export function requireEndpoints(app: Hono<AppEnv>, basePath: string, endpoints: Endpoints): void {
  const registered = new Set(
    app.routes.filter(isEndpoint).map((route) => routeName(route.method, route.path, basePath)),
  );
  const bare = [...registered].filter((route) => !Object.hasOwn(endpoints, route));
  const idle = Object.keys(endpoints).filter((route) => !registered.has(route));
  const unaudited = Object.entries(endpoints)
    .filter(([, { needs, audit }]) => needs !== "open" && needs !== "ingest" && !audit)
    .map(([route]) => route);
  if (bare.length + idle.length + unaudited.length === 0) return;
  throw new Error(
    `routes and endpoints disagree; undeclared: ${bare.join(", ") || "none"}; ` +
      `without a handler: ${idle.join(", ") || "none"}; unaudited: ${unaudited.join(", ") || "none"}`,
  );
}
