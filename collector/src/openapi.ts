/**
 * @module OpenAPI: the description of every route, made from the table of permissions and from the
 * zod schemas that validate. A route without a description does not start.
 */
import { codes } from "@turnproof/semconv";
import type { Code, CodeRow } from "@turnproof/semconv";
import { z } from "zod";

import { rolePermissions, roles } from "./auth/principal.ts";
import { operations } from "./api-operations.ts";
import type { Operation } from "./api-operations.ts";
import { problemSchema } from "./http/errors.ts";
import { routeRules } from "./http/permissions.ts";
import type { RouteRule } from "./http/permissions.ts";

/** An OpenAPI 3.1 document. */
export interface OpenApi {
  readonly openapi: "3.1.0";
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: Readonly<Record<string, unknown>>;
}

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
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    const [method = "", template = ""] = route.split(" ");
    const path = template.replace(/:([a-z_]+)/g, "{$1}");
    const rule = routeRules[route] as RouteRule;
    (paths[path] ??= {})[method.toLowerCase()] = describe(
      operations[route] as Operation,
      rule,
      path,
    );
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Turnproof collector",
      version: options.version,
      description:
        "Operational evidence of agent turns, without content. Parameters are strict: an unknown " +
        "or repeated one is refused. Every page has a `.json` twin. Errors are RFC 9457 problems.",
    },
    servers: [{ url: options.basePath }],
    paths,
    components: {
      schemas: { Problem: schemaOf(problemSchema) },
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

function describe(operation: Operation, rule: RouteRule, path: string): Record<string, unknown> {
  const { summary, query, body, answers = "application/json", failures = [] } = operation;
  return {
    summary,
    description: [operation.text, permissionText(rule)].filter(Boolean).join(" "),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    security: securityOf(rule),
    responses: {
      [operation.status ?? 200]: {
        description: operation.returns,
        content: {
          [answers]: operation.schema === undefined ? {} : { schema: schemaOf(operation.schema) },
        },
      },
      ...failureResponses([...failures, ...impliedFailures(rule, query)]),
    },
  };
}

function permissionText(rule: RouteRule): string {
  if (rule.needs === "open") return "Open to everybody.";
  if (rule.needs === "ingest") return "For producers; open on loopback while no token is set.";
  if (rule.needs === "signed_in") return "For anybody who is signed in.";
  const { needs } = rule;
  const holders = roles.filter((role) => rolePermissions[role].includes(needs));
  const unbound = rule.unbound ? " Only for principals that are bound to nobody." : "";
  return `Needs \`${needs}\` (${holders.join(", ")}).${unbound}`;
}

const refusals = ["parameter_unknown", "parameter_repeated", "parameter_invalid"] as const;

function impliedFailures(rule: RouteRule, query: z.ZodObject | undefined): readonly Code[] {
  if (rule.needs === "open" || rule.needs === "ingest") return [];
  return [
    "unauthenticated",
    "forbidden",
    "audit_unavailable",
    ...(query === undefined ? [] : refusals),
    ...(query !== undefined && "end_time" in query.shape ? (["range_empty"] as const) : []),
  ];
}

function failureResponses(list: readonly Code[]): Record<string, unknown> {
  const byStatus = Map.groupBy(new Set(list), (code) => {
    const row: CodeRow = codes[code];
    return row.status ?? 500;
  });
  return Object.fromEntries(
    [...byStatus].map(([status, members]) => [
      String(status),
      {
        description: members.map((code) => `\`${code}\`: ${codes[code].sentence}`).join(" "),
        content: { "application/problem+json": { schema: problemReference } },
      },
    ]),
  );
}

const problemReference = { $ref: "#/components/schemas/Problem" };

function securityOf(rule: RouteRule): readonly Record<string, readonly string[]>[] {
  if (rule.needs === "open") return [];
  if (rule.needs === "ingest") return [{ ingest: [] }, {}];
  return [{ bearer: [] }, { session: [] }];
}

function pathParameters(path: string): readonly unknown[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
}

function queryParameters(schema: z.ZodObject | undefined): readonly unknown[] {
  if (schema === undefined) return [];
  const described = schemaOf(schema) as {
    readonly properties?: Record<string, { readonly description?: string }>;
    readonly required?: readonly string[];
  };
  return Object.entries(described.properties ?? {}).map(([name, { description, ...rest }]) => ({
    name,
    in: "query",
    required: described.required?.includes(name) ?? false,
    ...(description === undefined ? {} : { description }),
    schema: rest,
  }));
}

function contentOf(body: NonNullable<Operation["body"]>): Record<string, unknown> {
  return {
    [body.type]: body.schema === undefined ? {} : { schema: schemaOf(body.schema) },
  };
}

/** The input side: what a client may send; a transform has none other. */
function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as Record<string, unknown>;
  return rest;
}
