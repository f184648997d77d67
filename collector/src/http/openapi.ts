/**
 * @module OpenAPI: the description of every endpoint, from its declaration, from the zod schemas
 * that validate, and from the types of the answers.
 */
import apiAnswers from "./api-answers.json" with { type: "json" };
import { problemSchema } from "./problem.ts";
import { html } from "./endpoint.ts";
import type { Endpoint, Endpoints } from "./endpoint.ts";
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

/** Tags of the operations, in reading order; the first that matches applies. */
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

/** The document of this collector. */
export function describeApi(options: {
  readonly version: string;
  readonly basePath: string;
  readonly endpoints: Endpoints;
}): OpenApi {
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
    paths: describePaths(options.endpoints),
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

function describePaths(endpoints: Endpoints): Record<string, Record<string, unknown>> {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [route, endpoint] of Object.entries(endpoints)) {
    const [method = "", template = ""] = route.split(" ");
    // A handler for every method only states which one exists.
    if (method === "ALL") continue;
    const path = template.replace(/:([a-z_]+)/g, "{$1}");
    const schema = schemaAt(route, endpoint);
    const tag = areas.find(({ belongs }) => belongs(path))?.name ?? "";
    const put = (at: string, form: "page" | "json" | "both"): void => {
      (paths[at] ??= {})[method.toLowerCase()] = {
        ...describeOperation({ endpoint, path, schema, form }),
        tags: [tag],
      };
    };
    const isPage = endpoint.answers === html;
    // The last segment of these paths accepts `.json` too.
    if (method === "GET" && path.endsWith("}") && schema !== undefined) {
      put(path, "both");
      put(`${path}.json`, "json");
    } else put(path, isPage ? (schema === undefined ? "page" : "both") : "json");
  }
  return paths;
}

/** Schema of the JSON answer of a route, or of its twin. */
function schemaAt(route: string, { twin }: Endpoint): object | undefined {
  return answerOf(route) ?? (twin === undefined ? undefined : answerOf(`GET ${twin}`));
}

function answerOf(route: string): object | undefined {
  const answers: Readonly<Record<string, object>> = apiAnswers.answers;
  return Object.hasOwn(answers, route) ? answers[route] : undefined;
}
