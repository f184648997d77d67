/**
 * @module Patterns: every element of the pages in every state, on one page, without any evidence.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { html } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import { respond } from "../../http/respond.tsx";
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
  app.get("/patterns", (c) => respond(c, { model: {}, view: patternsPage }));
  return app;
}
