/** @module Langfuse: its tracing package, and its processor over AI SDK 7. */
import { OpenTelemetry } from "@ai-sdk/otel";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import { LangfuseSpanProcessor } from "@langfuse/otel";
import { propagateAttributes, startActiveObservation } from "@langfuse/tracing";
import * as ai from "ai-7";

import { provider } from "./otel.mjs";
import { recording, writeFixture } from "./record.mjs";
import { playAiSdk } from "./scenario.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
const otel = provider([
  new LangfuseSpanProcessor({ exporter: recording, exportMode: "immediate", publicKey: "pk", secretKey: "sk" }),
]);
await propagateAttributes({ userId: "user-lf", sessionId: "thread-lf", traceName: "CANARY-trace" }, () =>
  startActiveObservation("helper", async (agent) => {
    agent.update({ input: "CANARY-input", output: "CANARY-output" });
    await startActiveObservation("search", async (retriever) => {
      retriever.update({ input: "CANARY-query", output: ["CANARY-document"] });
    }, { asType: "retriever" });
    await startActiveObservation("answer", async (generation) => {
      generation.update({
        model: "scripted-model",
        input: "CANARY-prompt",
        output: "CANARY-answer",
        usageDetails: { input: 21, output: 7, total: 28, input_cached_tokens: 5 },
        completionStartTime: new Date(Date.UTC(2026, 10, 1)),
      });
    }, { asType: "generation" });
    await startActiveObservation("lookup_weather", async (tool) => {
      tool.update({ input: "CANARY-argument", level: "ERROR", statusMessage: "CANARY-tool-error" });
    }, { asType: "tool" });
    await startActiveObservation("embed", async (embedding) => {
      embedding.update({ model: "scripted-embed", input: "CANARY", usageDetails: { input: 4 } });
    }, { asType: "embedding" });
  }, { asType: "agent" }),
);
ai.registerTelemetry(new OpenTelemetry({ usage: true, runtimeContext: true }));
const scripted = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true });
await playAiSdk({
  ai,
  model: scripted.chatModel("scripted-model"),
  embedder: scripted.embeddingModel("scripted-embed"),
  telemetry: (functionId) => ({
    runtimeContext: { userId: "user-lf", sessionId: "thread-lf" },
    telemetry: { functionId, includeRuntimeContext: { userId: true, sessionId: true } },
  }),
});
await otel.forceFlush();
writeFixture("langfuse", ["@langfuse/tracing", "@langfuse/otel", "ai-7"]);
server.close();
process.exit(0);
