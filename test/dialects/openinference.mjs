/** @module OpenInference: its processor over AI SDK 7, and its instrumentation of the OpenAI client. */
import { OpenTelemetry } from "@ai-sdk/otel";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import { setSession, setUser } from "@arizeai/openinference-core";
import { OpenAIInstrumentation } from "@arizeai/openinference-instrumentation-openai";
import { OpenInferenceSimpleSpanProcessor } from "@arizeai/openinference-vercel";
import { context } from "@opentelemetry/api";
import * as ai from "ai-7";
import OpenAI from "openai";

import { provider } from "./otel.mjs";
import { recording, writeFixture } from "./record.mjs";
import { playAiSdk } from "./scenario.mjs";
import { scriptedServer } from "./scripted-server.mjs";

const server = await scriptedServer();
const otel = provider([new OpenInferenceSimpleSpanProcessor({ exporter: recording })]);
ai.registerTelemetry(new OpenTelemetry({ usage: true }));
const instrumentation = new OpenAIInstrumentation();
instrumentation.setTracerProvider(otel);
instrumentation.manuallyInstrument(OpenAI);
const scripted = createOpenAICompatible({ name: "scripted", baseURL: server.url, includeUsage: true });
const inside = setUser(setSession(context.active(), { sessionId: "thread-oi" }), { userId: "user-oi" });
await context.with(inside, async () => {
  await playAiSdk({
    ai,
    model: scripted.chatModel("scripted-model"),
    embedder: scripted.embeddingModel("scripted-embed"),
    telemetry: (functionId) => ({ telemetry: { functionId } }),
  });
  const client = new OpenAI({ baseURL: server.url, apiKey: "none", maxRetries: 0 });
  const messages = [{ role: "user", content: "CANARY-prompt" }];
  await client.chat.completions.create({ model: "scripted-model", messages });
  const stream = await client.chat.completions.create({ model: "scripted-model", messages, stream: true });
  for await (const part of stream) void part;
  await client.embeddings.create({ model: "scripted-embed", input: "CANARY-embedded" });
});
await otel.forceFlush();
writeFixture("openinference", [
  "@arizeai/openinference-vercel",
  "@arizeai/openinference-instrumentation-openai",
  "@arizeai/openinference-core",
  "ai-7",
]);
server.close();
