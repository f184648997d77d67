/**
 * @module The support desk as an agent of ours: three tools, a semantic cache, memory of its
 * customers. One instance serves all customers; each question names its customer.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, toolAnswer } from "@turnproof/agent";
import type { AgentTool } from "@turnproof/agent";
import type { MemoryStore } from "@turnproof/store";

const orders: Readonly<Record<string, string>> = { "A-1001": "in transit", "B-2002": "delivered" };
const orderInput = {
  type: "object",
  properties: { order_id: { type: "string" } },
  required: ["order_id"],
};

const lookupOrder: AgentTool<{ readonly order_id: string }> = {
  name: "lookup_order",
  description: "Finds an order by its id",
  inputSchema: orderInput,
  readOnly: true,
  execute: ({ order_id }) => {
    const state = orders[order_id];
    if (state === undefined) throw new RangeError(`No order ${order_id} for this customer`);
    return { order_id, state, note: "Handle with care, gift for grandmother" };
  },
};

const searchPolicies: AgentTool<{ readonly topic: string }> = {
  name: "search_policies",
  description: "Searches the policies of the shop",
  inputSchema: { type: "object", properties: { topic: { type: "string" } } },
  readOnly: true,
  deterministic: true,
  execute: ({ topic }) => [`30 days to return (${topic})`, "Two years of warranty"],
};

const issueRefund: AgentTool<{ readonly order_id: string }> = {
  name: "issue_refund",
  description: "Pays an order back",
  inputSchema: orderInput,
  primaryProvider: "bank_a",
  // The first bank is always busy in this shop, so that a fallback can be seen.
  execute: ({ order_id }) =>
    toolAnswer({
      value: { order_id, refunded: true },
      outcome: "fallback",
      provider: "bank_b",
      fallbackProvider: "bank_b",
    }),
};

/** The desk's agent on a model and any memory. */
export function deskAgent(baseURL: string, store: MemoryStore): Agent {
  const provider = createOpenAICompatible({ name: "desk-model", baseURL, includeUsage: true });
  return new Agent({
    model: provider("desk-1"),
    store,
    agentId: "support-desk-memory",
    name: "Support desk with memory",
    // Set here, it travels in the carrier: the worker's own service name is another one.
    applicationId: "support-desk-memory",
    instructions: "You are the support desk of a small shop. Be brief and kind.",
    tools: [lookupOrder, searchPolicies, issueRefund],
    cache: { dataVersion: "policies-2026-11" },
    coverageProfile: "chat_response",
  });
}
