/** @module What both web applications answer with: the AI SDK and one tool, in CommonJS. */
const { createOpenAICompatible } = require("@ai-sdk/openai-compatible-6");
const { generateText, stepCountIs, tool } = require("ai-6");
const { z } = require("zod");

const scripted = createOpenAICompatible({ name: "scripted", baseURL: process.env.MODEL_URL });

/** Answers a prompt; the scripted model calls the tool once. */
exports.answer = async function answer(prompt, telemetry = { isEnabled: true }) {
  const { text } = await generateText({
    model: scripted.chatModel("scripted-model"),
    prompt,
    maxRetries: 0,
    stopWhen: stepCountIs(3),
    tools: {
      lookup_weather: tool({
        description: "CANARY-tool-description",
        inputSchema: z.object({ city: z.string() }),
        execute: async () => ({ report: "CANARY-tool-result" }),
      }),
    },
    experimental_telemetry: telemetry,
  });
  return { text };
};
