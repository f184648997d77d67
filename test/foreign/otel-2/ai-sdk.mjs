/** @module The Vercel AI SDK, of the version that is named, with its own telemetry switched on. */
import { playAiSdk } from "../../dialects/scenario.mjs";

const version = process.argv[2];
const ai = await import(`ai-${version}`);
const { createOpenAICompatible } = await import(`@ai-sdk/openai-compatible-${version}`);

//#region telemetry
import { start } from "./telemetry.mjs";
const sdk = start(`ai-sdk-${version}`);
let telemetry = (functionId) => ({
  experimental_telemetry: {
    isEnabled: true,
    functionId,
    metadata: { userId: "user-ai", sessionId: "thread-ai" },
  },
});
//#endregion
if (version === "7") {
  const { OpenTelemetry } = await import("@ai-sdk/otel");
  ai.registerTelemetry(new OpenTelemetry({ usage: true, runtimeContext: true }));
  telemetry = (functionId) => ({
    runtimeContext: { userId: "user-ai", sessionId: "thread-ai" },
    telemetry: { functionId, includeRuntimeContext: { userId: true, sessionId: true } },
  });
}

const scripted = createOpenAICompatible({
  name: "scripted",
  baseURL: process.env.MODEL_URL,
  includeUsage: true,
});
await playAiSdk({
  ai,
  model: scripted.chatModel("scripted-model"),
  embedder: (scripted.embeddingModel ?? scripted.textEmbeddingModel)("scripted-embed"),
  telemetry,
});
await sdk.shutdown();
