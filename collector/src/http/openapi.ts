/**
 * @module OpenAPI: the description of every route, made from the table of permissions, from the zod
 * schemas that validate, and from the types of the answers. A route without a description does not
 * start.
 */
import apiAnswers from "./api-answers.json" with { type: "json" };
import { operations } from "./api-operations.ts";
import type { Operation } from "./api-operation.ts";
import { problemSchema } from "./errors.ts";
import { routeRules } from "./permissions.ts";
import type { RouteRule } from "./permissions.ts";
import { describeOperation, schemaOf } from "./openapi-operation.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

interface Area {
  readonly name: string;
  readonly description: string;
  readonly belongs: (path: string) => boolean;
}

/** Tags of the operations, in reading order; the first that fits is an operation's. */
const areas: readonly Area[] = [
  {
    name: "Receiving",
    description: "OTLP over HTTP.",
    belongs: (path) => path.startsWith("/v1/"),
  },
  {
    name: "Traces",
    description: "Turns, events, verdicts and what follows from them.",
    belongs: (path) => path.startsWith("/traces"),
  },
  {
    name: "Agents",
    description: "Agents over all of their turns; runs of mounted agents.",
    belongs: (path) => path.startsWith("/agents"),
  },
  {
    name: "Threads",
    description: "Threads over all of their turns.",
    belongs: (path) => path.startsWith("/threads"),
  },
  {
    name: "Learning and memory",
    description: "Recommendations, and what memory holds.",
    belongs: (path) => /^\/(learning|memory)/.test(path),
  },
  {
    name: "Session and settings",
    description: "Sign-in, sign-out and configuration.",
    belongs: (path) => /^\/(login|logout|settings)/.test(path),
  },
  {
    name: "Process",
    description: "Liveness, metrics, keys and this document.",
    belongs: () => true,
  },
];

/**
 * The document of this collector.
 *
 * @throws Error naming a route of the table that has no description, or the other way round
 */
export function describeApi(options: {
  readonly version: string;
  readonly basePath: string;
}): OpenApi {
  const routes = Object.keys(routeRules).filter((route) => !route.startsWith("ALL "));
  const missing = routes.filter((route) => !Object.hasOwn(operations, route));
  const idle = Object.keys(operations).filter((route) => !routes.includes(route));
  if (missing.length + idle.length > 0) {
    throw new Error(`undescribed: ${missing.join(", ")}; without a route: ${idle.join(", ")}`);
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnproof collector",
      version: options.version,
      description:
        "Operational evidence of agent turns, without content. Parameters are strict: an unknown " +
        "or repeated one is refused. A page answers its model as JSON at the same path with " +
        "`.json`, or where `Accept` names `application/json` and not `text/html`. Errors are " +
        "RFC 9457 problems.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.basePath }],
    tags: areas.map(({ name, description }) => ({ name, description })),
    paths: describePaths(routes),
    components: {
      schemas: { ...apiAnswers.schemas, Problem: schemaOf(problemSchema) },
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "An operator's or account's token.",
        },
        session: { type: "apiKey", in: "cookie", name: "turnproof-session" },
        ingest: { type: "http", scheme: "bearer", description: "A producer's token." },
      },
    },
  };
}

function describePaths(routes: readonly string[]): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const [method = "", template = ""] = route.split(" ");
    const path = template.replace(/:([a-z_]+)/g, "{$1}");
    const rule = routeRules[route] as RouteRule;
    const operation = operations[route] as Operation;
    const twin = `${route}.json`;
    const schema = answerOf(route) ?? answerOf(twin) ?? answerOf(jsonRoutes[route] ?? "");
    const tag = areas.find(({ belongs }) => belongs(path))?.name ?? "";
    const put = (at: string, form: "page" | "json" | "both"): void => {
      (paths[at] ??= {})[method.toLowerCase()] = {
        ...describeOperation({ operation, rule, path, schema, form }),
        tags: [tag],
      };
    };
    const isPage = operation.answers === "text/html" && schema !== undefined;
    // The last part of these paths takes `.json` too.
    if (method === "GET" && path.endsWith("}") && schema !== undefined) {
      put(path, "both");
      put(`${path}.json`, "json");
    } else put(path, isPage ? "both" : operation.answers === "text/html" ? "page" : "json");
  }
  return paths;
}

/** Pages whose model has a path of another name. */
const jsonRoutes: { readonly [route: string]: string | undefined } = {
  "GET /traces": "GET /traces/turns.json",
};

function answerOf(route: string): object | undefined {
  const answers: Readonly<Record<string, object>> = apiAnswers.answers;
  return Object.hasOwn(answers, route) ? answers[route] : undefined;
}
