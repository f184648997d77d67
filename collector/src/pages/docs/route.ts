/**
 * @module Documents: the OpenAPI description, made from the schemas that validate, and a page that
 * shows it.
 */
import { Hono } from "hono";
import { z } from "zod";

import type { AppEnv } from "../../http/environment.ts";
import { ignoreParameter, marksIgnored } from "../../http/ignored-parameters.ts";
import { ParameterError } from "../../http/parameter-error.ts";
import { id, readParameters } from "../../http/parameters.ts";
import { respond, respondJson } from "../../http/respond.tsx";
import type { OpenApi } from "../../http/openapi.ts";
import { html, none } from "../../http/endpoint.ts";
import type { Endpoints, RouteGroup } from "../../http/endpoint.ts";
import type { Parts } from "../../parts.ts";
import { docsPage } from "./page.tsx";
import { routeOf } from "./route-text.ts";

/** What the documentation page shows. */
export type DocsModel = OpenApi;

/** Its JSON, by route. */
export interface DocsAnswers {
  readonly "GET /openapi.json": OpenApi;
}

const pageQuery = z.strictObject({
  operation: id.optional().describe("The `operationId` that the page shows in full."),
});

/** Docs: what each route needs, records and answers. */
export const docsGroup: RouteGroup<DocsAnswers> = {
  endpoints: {
    "GET /openapi.json": {
      needs: "signed_in",
      audit: "openapi.read",
      id: "getApiDescription",
      summary: "This document",
      query: none,
      returns: "OpenAPI 3.1.",
    },
    "GET /docs": {
      needs: "signed_in",
      audit: "docs.read",
      id: "getDocs",
      summary: "This document as a page",
      query: pageQuery,
      returns: "The page.",
      answers: html,
      twin: "/openapi.json",
    },
  },
  routes: documentsRoutes,
};

/** GET `/openapi.json` and `/docs`. */
function documentsRoutes(parts: Parts, endpoints: Endpoints): Hono<AppEnv> {
  // Loaded and made when it is first read: it takes a tenth of a start's CPU, in each reading
  // thread too.
  const describe = async (): Promise<OpenApi> => {
    const { describeApi } = await import("../../http/openapi.ts");
    return describeApi({ version: parts.version, basePath: parts.config.basePath, endpoints });
  };
  let made: Promise<OpenApi> | undefined;
  const description = (): Promise<OpenApi> => (made ??= describe());
  const app = new Hono<AppEnv>();
  app.get("/openapi.json", async (c) => {
    readParameters(c, z.strictObject({}));
    return respondJson(c, await description());
  });
  app.get("/docs", async (c) => {
    const { operation } = readParameters(c, pageQuery);
    const model = await description();
    if (operation !== undefined && routeOf(model, operation) === undefined) {
      if (!marksIgnored(c)) throw new ParameterError("parameter_invalid", [], "operation");
      ignoreParameter(c, { name: "operation", value: operation, reason: "invalid" });
    }
    return respond<DocsModel>(c, { model, view: docsPage });
  });
  return app;
}
