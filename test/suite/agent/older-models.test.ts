/**
 * @module Models of AI SDK 5, 6 and 7, by their real adapters against one server: the same turns,
 * tools, tokens and evidence, whole and streamed.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { createOpenAICompatible as createOpenAICompatible5 } from "@ai-sdk/openai-compatible-5";
import { createOpenAICompatible as createOpenAICompatible6 } from "@ai-sdk/openai-compatible-6";
import { Agent } from "@turnproof/agent";
import type { AnyLanguageModel, AnyTool, RunResult } from "@turnproof/agent";
import { ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const models: readonly (readonly [string, (baseURL: string) => AnyLanguageModel])[] = [
  [
    "v2",
    (baseURL) => createOpenAICompatible5({ name: "m", baseURL, includeUsage: true })("desk-1"),
  ],
  [
    "v3",
    (baseURL) => createOpenAICompatible6({ name: "m", baseURL, includeUsage: true })("desk-1"),
  ],
  ["v4", (baseURL) => createOpenAICompatible({ name: "m", baseURL, includeUsage: true })("desk-1")],
];
const lookup: AnyTool = {
  name: "lookup_order",
  description: "Finds an order",
  inputSchema: { type: "object" },
  execute: () => ({ state: "on its way" }),
};

async function play(userId: string, model: AnyLanguageModel): Promise<readonly object[]> {
  const agent = new Agent({ model, store: ephemeralMemory(), tools: [lookup] });
  const question = "Where is my order A-1001?";
  const whole = await agent.run(question, { userId, threadId: "t1" });
  let streamed: RunResult | undefined;
  for await (const event of agent.runStream(question, { userId, threadId: "t2" })) {
    if (event.type === "run.done") streamed = event.result;
  }
  return [whole, streamed].map((result) => ({
    text: result?.text,
    status: result?.status,
    iterations: result?.iterations,
    usage: result?.usage,
    tools: result?.tools.map(({ toolName, outcome }) => [toolName, outcome]),
    finishReason: result?.response?.finishReason,
  }));
}

test("older models answer as current ones do", async () => {
  await using server = await startScriptedModel();
  const results: (readonly object[])[] = [];
  for (const [version, make] of models) {
    const model = make(server.baseURL);
    expect(model.specificationVersion).toBe(version);
    results.push(await play(version, model));
    const calls = ofKind(await observed.events(version), "model_call");
    expect(calls).toHaveLength(4);
    for (const { attributes } of calls) {
      expect(attributes.input_tokens).toBeGreaterThan(0);
      expect(attributes.finish_reason?.[0]).toMatch(/^(?:stop|tool_calls)$/);
    }
  }
  const [first] = results;
  expect(first?.[0]).toMatchObject({ status: "success", iterations: 2, finishReason: "stop" });
  for (const played of results) expect(played).toEqual(first);
});
