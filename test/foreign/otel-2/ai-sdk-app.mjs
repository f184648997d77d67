/** @module The five calls of every version of the Vercel AI SDK, against the scripted model. */
import { playAiSdk } from "../../dialects/scenario.mjs";

/** Plays them with one version of the SDK and of its provider. */
export async function play(ai, { createOpenAICompatible }, telemetry) {
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
}
