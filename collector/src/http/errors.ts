/**
 * @module Errors: answers every failure with its problem (requirements: Errors; collector: Answer).
 */
import { CodedError } from "@turnproof/semconv";
import type { Code } from "@turnproof/semconv";
import { HTTPException } from "hono/http-exception";

import { isNarrowed, permits } from "../access/principal.ts";
import { placeOf } from "../backend/store-unavailable.ts";
import type { StorePlace } from "../backend/store-unavailable.ts";
import type { Log } from "../log.ts";
import type { AppContext } from "./environment.ts";
import { wantsPage } from "./environment.ts";
import { ParameterError } from "./parameter-error.ts";
import type { RefusedTerm } from "./parameter-error.ts";
import { problemOf } from "./problem.ts";

/** Optional fields of an error answer. */
interface ProblemOptions {
  readonly field?: string;
  readonly allowed?: readonly string[];
  readonly term?: RefusedTerm | undefined;
  readonly store?: StorePlace | undefined;
  readonly retryAfterSeconds?: number;
}

/** Answers with the problem of a code: JSON, or a page where a browser accepts one. */
export async function refuse(
  c: AppContext,
  code: Code,
  options: ProblemOptions = {},
): Promise<Response> {
  const { allowed = [] } = options;
  const problem = {
    ...problemOf(code, c.get("requestId"), options.field),
    ...(options.term === undefined ? {} : { term: options.term }),
    ...(options.store === undefined ? {} : { store: { ...options.store } }),
    ...(allowed.length === 0 ? {} : { allowed: [...allowed] }),
  };
  if (options.retryAfterSeconds !== undefined) {
    c.header("Retry-After", String(options.retryAfterSeconds));
  } else if (problem.status === 503 || problem.status === 429) {
    c.header("Retry-After", "5");
  }
  if (problem.status === 401) c.header("WWW-Authenticate", "Bearer");
  const renderer = c.get("renderer");
  if (wantsPage(c) && renderer !== undefined) return renderer.problem(c, problem);
  return c.body(JSON.stringify(problem), problem.status as 400, {
    "Content-Type": "application/problem+json; charset=UTF-8",
  });
}

/**
 * The only `onError`: a code is passed on, anything else is `internal_error` and a line in the
 * log.
 */
export function createErrorHandler(
  log: Log,
  server: string | null,
): (error: Error, c: AppContext) => Promise<Response> {
  return async (error, c) => {
    if (CodedError.is(error)) {
      const store = placeOf(error, server);
      const place = { host: store?.host ?? undefined, reason: store?.reason ?? undefined };
      if (isFailure(error)) {
        log.error("request_failed", { ...logged(c, error.code, error), ...defined(place) });
      }
      return refuse(c, error.code, {
        ...parameterOf(error),
        store: store !== undefined && seesPlace(c) ? store : undefined,
      });
    }
    if (error instanceof HTTPException) {
      const code = httpCodes[error.status] ?? (error.status < 500 ? "bad_request" : undefined);
      if (code !== undefined) return refuse(c, code);
    }
    log.error("request_failed", logged(c, "internal_error", error));
    return refuse(c, "internal_error");
  };
}

/** The state of the process is for principals that see all of it, as on Health. */
function seesPlace(c: AppContext): boolean {
  const principal = c.get("principal");
  return principal !== undefined && permits(principal, "trace.read") && !isNarrowed(principal);
}

function defined(of: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(of).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** A part that is not configured (501) is no failure. */
function isFailure({ status }: CodedError): boolean {
  return status >= 500 && status !== 501;
}

/**
 * For a store failure the field has the engine and its number: it goes to the log, not to the
 * caller. That of a time limit is our own name of the read.
 */
function parameterOf(error: CodedError): ProblemOptions {
  const { code, field } = error;
  if (code.startsWith("store_") && code !== "store_timeout") return {};
  return {
    ...(field === undefined ? {} : { field }),
    ...(error instanceof ParameterError ? { allowed: error.allowed, term: error.term } : {}),
  };
}

const httpCodes: { readonly [status: number]: Code } = {
  400: "bad_request",
  404: "not_found",
  405: "method_not_allowed",
  413: "body_too_large",
  415: "media_type_unsupported",
};

/** Where it failed, by names of our own code; a message could contain content. */
function logged(c: AppContext, code: Code, error: Error): Record<string, string> {
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 4)
    .map((line) => /([\w.<>$]+) \(.*?([\w.-]+:\d+):\d+\)$/.exec(line)?.slice(1).join("@") ?? "");
  const cause = CodedError.is(error.cause) ? error.cause.code : undefined;
  return {
    code,
    request_id: c.get("requestId") ?? "",
    route: c.get("route") ?? "",
    error_type: error.name,
    at: frames.filter((frame) => frame !== "").join(" < "),
    ...(CodedError.is(error) && error.field !== undefined ? { field: error.field } : {}),
    ...(cause === undefined ? {} : { cause }),
  };
}
