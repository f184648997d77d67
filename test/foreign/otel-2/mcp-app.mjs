/**
 * @module An agent of the AI SDK whose tool is a tool of an MCP server. The server reports its part
 * with a span of its own, by OpenTelemetry's conventions for MCP.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SpanKind, trace } from "@opentelemetry/api";
import * as ai from "ai-7";
import { z } from "zod";

/** A turn of the application's own, by OpenTelemetry's conventions. */
function turnOf(agent, work) {
  const attributes = { "gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": agent };
  return trace
    .getTracer("app")
    .startActiveSpan("CANARY", { attributes }, (span) => work().finally(() => span.end()));
}

/** Plays one turn that connects to the server and calls its tool. */
export function playMcp() {
  return turnOf("helper", connectAndCall);
}

async function connectAndCall() {
  const server = new McpServer({ name: "weather", version: "1.0.0" });
  server.registerTool(
    "lookup_weather",
    { description: "CANARY-tool-description", inputSchema: { city: z.string() } },
    () => {
      const attributes = { "mcp.method.name": "tools/call", "gen_ai.tool.name": "lookup_weather" };
      const tracer = trace.getTracer("weather");
      return tracer.startActiveSpan("CANARY", { kind: SpanKind.SERVER, attributes }, (span) => {
        span.end();
        return { content: [{ type: "text", text: "CANARY-tool-result" }] };
      });
    },
  );
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  const client = new Client({ name: "desk", version: "1.0.0" });
  await client.connect(near);
  const scripted = createOpenAICompatible({ name: "scripted", baseURL: process.env.MODEL_URL });
  await ai.generateText({
    model: scripted.chatModel("scripted-model"),
    prompt: "CANARY-prompt",
    stopWhen: ai.isStepCount(3),
    tools: {
      lookup_weather: ai.tool({
        description: "CANARY-tool-description",
        inputSchema: z.object({ city: z.string() }),
        execute: (input) => client.callTool({ name: "lookup_weather", arguments: input }),
      }),
    },
    telemetry: { functionId: "helper" },
  });
  await client.close();
}
