/** @module AI SDK 6 with its built-in telemetry (`experimental_telemetry`), content on by default. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-6";
import * as ai from "ai-6";

import { provider } from "./otel.mjs";
import { writeFixture } from "./record.mjs";
import { playAiSdk } from "./scenario.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
const otel = provider();
const scripted = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true });
await playAiSdk({
  ai,
  model: scripted.chatModel("scripted-model"),
  embedder: scripted.textEmbeddingModel("scripted-embed"),
  telemetry: (functionId) => ({
    experimental_telemetry: {
      isEnabled: true,
      functionId,
      metadata: { userId: "user-6", sessionId: "thread-6", note: "CANARY-metadata" },
    },
  }),
});
await otel.forceFlush();
writeFixture("vercel-ai-6", ["ai-6", "@ai-sdk/openai-compatible-6"]);
server.close();
