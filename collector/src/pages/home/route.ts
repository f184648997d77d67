/** @module Home: redirects `/` to the turns. */
import { Hono } from "hono";

import type { AppEnv } from "../../http/environment.ts";
import { html } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";

/** Home: what each route needs, records and answers. */
export const homeGroup: RouteGroup = {
  endpoints: {
    "GET /": {
      needs: "signed_in",
      audit: "home.read",
      id: "getHome",
      summary: "Home",
      returns: "A redirect to the list of turns.",
      status: 302,
      answers: html,
    },
  },
  routes: homeRoutes,
};

/** GET `/`. */
function homeRoutes(parts: Parts): Hono<AppEnv> {
  const base = parts.config.basePath === "/" ? "" : parts.config.basePath;
  const app = new Hono<AppEnv>();
  // A filter of the list is one of the home address too.
  app.get("/", (c) => c.redirect(`${base}/traces${new URL(c.req.url).search}`, 302));
  return app;
}
