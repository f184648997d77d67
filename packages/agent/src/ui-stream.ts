/**
 * @module UiStream: a turn as the AI SDK's UI message stream (protocol v1), for `useChat` and any
 * other client of that protocol. A tool's input and result stay on the server; the browser
 * receives the tool's name and outcome. A failure is reported by its class.
 */
import { errorTypeOf } from "./admissible.ts";
import type { TurnStream } from "./agent.ts";
import type { RunEvent } from "./turn-events.ts";

/** A chunk of the protocol, as far as turns use it. */
export type UiChunk =
  | { readonly type: "start"; readonly messageId: string }
  | { readonly type: "start-step" | "finish-step" }
  | { readonly type: "text-start" | "text-end"; readonly id: string }
  | { readonly type: "text-delta"; readonly id: string; readonly delta: string }
  | {
      readonly type: "tool-input-available";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: Readonly<Record<string, never>>;
      readonly dynamic: true;
    }
  | {
      readonly type: "tool-output-available";
      readonly toolCallId: string;
      readonly output: { readonly outcome: string; readonly badge: string };
      readonly dynamic: true;
    }
  | { readonly type: "error"; readonly errorText: string }
  | { readonly type: "abort" | "finish" };

/**
 * The chunks of a turn. Ending the iteration cancels the turn; a failed turn ends it with `error`.
 */
export async function* uiChunks(stream: TurnStream): AsyncGenerator<UiChunk, void> {
  let parts = 0;
  let open: string | undefined;
  let done = false;
  const closed = (): readonly UiChunk[] => {
    const id = open;
    open = undefined;
    return id === undefined ? [] : [{ type: "text-end", id }];
  };
  try {
    for await (const event of stream) {
      done ||= event.type === "run.done";
      if (event.type === "answer.delta") {
        if (open === undefined) {
          parts += 1;
          open = `text_${parts}`;
          yield { type: "text-start", id: open };
        }
        yield { type: "text-delta", id: open, delta: event.text };
      } else {
        const chunks = chunksOf(event);
        if (chunks.length > 0) yield* closed();
        yield* chunks;
      }
    }
  } catch (error) {
    yield* closed();
    // Reported by class, as an error's text may hold anything. Most failures were reported in
    // `run.done`, but a turn that is refused, e.g. for its ids, never begins.
    if (!done) yield { type: "error", errorText: errorTypeOf(error) };
  }
}

function chunksOf(event: RunEvent): readonly UiChunk[] {
  switch (event.type) {
    case "run.started":
      return [{ type: "start", messageId: event.turnId }, { type: "start-step" }];
    case "tool.started": {
      const { callId: toolCallId, toolName } = event;
      return [{ type: "tool-input-available", toolCallId, toolName, input: {}, dynamic: true }];
    }
    case "tool.completed": {
      const { callId: toolCallId, outcome, badge } = event;
      const output = { outcome, badge };
      return [{ type: "tool-output-available", toolCallId, output, dynamic: true }];
    }
    case "run.done":
      if (event.status === "cancelled") return [{ type: "abort" }];
      if (event.status === "error") {
        return [{ type: "error", errorText: event.errorType ?? "error" }];
      }
      return [{ type: "finish-step" }, { type: "finish" }];
    default:
      return [];
  }
}

/** Headers by which clients recognize the protocol. */
export const uiStreamHeaders: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-store",
  "x-vercel-ai-ui-message-stream": "v1",
  "x-accel-buffering": "no",
};

/** The turn as a streaming response; a browser that disconnects cancels the turn. */
export function uiResponse(stream: TurnStream): Response {
  const chunks = uiChunks(stream);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next();
      const line = done === true ? "[DONE]" : JSON.stringify(value);
      controller.enqueue(encoder.encode(`data: ${line}\n\n`));
      if (done === true) controller.close();
    },
    async cancel() {
      await stream.return?.();
    },
  });
  return new Response(body, { headers: uiStreamHeaders });
}
