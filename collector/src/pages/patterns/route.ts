/**
 * @module Patterns: every element of the pages in every state, on one page, without any evidence.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { respond } from "../../http/respond.tsx";

/** GET `/patterns`. */
export function patternsRoutes(): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/patterns", (c) => respond(c, { model: {}, view: "patterns" }));
  return app;
}
