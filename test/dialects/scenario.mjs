/**
 * @module The scenario every AI SDK recording plays: a tool turn, a streamed turn, a turn whose
 * tool fails, a turn whose provider fails, and an embedding.
 */
import { z } from "zod";

/** Plays it with one version of `ai`; `telemetry(name)` gives the per-call options. */
export async function playAiSdk({ ai, model, embedder, telemetry }) {
  const tool = (execute) =>
    ai.tool({
      description: "CANARY-tool-description",
      inputSchema: z.object({ city: z.string() }),
      execute,
    });
  const lookup = { lookup_weather: tool(async () => ({ report: "CANARY-tool-result" })) };
  const broken = {
    lookup_weather: tool(async () => {
      throw new RangeError("CANARY-tool-error");
    }),
  };
  const stopWhen = (ai.isStepCount ?? ai.stepCountIs)(3);
  const common = { model, stopWhen, maxRetries: 0 };
  const system = ai.isStepCount === undefined ? "system" : "instructions";
  const options = { [system]: "CANARY-instructions", prompt: "CANARY-prompt" };
  await ai.generateText({ ...common, ...options, tools: lookup, ...telemetry("helper") });
  const streamed = ai.streamText({ ...common, ...options, tools: lookup, ...telemetry("streamer") });
  for await (const part of streamed.textStream) void part;
  await ai.generateText({ ...common, ...options, tools: broken, ...telemetry("clumsy") });
  await ai
    .generateText({ ...common, prompt: "CANARY-prompt FAIL", ...telemetry("unlucky") })
    .catch(() => undefined);
  await ai.embed({ model: embedder, value: "CANARY-embedded", maxRetries: 0, ...telemetry("embedder") });
}
