/**
 * @module Patterns: every element of the pages in every state, on one page, without any evidence.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { html } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { patternsPage } from "./page.tsx";

/** Patterns: what each route needs, records and answers. */
export const patternsGroup: RouteGroup = {
  endpoints: {
    "GET /patterns": {
      needs: "signed_in",
      audit: "patterns.read",
      id: "getPatterns",
      summary: "Every element of the pages in every state",
      returns: "The page.",
      answers: html,
    },
  },
  routes: patternsRoutes,
};

/** GET `/patterns`. */
function patternsRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  // It has no model, so there is no JSON of it.
  app.get("/patterns", (c) => c.get("renderer").page(c, { view: patternsPage, model: {} }, 200));
  return app;
}
