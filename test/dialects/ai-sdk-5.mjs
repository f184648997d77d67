/** @module AI SDK 5 with its built-in telemetry (`experimental_telemetry`), content on by default. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-5";
import * as ai from "ai-5";

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
      metadata: { userId: "user-5", sessionId: "thread-5", note: "CANARY-metadata" },
    },
  }),
});
await otel.forceFlush();
writeFixture("vercel-ai-5", ["ai-5", "@ai-sdk/openai-compatible-5"]);
server.close();
