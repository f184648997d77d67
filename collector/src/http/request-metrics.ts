/**
 * @module Request metrics: number of answers by route and status, and their durations as a
 * histogram. Labels are templates of routes, never paths.
 */
import type { MiddlewareHandler } from "hono";
import { Histogram, Registry } from "prom-client";

import type { AppEnv } from "./environment.ts";

/** Measures of this process's answers. */
export interface RequestMetrics {
  readonly registry: Registry;
  readonly middleware: MiddlewareHandler<AppEnv>;
}

/** Upper bounds in seconds: the targets are 40 ms for lists, 150 ms for counts over all turns. */
const buckets = [0.005, 0.01, 0.02, 0.04, 0.08, 0.15, 0.3, 0.6, 1.2, 2.5, 5, 10];

/** New metrics, in a registry of their own: one process may have several collectors. */
export function createRequestMetrics(): RequestMetrics {
  const registry = new Registry();
  const durations = new Histogram({
    name: "turnproof_http_request_duration_seconds",
    help: "Time from a request to its answer, by route and class of status.",
    labelNames: ["route", "status"] as const,
    buckets,
    registers: [registry],
  });
  return {
    registry,
    middleware: async function requestMetrics(c, next) {
      const started = performance.now();
      await next();
      const route = c.get("route") || "other";
      const status = `${Math.floor(c.res.status / 100)}xx`;
      durations.observe({ route, status }, (performance.now() - started) / 1000);
    },
  };
}
