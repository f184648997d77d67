/**
 * @module OpenAPI operation: one operation of the description: parameters, body, answers, failures
 * and required permission.
 */
import { codes } from "@turnproof/semconv";
import type { Code, CodeRow } from "@turnproof/semconv";
import { z } from "zod";

import { rolePermissions, roles } from "../access/principal.ts";
import type { Endpoint } from "./endpoint.ts";

/** Input of an operation's description. */
export interface Described {
  readonly endpoint: Endpoint;
  /** Path template of OpenAPI. */
  readonly path: string;
  /** Schema of the JSON answer, where there is one. */
  readonly schema: object | undefined;
  /** A page, JSON, or a page that answers JSON where the client accepts it. */
  readonly form: "page" | "json" | "both";
}

/** An Operation Object of OpenAPI 3.1. */
export function describeOperation(described: Described): Record<string, unknown> {
  const { endpoint, path, form } = described;
  const { id, summary, query, body, failures = [], unready, status } = endpoint;
  const answer = { description: endpoint.returns, ...answerOf(described) };
  return {
    operationId: form === "json" || status !== undefined ? id : `${id}Page`,
    summary,
    description: [endpoint.text, permissionText(endpoint)].filter(Boolean).join(" "),
    parameters: [...pathParameters(path), ...queryParameters(query)],
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body) } }),
    security: securityOf(endpoint),
    responses: {
      [status ?? 200]: answer,
      ...alsoAnswers(endpoint),
      ...(unready === true ? { 503: answer } : {}),
      ...failureResponses([...failures, ...impliedFailures(endpoint)]),
      "4XX": failureOf(endpoint, "Any other refusal, with its code."),
      "5XX": failureOf(endpoint, "Any other failure, with its code."),
    },
  };
}

function alsoAnswers({ also = {} }: Endpoint): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(also).map(([status, description]) => [
      status,
      { description, ...(status.startsWith("3") ? redirected : {}) },
    ]),
  );
}

const binary = { type: "string", format: "binary" };
const text = { type: "string" };
const redirected = { headers: { Location: { schema: text } } };

function answerOf({ endpoint, schema, form }: Described): Record<string, unknown> {
  const { answers = "application/json", formats = [], status = 200 } = endpoint;
  if (status >= 300 && status < 400) return redirected;
  // Only a host's agent answers in a form that is not ours.
  const json = { "application/json": { schema: schema ?? { description: endpoint.returns } } };
  if (form === "page") return { content: { "text/html": { schema: text } } };
  if (form === "both") return { content: { "text/html": { schema: text }, ...json } };
  if (answers === "application/json" || answers === "text/html") return { content: json };
  if (answers === protobuf) {
    return { content: { [protobuf]: { schema: binary }, ...json } };
  }
  const files = [answers, ...formats].map((type) => {
    const isText = type.startsWith("text/") || texts.has(type);
    return [type, { schema: isText ? text : binary }] as const;
  });
  return { content: Object.fromEntries(files) };
}

/** Text under another type than `text`. */
const texts: ReadonlySet<string> = new Set(["application/jose", "application/jsonl"]);
const protobuf = "application/x-protobuf";

function permissionText({ needs, unbound: narrow }: Endpoint): string {
  if (needs === "open") return "Open: no sign-in is needed.";
  if (needs === "ingest") return "For producers; open on loopback while no token is set.";
  if (needs === "signed_in") return "For all who are signed in.";
  const holders = roles.filter((role) => rolePermissions[role].includes(needs));
  const unbound = narrow ? " Only for principals bound to no tenant and no application." : "";
  return `Needs \`${needs}\` (${holders.join(", ")}).${unbound}`;
}

const refusals = ["parameter_unknown", "parameter_repeated", "parameter_invalid"] as const;

function impliedFailures({ needs, query }: Endpoint): readonly Code[] {
  if (needs === "open" || needs === "ingest") return [];
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
      problemAnswer(members.map((code) => `\`${code}\`: ${codes[code].sentence}`).join(" ")),
    ]),
  );
}

/** A producer receives a google.rpc.Status in the encoding of its request. */
const rpcStatus = z.object({
  code: z.int32().describe("Number of google.rpc.Code."),
  message: z.string().describe("Code and sentence."),
});

function failureOf({ needs }: Endpoint, description: string): Record<string, unknown> {
  if (needs !== "ingest") return problemAnswer(description);
  const status = json({ schema: schemaOf(rpcStatus) });
  return { description, content: { [protobuf]: { schema: binary }, ...status } };
}

function problemAnswer(description: string): Record<string, unknown> {
  const schema = { $ref: "#/components/schemas/Problem" };
  return { description, content: { "application/problem+json": { schema } } };
}

function securityOf({ needs }: Endpoint): readonly Record<string, readonly string[]>[] {
  if (needs === "open") return [];
  if (needs === "ingest") return [{ ingest: [] }, {}];
  return [{ bearer: [] }, { session: [] }];
}

/** How such an id is written (`ui/display/page-address.ts`). */
const escapes =
  "A `/`, `\\`, `;` or `%` of it, two dots or a dot at its end is written `~` and two hex digits, " +
  "as in `acme~2Fdesk`, because a path with them is refused.";

/** Descriptions of the parameters of paths; a test requires each. */
const pathTexts: Readonly<Record<string, string>> = {
  agent_id: `Id of the agent. ${escapes}`,
  file: "Name of a built file, with its hash.",
  recommendation_id: "Id of the recommendation.",
  root_trace_id:
    "Trace id of the turn's root: 32 hexadecimal digits, or the id of a legacy root. " + escapes,
  thread_id: `Id of the thread. ${escapes}`,
};

function pathParameters(path: string): readonly unknown[] {
  return [...path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    description: pathTexts[name ?? ""] ?? "",
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

/** A form has the same fields as JSON; OTLP has the same message in either encoding. */
function contentOf({ type, schema }: NonNullable<Endpoint["body"]>): Record<string, unknown> {
  if (type === protobuf) {
    const message = schema === undefined ? { type: "object" } : schemaOf(schema);
    return { [protobuf]: { schema: binary }, ...json({ schema: message }) };
  }
  const content = { schema: schema === undefined ? {} : schemaOf(schema) };
  return type === "application/json" ? { [type]: content } : { [type]: content, ...json(content) };
}

function json(content: object): Record<string, object> {
  return { "application/json": content };
}

/** The input side of a schema; transforms have no other. */
export function schemaOf(schema: z.ZodType): Record<string, unknown> {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    unrepresentable: "any",
  }) as Record<string, unknown>;
  return rest;
}
