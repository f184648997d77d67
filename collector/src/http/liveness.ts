/**
 * @module Liveness: `/healthz` means that the process answers, `/readyz` that it accepts spans,
 * `/readyz/store` that its store answers and takes them: spans are accepted while it does not. All
 * are open and minimal, so that an operator can use them while everything else fails closed.
 */
import { Hono } from "hono";

import type { AppEnv } from "./environment.ts";
import { respondJson } from "./respond.tsx";
import type { RouteGroup } from "./endpoint.ts";
import { storeReadiness } from "../backend/store-readiness.ts";
import type { StoreReadiness } from "../backend/store-readiness.ts";
import type { Parts } from "../parts.ts";

/** Its JSON, by route. */
export interface LivenessAnswers {
  readonly "GET /healthz": { readonly status: "ok" };
  readonly "GET /readyz": {
    readonly ready: boolean;
    readonly accepts_spans: boolean;
    /**
     * Why the journal or the audit log cannot be written, e.g. `disk_full`; null while both can.
     */
    readonly code: string | null;
  };
  readonly "GET /readyz/store": StoreReadiness;
}

/** Liveness: endpoint declarations. */
export const livenessGroup: RouteGroup<LivenessAnswers> = {
  endpoints: {
    "GET /healthz": {
      needs: "open",
      id: "getLiveness",
      summary: "The process answers",
      returns: "`{ status: ok }`.",
    },
    "GET /readyz": {
      needs: "open",
      id: "getReadiness",
      summary: "Whether spans are accepted",
      text: "The journal takes them while the store is away. Ready as well where ingest is off.",
      returns: "`{ ready, accepts_spans, code }`; 503 while the journal fails or is full.",
      unready: true,
    },
    "GET /readyz/store": {
      needs: "open",
      id: "getStoreReadiness",
      summary: "Whether the store answers and takes what is written",
      returns: "`{ ok, code }`; 503 with a code while it does not.",
      unready: true,
    },
  },
  routes: livenessRoutes,
};

/** GET `/healthz`, `/readyz` and `/readyz/store`. */
function livenessRoutes(parts: Parts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("/healthz", (c) => respondJson(c, { status: "ok" }));
  app.get("/readyz", (c) => {
    const accepts = parts.ingest.accepting();
    // A read-only collector accepts none, and is ready all the same.
    const ready = accepts || parts.config.ingest === "off";
    const code = parts.ingest.report().journal.failure ?? parts.audit?.failure ?? null;
    return respondJson(c, { ready, accepts_spans: accepts, code }, ready ? 200 : 503);
  });
  app.get("/readyz/store", async (c) => {
    const state = await storeReadiness(parts);
    return respondJson(c, { ok: state.ok, code: state.code }, state.ok ? 200 : 503);
  });
  return app;
}
