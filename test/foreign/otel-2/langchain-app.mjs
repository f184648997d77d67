/** @module A LangChain agent with a tool, and a run whose provider fails. */
import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";
import { z } from "zod";

/** Plays both runs against the scripted model, each within what is given. */
export async function playLangChain(within = (work) => work()) {
  const model = new ChatOpenAI({
    model: "scripted-model",
    apiKey: "none",
    maxRetries: 0,
    configuration: { baseURL: process.env.MODEL_URL },
  });
  const lookup = tool(async () => "CANARY-tool-result", {
    name: "lookup_weather",
    description: "CANARY-tool-description",
    schema: z.object({ city: z.string() }),
  });
  const agent = createAgent({ model, tools: [lookup], name: "helper" });
  const invoke = (content, thread_id) =>
    within(() =>
      agent.invoke(
        { messages: [{ role: "user", content }] },
        { configurable: { thread_id }, metadata: { user_id: "user-lc" } },
      ),
    );
  await invoke("CANARY-prompt", "thread-lc");
  await invoke("CANARY-prompt FAIL", "thread-lc-2").catch(() => undefined);
}
