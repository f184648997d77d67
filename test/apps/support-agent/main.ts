/**
 * @module `npm run agent`: a support agent with memory in PGlite and a mock model, to talk to in a
 * browser while the collector shows each turn. `--help` says the rest.
 */
import { parseArgs } from "node:util";

import { Agent } from "@turnproof/agent";
import type { AgentTool } from "@turnproof/agent";
import { register } from "@turnproof/exporter/register";
import { postgres } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";

import { startChat } from "./chat-server.ts";
import { mockModel } from "./mock-model.ts";

const help = `A support agent to talk to, with memory in PGlite and a mock model.

  npm start                 the collector, in another terminal
  npm run agent             the agent; then open the address that it prints

  --port N                  default 3000
  --data DIR                where memory lies (default .turnproof/agent-memory)
  --endpoint URL            the collector (default http://127.0.0.1:4318)`;

const lookupOrder: AgentTool<{ readonly order_id: string }> = {
  name: "lookup_order",
  description: "Finds an order by its id",
  inputSchema: { type: "object", properties: { order_id: { type: "string" } } },
  readOnly: true,
  execute: ({ order_id: id }) => ({ id, state: "on its way" }),
};

/** The agent on any memory. */
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

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      port: { type: "string", default: "3000" },
      data: { type: "string", default: ".turnproof/agent-memory" },
      endpoint: { type: "string", default: "http://127.0.0.1:4318" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) console.log(help);
  else {
    const telemetry = register({ serviceName: "support-agent", endpoint: values.endpoint });
    const { memory } = await postgres({ path: values.data });
    const chat = await startChat(supportAgent(memory), Number(values.port));
    console.log(`Talk to the agent: ${chat.url}\nWatch its turns:   ${values.endpoint}/traces`);
    const stop = async (): Promise<void> => {
      await chat[Symbol.asyncDispose]();
      await memory.close();
      await telemetry.shutdown();
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => void stop());
  }
}
