/** @module ReadTime: the time that one request waits for its store, over all of its reads. */
import type { MiddlewareHandler } from "hono";

import { withinBudget } from "../backend/read-budget.ts";
import { readTimes } from "../backend/timed-store.ts";
import type { Endpoints } from "./endpoint.ts";
import type { AppEnv } from "./environment.ts";

/** Gives each request its budget; one that lasts, and the receiving of spans, has none. */
export function readTime(endpoints: Endpoints): MiddlewareHandler<AppEnv> {
  return async function readTime(c, next) {
    const endpoint = endpoints[c.get("route")];
    if (endpoint?.lasts === true || endpoint?.needs === "ingest") await next();
    else await withinBudget(readTimes.readMs, next);
  };
}
