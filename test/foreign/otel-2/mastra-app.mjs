/** @module Mastra: an agent with a tool, one whose provider fails, and workflows without and with an agent. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible-7";
import { Agent } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { createStep, createWorkflow } from "@mastra/core/workflows";
import { z } from "zod";

const text = z.object({ text: z.string() });

/** The parts of the application, and how it is played. */
export function mastraParts() {
  const scripted = createOpenAICompatible({ name: "scripted", baseURL: process.env.MODEL_URL });
  const helper = new Agent({
    id: "helper",
    name: "helper",
    instructions: "CANARY-instructions",
    model: scripted.chatModel("scripted-model"),
    maxRetries: 0,
    tools: {
      lookup_weather: createTool({
        id: "lookup_weather",
        description: "CANARY-tool-description",
        inputSchema: z.object({ city: z.string() }),
        execute: async () => ({ report: "CANARY-tool-result" }),
      }),
    },
  });
  const rank = createStep({
    id: "rank",
    inputSchema: text,
    outputSchema: text,
    execute: async () => ({ text: "CANARY-output" }),
  });
  const assist = createStep({
    id: "ask",
    inputSchema: text,
    outputSchema: text,
    execute: async ({ inputData, mastra, tracingContext }) =>
      mastra.getAgent("helper").generate(inputData.text, { tracingContext, maxSteps: 3 }),
  });
  const flow = (id, step) =>
    createWorkflow({ id, inputSchema: text, outputSchema: text }).then(step).commit();
  const tracingOptions = { metadata: { userId: "user-ma", sessionId: "thread-ma" } };
  return {
    agents: { helper },
    workflows: { answer: flow("answer", rank), assisted: flow("assisted", assist) },
    async play(mastra) {
      const agent = mastra.getAgent("helper");
      await agent.generate("CANARY-prompt", { tracingOptions, maxSteps: 3 });
      await agent
        .generate("CANARY-prompt FAIL", { tracingOptions, maxSteps: 1 })
        .catch(() => undefined);
      for (const name of ["answer", "assisted"]) {
        const run = await mastra.getWorkflow(name).createRun();
        await run.start({ inputData: { text: "CANARY-input" }, tracingOptions });
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    },
  };
}
