/**
 * @module Respond: one model, two renderings. A path that ends in `.json` answers the model; any
 * other answers its page, which links to the twin (collector: Answer).
 */
import { isoNow } from "@turnproof/semconv";
import type { Child, JSXNode } from "hono/jsx";

import type { Config } from "../config/config.ts";
import { prefersJson, wantsPage } from "./environment.ts";
import type { AppContext, Renderer } from "./environment.ts";
import type { Problem } from "./problem.ts";
import { html } from "./endpoint.ts";
import type { Endpoints } from "./endpoint.ts";
import type { PageContext, PageAnswer, View } from "./page-context.ts";
import { ownOrigin } from "./own-origin.ts";
import { pageInParts } from "./page-parts.ts";
import { understoodOf } from "../ui/display/filter-terms.ts";
import { rangeParameters } from "../ui/display/time-range.ts";

/** Configuration of every page. */
export interface RendererOptions extends Pick<Config, "origins" | "cookieSecure"> {
  /** The page of every error. */
  readonly problem: View<Problem>;
  /** Declares each page's twin. */
  readonly endpoints: Endpoints;
  readonly rail: PageContext["rail"];
  readonly basePath: string;
  readonly contentMode: PageContext["contentMode"];
  readonly readOnly: boolean;
  readonly authConfigured: boolean;
  readonly version: string;
  readonly traceLink?: string;
  /** Whether stored evidence is known to be damaged or gone. */
  readonly isDamaged: () => boolean;
}

/** A renderer of pages under one configuration. */
export function createRenderer(options: RendererOptions): Renderer {
  const { problem, endpoints, origins, cookieSecure, isDamaged, ...given } = options;
  const routes = Object.keys(endpoints).filter((route) => route.startsWith("GET "));
  const pathOf = (route: string): string => route.slice("GET ".length);
  const ranged = new Set(routes.filter((route) => takesRange(endpoints, route)).map(pathOf));
  const constant = { ...given, pages: new Set(routes.map(pathOf)), ranged };
  const contextOf = (c: AppContext, isProblem: boolean): PageContext => {
    const url = new URL(c.req.url);
    const base = options.basePath === "/" ? "" : options.basePath;
    const posted = isProblem ? undefined : c.get("posted");
    const path = posted?.path ?? (url.pathname.slice(base.length) || "/");
    const query = posted?.query ?? appliedQuery(c, url);
    const refusedRange = isProblem ? undefined : c.get("refusedRange");
    const ignored = isProblem ? [] : (c.get("applied")?.ignored ?? []);
    const principal = c.get("principal");
    const session = c.get("session");
    // A posted page has no address under which it could be read again.
    const twin = isProblem ? undefined : twinOf(endpoints, c.get("route"), path);
    return {
      ...constant,
      path,
      query,
      appliedInPart: isAppliedInPart(c),
      home: `${ownOrigin(c, { origins, cookieSecure })}${base}`,
      takesRange: !isProblem && takesRange(endpoints, c.get("route")),
      requestId: c.get("requestId"),
      ignored,
      damaged: isDamaged(),
      at: isoNow(),
      ...(refusedRange === undefined ? {} : { refusedRange }),
      ...(twin === undefined
        ? {}
        : { jsonHref: `${base}${twin}${twinSearch(c, endpoints, url, query)}` }),
      ...(posted === undefined ? {} : { refusal: posted.refusal }),
      ...(principal === undefined ? {} : { principal }),
      ...(session === undefined ? {} : { csrfToken: session.csrfToken }),
    };
  };
  const isPage = (c: AppContext): boolean => {
    const route = c.get("route");
    return wantsPage(c) && route.startsWith("GET ") && (endpoints[route]?.answers ?? html) === html;
  };
  const render = async <M,>(
    c: AppContext,
    { model, view, later }: PageAnswer<M>,
    status: number,
  ): Promise<Response> => {
    const context = contextOf(c, view === problem);
    const text = `<!doctype html>${await textOf(view(model, context))}`;
    if (later === undefined) return c.html(text, status as 200);
    return pageInParts(c, { text, later: textOf(later(context)), status });
  };
  return {
    page: (c, answer, status) => render(c, answer, status),
    hasPicker: (c) => isPage(c) && takesRange(endpoints, c.get("route")),
    // A page without a principal has no place for the line.
    isMarkedPage: (c) => isPage(c) && c.get("principal") !== undefined,
    problem: (c, model) => render(c, { model, view: problem }, model.status),
  };
}

