/**
 * @module Respond: one model, two renderings. A path that ends in `.json` answers the model; any
 * other answers its page, which announces the twin (design 6.2).
 */
import type { Child, JSXNode } from "hono/jsx";

import type { Principal } from "../access/principal.ts";
import { prefersJson } from "./environment.ts";
import type { AppContext } from "./environment.ts";
import type { Problem } from "./errors.ts";
import { plainPage } from "./plain-page.tsx";
import type { ViewName, ViewTable } from "../view-table.ts";

/** What every page knows besides its model. */
export interface Frame {
  readonly view: ViewName | "problem";
  /** Path below the base path, and the same with its query. */
  readonly path: string;
  readonly basePath: string;
  readonly query: URLSearchParams;
  /** Where the JSON twin of this page lies, query included; absent on pages without one. */
  readonly jsonHref?: string;
  readonly principal?: Principal;
  /** Field `csrf_token` of every form that a session posts. */
  readonly csrfToken?: string;
  readonly contentMode: "metadata" | "redacted" | "full";
  readonly readOnly: boolean;
  /** False: loopback without authentication, which the page says. */
  readonly authConfigured: boolean;
  readonly version: string;
  /** Template of links to another trace backend; absent where none is configured. */
  readonly traceLink?: string;
  readonly requestId: string;
  /** When the page was stated, RFC 3339. */
  readonly at: string;
}

/** A page: a function from model and frame to markup. */
export type View<M> = (model: M, frame: Frame) => Child | Promise<Child>;

/** Renders pages of one collector; made once and handed to requests. */
export interface Renderer {
  page(c: AppContext, view: ViewName, model: unknown, status: number): Response | Promise<Response>;
  problem(c: AppContext, problem: Problem): Response | Promise<Response>;
}

/** What the frame takes from the configuration. */
export interface RendererOptions {
  readonly views: ViewTable;
  readonly basePath: string;
  readonly contentMode: Frame["contentMode"];
  readonly readOnly: boolean;
  readonly authConfigured: boolean;
  readonly version: string;
  readonly traceLink?: string;
}

/** A renderer over a table of views; a view that is missing falls back to a plain page. */
export function createRenderer(options: RendererOptions): Renderer {
  const { views, ...constant } = options;
  const frameOf = (c: AppContext, view: Frame["view"]): Frame => {
    const url = new URL(c.req.url);
    const base = options.basePath === "/" ? "" : options.basePath;
    const path = url.pathname.slice(base.length) || "/";
    const principal = c.get("principal");
    const session = c.get("session");
    // What was posted has no address under which it could be read again.
    const twin = view === "problem" || c.req.method === "POST" ? undefined : twinOf(path);
    return {
      ...constant,
      view,
      path,
      query: url.searchParams,
      requestId: c.get("requestId"),
      at: new Date().toISOString(),
      ...(twin === undefined ? {} : { jsonHref: `${base}${twin}${url.search}` }),
      ...(principal === undefined ? {} : { principal }),
      ...(session === undefined ? {} : { csrfToken: session.csrfToken }),
    };
  };
  const render = async (
    c: AppContext,
    name: ViewName | "problem",
    model: unknown,
    status: number,
  ): Promise<Response> => {
    const frame = frameOf(c, name);
    const view = (views[name] ?? plainPage) as View<unknown>;
    const markup = (await view(model, frame)) as JSXNode;
    return c.html(`<!doctype html>${await markup.toString()}`, status as 200);
  };
  return {
    page: (c, view, model, status) => render(c, view, model, status),
    problem: (c, problem) => render(c, "problem", problem, problem.status),
  };
}

/** Pages whose twin is not simply their path with `.json`. */
const twins: { readonly [path: string]: string | undefined } = {
  "/traces": "/traces/turns.json",
  "/": "/traces/turns.json",
  "/login": undefined,
  "/patterns": undefined,
  "/docs": "/openapi.json",
};

function twinOf(path: string): string | undefined {
  return Object.hasOwn(twins, path) ? twins[path] : `${path}.json`;
}

/** One model of one route. */
export interface Answer<M> {
  readonly model: M;
  /** Another form of the model, for whoever asked for that in JSON. */
  readonly json?: () => object;
  readonly view: ViewName;
  readonly status?: number;
}

/**
 * Answers with the model as JSON or as its page. A path that ends in `.json` is JSON; a page is JSON
 * too where `Accept` prefers it (RFC 9110, 12.5.1).
 */
export function respond<M>(c: AppContext, answer: Answer<M>): Response | Promise<Response> {
  const { model, json, view, status = 200 } = answer;
  if (c.req.path.endsWith(".json")) return respondJson(c, json?.() ?? model, status);
  c.header("Vary", "Accept", { append: true });
  if (prefersJson(c)) return respondJson(c, json?.() ?? model, status);
  return c.get("renderer").page(c, view, model, status);
}

/** JSON in which no text can end a script element or a line of script (faults W8). */
export function respondJson(c: AppContext, model: unknown, status = 200): Response {
  const text = JSON.stringify(model).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return c.body(text, status as 200, { "Content-Type": "application/json; charset=UTF-8" });
}
