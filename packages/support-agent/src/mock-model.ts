/**
 * @module A mock model for the support agent: looks an order up when a question names one;
 * otherwise it answers with the user facts in its context, so that the effect of memory is visible.
 */
import { setTimeout as wait } from "node:timers/promises";

import type { AgentOptions } from "@turnproof/agent";

type LanguageModelV4 = Extract<AgentOptions["model"], { readonly specificationVersion: "v4" }>;
type LanguageModelV4CallOptions = Parameters<LanguageModelV4["doGenerate"]>[0];

interface Stated {
  readonly tool?: string;
  readonly text: string;
}

const textsOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : (content as readonly { readonly text?: string }[]).map(({ text }) => text ?? "").join(" ");

function decide({ prompt, tools = [] }: LanguageModelV4CallOptions): Stated {
  const requested = textsOf(prompt.findLast(({ role }) => role === "user")?.content ?? "");
  if (prompt.at(-1)?.role === "tool") return { text: "I found it: it is on its way to you." };
  const order = /\b[A-Z]-\d+\b/.exec(requested)?.[0];
  if (order !== undefined && tools.some(({ name }) => name === "lookup_order")) {
    return { tool: JSON.stringify({ order_id: order }), text: "" };
  }
  const system = textsOf(prompt.find(({ role }) => role === "system")?.content ?? "");
  const known = system.split("\n").filter((line) => line.startsWith("- "));
  if (/know|remember|again/i.test(requested) && known.length > 0) {
    return { text: `This is what I remember: ${known.map((line) => line.slice(2)).join("; ")}.` };
  }
  return { text: "Noted. What can I do for you?" };
}

const usage = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** The model; `wordDelayMs` is the delay between words. */
export function mockModel(wordDelayMs = 20): LanguageModelV4 {
  const reason = ({ tool }: Stated) => ({
    unified: tool === undefined ? ("stop" as const) : ("tool-calls" as const),
    raw: "mock",
  });
  const call = (input: string) => ({
    type: "tool-call" as const,
    toolCallId: `call_${crypto.randomUUID()}`,
    toolName: "lookup_order",
    input,
  });
  return {
    specificationVersion: "v4",
    provider: "mock",
    modelId: "support-mock",
    supportedUrls: {},
    doGenerate: async (options) => {
      const decision = decide(options);
      const content =
        decision.tool === undefined
          ? [{ type: "text" as const, text: decision.text }]
          : [call(decision.tool)];
      return { content, finishReason: reason(decision), usage, warnings: [] };
    },
    doStream: async (options) => {
      const decision = decide(options);
      const words = decision.text.match(/\S+\s*/g) ?? [];
      return {
        stream: new ReadableStream({
          async start(controller) {
            controller.enqueue({ type: "stream-start", warnings: [] });
            if (decision.tool === undefined) {
              controller.enqueue({ type: "text-start", id: "1" });
              for (const delta of words) {
                if (options.abortSignal?.aborted === true) break;
                controller.enqueue({ type: "text-delta", id: "1", delta });
                await wait(wordDelayMs);
              }
              controller.enqueue({ type: "text-end", id: "1" });
            } else controller.enqueue(call(decision.tool));
            controller.enqueue({ type: "finish", finishReason: reason(decision), usage });
            controller.close();
          },
        }),
      };
    },
  };
}
