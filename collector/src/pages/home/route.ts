/**
 * @module Home: the way from `/` to the turns.
 */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import type { Parts } from "../../parts.ts";

/** GET `/`. */
export function homeRoutes(parts: Parts): Hono<AppEnv> {
  const base = parts.config.basePath === "/" ? "" : parts.config.basePath;
  const app = new Hono<AppEnv>();
  app.get("/", (c) => c.redirect(`${base}/traces`, 302));
  return app;
}
