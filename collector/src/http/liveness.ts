/**
 * @module Liveness: `/healthz` says that the process answers, `/readyz` whether it accepts spans,
 * `/readyz/store` whether the store behind it answers: spans are accepted while it does not. All are
 * open and bare, so that an operator can look while everything else fails closed.
 */
import { Hono } from "hono";

import type { AppEnv } from "./environment.ts";
import { respondJson } from "./respond.tsx";
import type { Parts } from "../parts.ts";

/** GET `/healthz`, `/readyz` and `/readyz/store`. */
export function livenessRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/healthz", (c) => respondJson(c, { status: "ok" }));
  app.get("/readyz", (c) => {
    const accepts = parts.ingest.accepting();
    // A collector that is there to be read alone accepts none, and is ready all the same.
    const ready = accepts || parts.config.ingest === "off";
    return respondJson(c, { ready, accepts_spans: accepts }, ready ? 200 : 503);
  });
  app.get("/readyz/store", async (c) => {
    const { ok, code } = await parts.store.check();
    return respondJson(c, { ok, code: code ?? null }, ok ? 200 : 503);
  });
  return app;
}
