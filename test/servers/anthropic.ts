/**
 * @module A scripted model with Anthropic's messages API on loopback, plain and streamed. Counts
 * leave out what the cache read and wrote, as the real ones do. Faults are selected by marks in
 * the question: `[overload-once]` (529), `[refuse]` (400), `[break]` (an error in the middle of a
 * stream).
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";

interface Block {
  readonly type: string;
  readonly text?: string;
}

interface MessagesRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly system?: unknown;
  readonly messages: readonly {
    readonly role: string;
    readonly content: string | readonly Block[];
  }[];
  readonly tools?: readonly { readonly name: string }[];
}

/** A call of a tool. */
export interface AnthropicCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** What the script answers: words, or a call of a tool. */
export interface AnthropicAnswer {
  readonly text?: string;
  readonly tool?: AnthropicCall;
  /** Several calls in one answer. */
  readonly tools?: readonly AnthropicCall[];
}

/** What a test decides. `toolResults` counts those since the question. */
export interface AnthropicOptions {
  readonly script?: (requested: string, toolResults: number) => AnthropicAnswer;
  readonly wordDelayMs?: number;
}

/** A running server. */
export interface AnthropicServer extends AsyncDisposable {
  /** Base URL to give to a provider, ending in `/v1`. */
  readonly baseURL: string;
  readonly bodies: readonly string[];
}

const usage = {
  input_tokens: 11,
  cache_read_input_tokens: 5,
  cache_creation_input_tokens: 2,
  output_tokens: 7,
};

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function readQuestion(request: MessagesRequest): { requested: string; toolResults: number } {
  let requested = "";
  let toolResults = 0;
  for (const { role, content } of request.messages) {
    if (role !== "user") continue;
    for (const block of blocksOf(content)) {
      if (block.type === "tool_result") toolResults += 1;
      if (block.type !== "text") continue;
      requested = block.text ?? "";
      toolResults = 0;
    }
  }
  return { requested, toolResults };
}

function callsOf(answer: AnthropicAnswer): readonly AnthropicCall[] {
  return answer.tools ?? (answer.tool === undefined ? [] : [answer.tool]);
}

function contentOf(answer: AnthropicAnswer, id: number): object[] {
  const text = answer.text === undefined ? [] : [{ type: "text", text: answer.text }];
  const calls = callsOf(answer).map(({ name, input }, i) => ({
    type: "tool_use",
    id: `toolu_${id}_${i}`,
    name,
    input,
  }));
  return [...text, ...calls];
}

async function sendStream(
  response: ServerResponse,
  request: MessagesRequest,
  answer: AnthropicAnswer,
  at: { readonly id: number; readonly wordDelayMs: number; readonly broken: boolean },
): Promise<void> {
  const send = (type: string, data: object): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream", "request-id": `req_${at.id}` });
  const { output_tokens: _, ...input } = usage;
  const message = {
    id: `msg_${at.id}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...input, output_tokens: 1 },
  };
  send("message_start", { message });
  let index = 0;
  if (answer.text !== undefined) {
    send("content_block_start", { index, content_block: { type: "text", text: "" } });
    for (const word of answer.text.split(/(?<= )/)) {
      if (response.destroyed) return;
      if (at.wordDelayMs > 0) await wait(at.wordDelayMs);
      send("content_block_delta", { index, delta: { type: "text_delta", text: word } });
      if (!at.broken) continue;
      send("error", { error: { type: "overloaded_error", message: "Overloaded." } });
      return void response.end();
    }
    send("content_block_stop", { index });
    index += 1;
  }
  for (const { name, input: given } of callsOf(answer)) {
    const block = { type: "tool_use", id: `toolu_${at.id}_${index}`, name, input: {} };
    send("content_block_start", { index, content_block: block });
    const partial_json = JSON.stringify(given);
    send("content_block_delta", { index, delta: { type: "input_json_delta", partial_json } });
    send("content_block_stop", { index });
    index += 1;
  }
  const stop_reason = callsOf(answer).length === 0 ? "end_turn" : "tool_use";
  send("message_delta", {
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: usage.output_tokens },
  });
  send("message_stop", {});
  response.end();
}

function sendWhole(
  response: ServerResponse,
  request: MessagesRequest,
  answer: AnthropicAnswer,
  id: number,
): void {
  response.writeHead(200, { "content-type": "application/json", "request-id": `req_${id}` });
  const body = {
    id: `msg_${id}`,
    type: "message",
    role: "assistant",
    model: request.model,
    content: contentOf(answer, id),
    stop_reason: callsOf(answer).length === 0 ? "end_turn" : "tool_use",
    stop_sequence: null,
    usage,
  };
  response.end(JSON.stringify(body));
}

function sendError(response: ServerResponse, status: number, type: string): void {
  response.writeHead(status, { "content-type": "application/json", "retry-after": "0" });
  response.end(JSON.stringify({ type: "error", error: { type, message: "No." } }));
}

/** Starts the server on a free port of 127.0.0.1. */
export async function startAnthropic(options: AnthropicOptions = {}): Promise<AnthropicServer> {
  const { wordDelayMs = 0, script = () => ({ text: "Happy to help with that." }) } = options;
  const bodies: string[] = [];
  const overloaded = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = (await json(request)) as MessagesRequest;
    bodies.push(JSON.stringify(body));
    const { requested: question, toolResults } = readQuestion(body);
    if (question.includes("[refuse]")) return sendError(response, 400, "invalid_request_error");
    if (question.includes("[overload-once]") && !overloaded.has(question)) {
      overloaded.add(question);
      return sendError(response, 529, "overloaded_error");
    }
    const stated = script(question, toolResults);
    const id = bodies.length;
    if (body.stream !== true) return sendWhole(response, body, stated, id);
    const broken = question.includes("[break]");
    await sendStream(response, body, stated, { id, wordDelayMs, broken });
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => sendError(response, 500, "api_error"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    bodies,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
