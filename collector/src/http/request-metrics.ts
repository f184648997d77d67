/**
 * @module Request metrics: how many answers of which status each route gave, and how long they
 * took. Labels are templates of routes, never paths.
 */
import type { MiddlewareHandler } from "hono";

import type { AppEnv } from "./environment.ts";

/** One line of counts. */
interface RequestCount {
  readonly route: string;
  readonly status: string;
  count: number;
  seconds: number;
}

/** Counts of this process. */
export interface RequestMetrics {
  readonly counts: ReadonlyMap<string, RequestCount>;
  readonly middleware: MiddlewareHandler<AppEnv>;
}

/** Fresh counts. */
export function createRequestMetrics(): RequestMetrics {
  const counts = new Map<string, RequestCount>();
  return {
    counts,
    middleware: async function requestMetrics(c, next) {
      const started = performance.now();
      await next();
      const route = c.get("route") || "other";
      const status = `${Math.floor(c.res.status / 100)}xx`;
      const key = `${route} ${status}`;
      const row = counts.get(key) ?? { route, status, count: 0, seconds: 0 };
      row.count += 1;
      row.seconds += (performance.now() - started) / 1000;
      counts.set(key, row);
    },
  };
}
