/**
 * @module OpenAPI: the description of every endpoint, from its declaration, from the zod schemas
 * that validate, and from the types of the answers.
 */
import { paced } from "@turnproof/store";

import apiAnswers from "./api-answers.json" with { type: "json" };
import { problemSchema } from "./problem.ts";
import { html } from "./endpoint.ts";
import type { Endpoint, Endpoints, Tag } from "./endpoint.ts";
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

/** Tags of the operations, in reading order. */
const tags: Readonly<Record<Tag, string>> = {
  Receiving: "OTLP over HTTP.",
  Traces: "Turns, events, verdicts and what follows from them.",
  Alerts: "Rules over turns and their alerts.",
  Agents: "Agents over all of their turns; runs of mounted agents.",
  Threads: "Threads over all of their turns.",
  "Learning and memory": "Recommendations, and what memory holds.",
  "Tools for agents": "Reads by the Model Context Protocol.",
  "Session and settings": "Sign-in, sign-out and configuration.",
  Process: "Liveness, metrics, keys and this document.",
};

/** The document of this collector, made in slices: 200 operations take a fifth of a second. */
export async function describeApi(options: {
  readonly version: string;
  readonly basePath: string;
  readonly endpoints: Endpoints;
}): Promise<OpenApi> {
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnproof collector",
      version: options.version,
      description:
        "Operational evidence of agent turns, without content. Parameters are strict: an unknown " +
        "or repeated one is refused. A value that was not recorded is null or absent, never 0; " +
        "closed states have the value `unknown`. A page with a model answers it as JSON at the path that ends " +
        "in `.json` (`/traces`: at `/traces/turns.json`), or where `Accept` prefers " +
        "`application/json` to `text/html` (RFC 9110). Errors are RFC 9457 problems.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: options.basePath }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths: await describePaths(options.endpoints),
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

async function describePaths(
  endpoints: Endpoints,
): Promise<Record<string, Record<string, unknown>>> {
  const pace = paced();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [route, endpoint] of Object.entries(endpoints)) {
    const [method = "", template = ""] = route.split(" ");
    // A handler for every method only states which one exists.
    if (method === "ALL") continue;
    await pace();
    const path = template.replace(/:([a-z_]+)/g, "{$1}");
    const schema = schemaAt(route, endpoint);
    const put = (at: string, form: "page" | "json" | "both"): void => {
      (paths[at] ??= {})[method.toLowerCase()] = {
        ...describeOperation({ endpoint, path, schema, form }),
        tags: [endpoint.tag ?? "Process"],
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
