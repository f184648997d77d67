/**
 * @module Liveness: `/healthz` says that the process answers, `/readyz` that it may receive. Both
 * are open and bare, so that an operator can look while everything else fails closed.
 */
import { Hono } from "hono";

import type { AppEnv } from "../http/environment.ts";
import { respondJson } from "../http/respond.tsx";
import type { Parts } from "../parts.ts";

/** GET `/healthz` and `/readyz`. */
export function livenessRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/healthz", (c) => respondJson(c, { status: "ok" }));
  app.get("/readyz", async (c) => {
    const store = await parts.store.check();
    const ready = store.ok && parts.ingest.healthy() && (parts.audit?.healthy ?? true);
    return respondJson(c, { ready }, ready ? 200 : 503);
  });
  return app;
}
