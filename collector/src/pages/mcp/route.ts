/**
 * @module MCP: the evidence for agents, over streamable HTTP. The collector's own file brings the
 * tools; here is what the route needs and records.
 */
import { Hono } from "hono";
import { z } from "zod";
import { CodedError } from "@turnproof/semconv";

import type { AppEnv } from "../../http/environment.ts";
import { json } from "../../http/endpoint.ts";
import type { RouteGroup } from "../../http/endpoint.ts";

const message = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]).optional(),
    method: z.string().describe("For example `tools/list` or `tools/call`."),
  })
  .describe("One message of the Model Context Protocol.");

/** A message of the protocol; a client that accepts only a stream receives it in one. */
export interface McpMessage {
  readonly jsonrpc: "2.0";
  readonly id?: string | number | null;
  readonly result?: object;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** Its JSON, by route. */
export interface McpAnswers {
  readonly "POST /mcp": McpMessage;
}

/** MCP: what the route needs, records and answers. */
export const mcpGroup: RouteGroup<McpAnswers> = {
  tag: "Tools for agents",
  endpoints: {
    "POST /mcp": {
      needs: "trace.read",
      lasts: true,
      audit: "mcp.call",
      id: "callMcp",
      summary: "Tools for agents, by the Model Context Protocol",
      text:
        "Streamable HTTP without sessions. Every tool only reads, and each of its reads passes the gate " +
        "and the audit log again with the credential of the caller.",
      body: json(message),
      returns: "A message, or a stream of them that ends with the answer.",
      also: { 202: "The message was a notification; there is no body." },
      failures: ["bad_request", "body_too_large", "media_type_unsupported"],
    },
  },
  routes: () => {
    const app = new Hono<AppEnv>();
    app.post("/mcp", (c) => {
      const answer = c.get("mcp");
      if (answer === undefined) throw new CodedError("not_configured");
      return answer(c);
    });
    return app;
  },
};
