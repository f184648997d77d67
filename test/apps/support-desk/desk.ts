/**
 * @module An ordinary support desk on the AI SDK: an agent with three tools, streamed or not, for
 * several customers. Prompts and tool results are full of the customers' words, as they are.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { SpanStatusCode, trace } from "@opentelemetry/api";
import { generateText, isStepCount, streamText, tool } from "ai";
import { z } from "zod";

/** A customer's question and identity. */
export interface Ticket {
  readonly userId: string;
  readonly sessionId: string;
  readonly question: string;
  readonly stream?: boolean;
}

const orders: Readonly<Record<string, string>> = { "A-1001": "in transit", "B-2002": "delivered" };

const tools = {
  lookup_order: tool({
    description: "Finds an order by its id",
    inputSchema: z.object({ order_id: z.string() }),
    execute: ({ order_id }) => {
      const state = orders[order_id];
      if (state === undefined) throw new RangeError(`No order ${order_id} for this customer`);
      return { order_id, state, note: "Handle with care, gift for grandmother" };
    },
  }),
  search_policies: tool({
    description: "Searches the policies of the shop",
    inputSchema: z.object({ topic: z.string() }),
    execute: async ({ topic }) => {
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { topic, hits: ["30 days to return", "Two years of warranty"] };
    },
  }),
  issue_refund: tool({
    description: "Pays an order back",
    inputSchema: z.object({ order_id: z.string() }),
    execute: ({ order_id }) => ({ order_id, refunded: true }),
  }),
};

const instructions = "You are the support desk of a small shop. Be brief and kind.";

/** A desk that calls one model; `answer` is one turn of one customer. */
export function openDesk(baseURL: string): { answer: (ticket: Ticket) => Promise<string> } {
  const provider = createOpenAICompatible({ name: "desk-model", baseURL, includeUsage: true });
  const tracer = trace.getTracer("support-desk");
  const request = async ({ question, stream, userId, sessionId }: Ticket): Promise<string> => {
    const call = {
      model: provider("desk-1"),
      instructions,
      prompt: question,
      tools,
      stopWhen: isStepCount(5),
      runtimeContext: { userId, sessionId },
      telemetry: {
        functionId: "support-desk",
        includeRuntimeContext: { userId: true as const, sessionId: true as const },
      },
    };
    if (stream !== true) return (await generateText(call)).text;
    let text = "";
    for await (const part of streamText(call).textStream) text += part;
    return text;
  };
  return {
    answer: (ticket) =>
      tracer.startActiveSpan("answer ticket", async (span) => {
        span.setAttributes({ "user.id": ticket.userId, "session.id": ticket.sessionId });
        try {
          return await request(ticket);
        } catch (error) {
          span.recordException(error as Error);
          span.setStatus({ code: SpanStatusCode.ERROR, message: String(error) });
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}
