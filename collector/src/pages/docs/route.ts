/**
 * @module Documents: the OpenAPI description, made from the schemas that validate, and a page that
 * shows it.
 */
import { Hono } from "hono";
import { z } from "zod";

import type { AppEnv } from "../../http/environment.ts";
import { readParameters } from "../../http/parameters.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import { describeApi } from "../../http/openapi.ts";
import type { OpenApi } from "../../http/openapi.ts";
import type { Parts } from "../../parts.ts";

/** What the documentation page shows. */
export type DocsModel = OpenApi;

/** GET `/openapi.json` and `/docs`. */
export function documentsRoutes(parts: Parts): Hono<AppEnv> {
  const api = describeApi({ version: parts.version, basePath: parts.config.basePath });
  const app = new Hono<AppEnv>();
  app.get("/openapi.json", (c) => {
    readParameters(c, z.strictObject({}));
    return respondJson(c, api);
  });
  app.get("/docs", (c) => respond<DocsModel>(c, { model: api, view: "docs" }));
  return app;
}
