/** @module Mastra: an agent with a tool, its OpenTelemetry exporter handing over finished spans. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import { Agent } from "@mastra/core/agent";
import { Mastra } from "@mastra/core/mastra";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { Observability } from "@mastra/observability";
import { OtelExporter } from "@mastra/otel-exporter";
import { z } from "zod";

import { recording, writeFixture } from "./record.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
const scripted = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true });
const model = scripted.chatModel("scripted-model");
const tool = (execute) =>
  createTool({
    id: "lookup_weather",
    description: "CANARY-tool-description",
    inputSchema: z.object({ city: z.string() }),
    execute,
  });
const agent = (id, execute) =>
  new Agent({
    id,
    name: id,
    instructions: "CANARY-instructions",
    model,
    maxRetries: 0,
    tools: { lookup_weather: tool(execute) },
  });
const step = createStep({
  id: "rank",
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.object({ text: z.string() }),
  execute: async () => ({ text: "CANARY-output" }),
});
const workflow = createWorkflow({
  id: "answer",
  inputSchema: z.object({ text: z.string() }),
  outputSchema: z.object({ text: z.string() }),
})
  .then(step)
  .commit();
const exporter = new OtelExporter({ exporter: recording, signals: { logs: false }, provider: { custom: { endpoint: server.url } } });
const mastra = new Mastra({
  logger: false,
  agents: {
    helper: agent("helper", async () => ({ report: "CANARY-tool-result" })),
    clumsy: agent("clumsy", async () => {
      throw new RangeError("CANARY-tool-error");
    }),
  },
  workflows: { answer: workflow },
  observability: new Observability({
    configs: { otel: { serviceName: "support-desk", exporters: [exporter] } },
  }),
});
const tracingOptions = { metadata: { userId: "user-ma", sessionId: "thread-ma" } };
await mastra.getAgent("helper").generate("CANARY-prompt", { tracingOptions, maxSteps: 3 });
await mastra.getAgent("clumsy").generate("CANARY-prompt", { tracingOptions, maxSteps: 3 });
await mastra
  .getAgent("helper")
  .generate("CANARY-prompt FAIL", { tracingOptions, maxSteps: 1 })
  .catch(() => undefined);
const run = await mastra.getWorkflow("answer").createRun();
await run.start({ inputData: { text: "CANARY-input" }, tracingOptions });
await new Promise((resolve) => setTimeout(resolve, 6_000));
await exporter.shutdown();
writeFixture("mastra", ["@mastra/core", "@mastra/observability", "@mastra/otel-exporter"]);
server.close();
process.exit(0);