async function textOf(markup: Child | Promise<Child>): Promise<string> {
  return ((await markup) as JSXNode).toString();
}

function takesRange(endpoints: Endpoints, route: string): boolean {
  return rangeParameters.every((name) => name in (endpoints[route]?.query?.shape ?? {}));
}

/** Route of the page's model as JSON. */
function twinOf(endpoints: Endpoints, route: string, path: string): string | undefined {
  if (!route.startsWith("GET ")) return undefined;
  // The last segment of such a path accepts `.json` too.
  return /\/:[a-z_]+$/.test(route) ? `${path}.json` : endpoints[route]?.twin;
}

function isAppliedInPart(c: AppContext): boolean {
  return c.get("refusedRange") !== undefined || c.get("applied") !== undefined;
}

/** The query of the request without what its page does not apply. */
function appliedQuery(c: AppContext, { searchParams }: URL): URLSearchParams {
  const applied = c.get("applied");
  if (applied !== undefined) return new URLSearchParams(applied.parameters);
  const left = c.get("refusedRange") === undefined ? [] : [...rangeParameters, "cursor"];
  return new URLSearchParams([...searchParams].filter(([name]) => !left.includes(name)));
}

/**
 * Query of the twin: the page's without what only the page takes, and what the page takes that its
 * JSON would not.
 */
function twinSearch(
  c: AppContext,
  endpoints: Endpoints,
  { search }: URL,
  query: URLSearchParams,
): string {
  const more = c.get("twinQuery") ?? {};
  const own = ownParameters(endpoints, c.get("route"));
  const readable = understoodOf(query);
  const kept = [...readable].filter(([name]) => !own.includes(name));
  const isWhole = !isAppliedInPart(c) && readable.get("q") === query.get("q");
  if (Object.keys(more).length === 0 && isWhole && kept.length === query.size) return search;
  const text = new URLSearchParams([...kept, ...Object.entries(more)]).toString();
  return text === "" ? "" : `?${text}`;
}

/** Parameters of a page that its twin does not take. */
function ownParameters(endpoints: Endpoints, route: string): readonly string[] {
  const { query, twin } = endpoints[route] ?? {};
  const taken = twin === undefined ? undefined : endpoints[`GET ${twin}`]?.query?.shape;
  return taken === undefined
    ? []
    : Object.keys(query?.shape ?? {}).filter((name) => !(name in taken));
}

/** One model of one route. */
export interface Answer<M> extends PageAnswer<M> {
  /** Another form of the model, for clients that request it in JSON. */
  readonly json?: () => object;
  readonly status?: number;
}

/**
 * Answers with the model as JSON or as its page. A path that ends in `.json` is JSON; a page is
 * JSON too where `Accept` prefers it (RFC 9110, 12.5.1).
 */
export function respond<M>(c: AppContext, answer: Answer<M>): Response | Promise<Response> {
  const { model, json, status = 200 } = answer;
  if (c.req.path.endsWith(".json")) return respondJson(c, json?.() ?? model, status);
  c.header("Vary", "Accept", { append: true });
  if (prefersJson(c)) return respondJson(c, json?.() ?? model, status);
  return c.get("renderer").page(c, answer, status);
}

/** JSON in which no text can end a script element or a line of script (faults W8). */
export function respondJson(c: AppContext, model: unknown, status = 200): Response {
  const text = JSON.stringify(model).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return c.body(text, status as 200, { "Content-Type": "application/json; charset=UTF-8" });
}
