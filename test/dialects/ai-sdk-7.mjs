/** @module AI SDK 7 with `@ai-sdk/otel`, the current names, content switched on as it is by default. */
import { OpenTelemetry } from "@ai-sdk/otel";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import * as ai from "ai-7";

import { provider } from "./otel.mjs";
import { writeFixture } from "./record.mjs";
import { playAiSdk } from "./scenario.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
const otel = provider();
ai.registerTelemetry(
  new OpenTelemetry({ usage: true, providerMetadata: true, runtimeContext: true, embedding: true, toolChoice: true, schema: true }),
);
const scripted = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true });
await playAiSdk({
  ai,
  model: scripted.chatModel("scripted-model"),
  embedder: scripted.embeddingModel("scripted-embed"),
  telemetry: (functionId) => ({
    runtimeContext: { userId: "user-7", sessionId: "thread-7" },
    telemetry: { functionId, includeRuntimeContext: { userId: true, sessionId: true } },
  }),
});
await otel.forceFlush();
writeFixture("vercel-ai-7", ["ai-7", "@ai-sdk/otel", "@ai-sdk/openai-compatible-7"]);
server.close();
