/** @module SupportAgent: the agent of a small shop on any memory: a mock model, one tool. */
import { Agent } from "@turnproof/agent";
import type { AgentTool } from "@turnproof/agent";
import type { MemoryStore } from "@turnproof/store";

import { mockModel } from "./mock-model.ts";

const lookupOrder: AgentTool<{ readonly order_id: string }> = {
  name: "lookup_order",
  description: "Finds an order by its id",
  inputSchema: { type: "object", properties: { order_id: { type: "string" } } },
  readOnly: true,
  execute: ({ order_id: id }) => ({ id, state: "on its way" }),
};

/** The agent; `wordDelayMs` is the delay between the model's words. */
export function supportAgent(store: MemoryStore, wordDelayMs?: number): Agent {
  return new Agent({
    model: mockModel(wordDelayMs),
    store,
    agentId: "support-agent",
    applicationId: "support-agent",
    instructions: "You are the support agent of a small shop.",
    tools: [lookupOrder],
    coverageProfile: "chat_response",
  });
}
