/**
 * @module ReadingApp: the routes that read evidence, behind a gate that another thread has passed.
 */
import { Hono } from "hono";

import type { OpenSession } from "../access/sessions.ts";
import type { AppEnv, PassedRequest } from "../http/environment.ts";
import { compress } from "../http/compress.ts";
import { createErrorHandler, refuse } from "../http/errors.ts";
import type { Parts } from "../parts.ts";
import { mountRoutes, rendererOf } from "../pages/index.ts";
import type { FollowingBodies } from "./following-bodies.ts";

/** The answer's status and headers, and its body or the id of one that follows. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: ArrayBuffer | string;
  /**
   * CPU of the thread meanwhile, milliseconds; absent where Node has no such figure (before 23.9).
   */
  readonly cpuMs?: number;
}

/** Answers requests that have passed the gate. */
export function createReadingApp(
  parts: Parts,
  bodies: Pick<FollowingBodies, "hold">,
): (passed: PassedRequest, signal?: AbortSignal) => Promise<PassedAnswer> {
  const { config } = parts;
  const renderer = rendererOf(parts);
  const app = new Hono<AppEnv>().basePath(config.basePath);
  const following = new WeakSet<PassedRequest>();
  app.use(async function passedScope(c, next) {
    const { passed } = c.env;
    if (passed === undefined) return refuse(c, "unauthenticated");
    const { requestId, route, principal, csrfToken } = passed;
    c.set("requestId", requestId);
    c.set("renderer", renderer);
    c.set("route", route);
    c.set("typed", parts.typed);
    c.set("now", parts.now);
    c.set("principal", principal);
    if (csrfToken !== undefined) c.set("session", { csrfToken } as OpenSession);
    await next();
    if (c.get("bodyFollows") === true) following.add(passed);
  });
  app.use(compress());
  mountRoutes(app, parts);
  app.onError(createErrorHandler(parts.log, parts.server));
  app.notFound((c) => refuse(c, "not_found"));
  return async (passed, signal) => {
    const { url, method, headers, body } = passed;
    const before = threadCpu();
    const request = new Request(url, {
      method,
      headers: headers.map(([name, value]): [string, string] => [name, value]),
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
    const response = await app.fetch(request, { passed });
    const { status, body: made } = response;
    const sent =
      following.has(passed) && made !== null
        ? bodies.hold(made.getReader())
        : await response.arrayBuffer();
    const { user, system } = threadCpu(before) ?? {};
    const cpu = user === undefined ? {} : { cpuMs: (user + (system ?? 0)) / 1_000 };
    return { status, headers: [...response.headers], body: sent, ...cpu };
  };
}

/** CPU that this thread took since `before`, or in all, microseconds. */
function threadCpu(before?: NodeJS.CpuUsage): NodeJS.CpuUsage | undefined {
  return process.threadCpuUsage?.(before);
}
