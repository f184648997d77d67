/** @module An OpenAI agent with a tool inside of a trace, and runs whose provider fails. */
import { Agent, run, setDefaultOpenAIClient, setOpenAIAPI, tool, withTrace } from "@openai/agents";
import OpenAI from "openai";
import { z } from "zod";

/** Plays both against the scripted model. */
export async function playOpenAiAgents() {
  setOpenAIAPI("chat_completions");
  setDefaultOpenAIClient(
    new OpenAI({ baseURL: process.env.MODEL_URL, apiKey: "none", maxRetries: 0 }),
  );
  const lookup = tool({
    name: "lookup_weather",
    description: "CANARY-tool-description",
    parameters: z.object({ city: z.string() }),
    execute: async () => "CANARY-tool-result",
  });
  const helper = new Agent({
    name: "helper",
    instructions: "CANARY-instructions",
    model: "scripted-model",
    tools: [lookup],
  });
  const inThread = { groupId: "thread-oa", metadata: { user_id: "user-oa" } };
  await withTrace("support", () => run(helper, "CANARY-prompt"), inThread);
  const fail = () => run(helper, "CANARY-prompt FAIL");
  await fail().catch(() => undefined);
  await withTrace("support", fail, inThread).catch(() => undefined);
  const triage = new Agent({ name: "triage", model: "scripted-model", handoffs: [helper] });
  await run(triage, "CANARY-prompt");
}
