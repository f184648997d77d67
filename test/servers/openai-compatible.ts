/**
 * @module A scripted OpenAI-compatible model on loopback: chat completions, plain and streamed, and
 * embeddings. What it answers depends on the conversation alone, so a run can be repeated; faults
 * are selected by marks in the conversation (`[overload-once]`, `[refuse]`), as a real provider
 * would fail for reasons of its own.
 */
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";

interface ChatMessage {
  readonly role: string;
  readonly content: unknown;
  readonly tool_calls?: readonly unknown[];
}

interface ChatRequest {
  readonly model: string;
  readonly stream?: boolean;
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** What the script decides to answer: words, or a call of a tool. */
interface Answer {
  readonly text?: string;
  readonly tool?: { readonly name: string; readonly args: Readonly<Record<string, unknown>> };
}

/** A running scripted model. */
export interface ScriptedModel extends AsyncDisposable {
  /** Base URL to give to a provider, ending in `/v1`. */
  readonly baseURL: string;
  readonly requests: () => number;
  /** Bodies of chat requests so far, as they came. */
  readonly bodies: readonly string[];
}

/** What a test may change of the script. */
export interface ScriptOptions {
  /** Final words for a conversation, instead of the script's own. */
  readonly print?: (requested: string, conversation: string) => string | undefined;
  /** Milliseconds between two streamed words. */
  readonly wordDelayMs?: number;
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { text?: string }) => part.text ?? "").join(" ");
}

const plans: readonly (readonly [question: RegExp, tool: string, argument: string])[] = [
  [/order|parcel|delivery/i, "lookup_order", "order_id"],
  [/refund|money back/i, "issue_refund", "order_id"],
  [/policy|return|warranty/i, "search_policies", "topic"],
];

/** The script: one tool for each thing that was requested and is offered, then the answer. */
function decide(request: ChatRequest): Answer {
  const requested = textOf(request.messages.findLast(({ role }) => role === "user")?.content);
  const offered = new Set(request.tools?.map((tool) => tool.function.name));
  const since = request.messages.slice(
    request.messages.findLastIndex(({ role }) => role === "user") + 1,
  );
  const used = since.filter(({ role }) => role === "tool").length;
  const wanted = plans.filter(([pattern, tool]) => pattern.test(requested) && offered.has(tool));
  const next = wanted[used];
  if (next !== undefined) {
    const id = /\b[A-Z]-\d+\b/.exec(requested)?.[0] ?? "A-1001";
    return { tool: { name: next[1], args: { [next[2]]: next[2] === "topic" ? "returns" : id } } };
  }
  return {
    text: used > 0 ? "I looked it up: everything is arranged." : "Happy to help with that.",
  };
}

function usageOf(request: ChatRequest, answer: Answer): Readonly<Record<string, number>> {
  const words = (text: string): number => Math.max(1, Math.ceil(text.length / 4));
  const prompt = words(JSON.stringify(request.messages));
  const completion = words(answer.text ?? JSON.stringify(answer.tool));
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
  };
}

function toolCalls(answer: Answer, id: string): readonly object[] | undefined {
  if (answer.tool === undefined) return undefined;
  const { name, args } = answer.tool;
  return [
    {
      index: 0,
      id: `call_${id}`,
      type: "function",
      function: { name, arguments: JSON.stringify(args) },
    },
  ];
}

async function sendStream(
  response: ServerResponse,
  request: ChatRequest,
  answer: Answer,
  id: string,
  wordDelayMs = 0,
): Promise<void> {
  const chunk = (delta: object, finish: string | null, usage?: object): void => {
    const body = {
      id: `chatcmpl-${id}`,
      object: "chat.completion.chunk",
      created: 1_790_000_000,
      model: `${request.model}-2026-05-01`,
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...(usage === undefined ? {} : { usage }),
    };
    response.write(`data: ${JSON.stringify(body)}\n\n`);
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  chunk({ role: "assistant", content: "" }, null);
  for (const word of answer.text?.split(/(?<= )/) ?? []) {
    if (response.destroyed) return;
    if (wordDelayMs > 0) await wait(wordDelayMs);
    chunk({ content: word }, null);
  }
  const calls = toolCalls(answer, id);
  if (calls !== undefined) chunk({ tool_calls: calls }, null);
  chunk({}, calls === undefined ? "stop" : "tool_calls", usageOf(request, answer));
  response.end("data: [DONE]\n\n");
}

function sendWhole(
  response: ServerResponse,
  request: ChatRequest,
  answer: Answer,
  id: string,
): void {
  const calls = toolCalls(answer, id);
  response.writeHead(200, { "content-type": "application/json", "x-request-id": `req_${id}` });
  response.end(
    JSON.stringify({
      id: `chatcmpl-${id}`,
      object: "chat.completion",
      created: 1_790_000_000,
      model: `${request.model}-2026-05-01`,
      choices: [
        {
          index: 0,
          message: { role: "assistant", content: answer.text ?? null, tool_calls: calls },
          finish_reason: calls === undefined ? "stop" : "tool_calls",
        },
      ],
      usage: usageOf(request, answer),
    }),
  );
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString("utf8")) as unknown;
}

function sendError(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify({ error: { message, type: "server_error", code: String(status) } }));
}

function embeddings(response: ServerResponse, body: { input: unknown; model: string }): void {
  const inputs = Array.isArray(body.input) ? body.input.map(String) : [String(body.input)];
  const data = inputs.map((text, index) => ({
    object: "embedding",
    index,
    embedding: Array.from({ length: 8 }, (_, i) => Math.sin(text.length * (i + 1))),
  }));
  response.writeHead(200, { "content-type": "application/json" });
  response.end(
    JSON.stringify({
      object: "list",
      data,
      model: body.model,
      usage: { prompt_tokens: 4, total_tokens: 4 },
    }),
  );
}

/** Starts the model on a free port of 127.0.0.1. */
export async function startScriptedModel(options: ScriptOptions = {}): Promise<ScriptedModel> {
  let count = 0;
  const bodies: string[] = [];
  const overloaded = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    if (request.url?.endsWith("/embeddings") === true) {
      embeddings(response, body as { input: unknown; model: string });
      return;
    }
    const chat = body as ChatRequest;
    const requested = textOf(chat.messages.findLast(({ role }) => role === "user")?.content);
    if (requested.includes("[refuse]")) {
      sendError(response, 400, "This request was refused.");
      return;
    }
    if (requested.includes("[overload-once]") && !overloaded.has(requested)) {
      overloaded.add(requested);
      sendError(response, 503, "The model is overloaded.");
      return;
    }
    const id = String((count += 1)).padStart(8, "0");
    bodies.push(JSON.stringify(chat));
    const send = chat.stream === true ? sendStream : sendWhole;
    const decided = decide(chat);
    const stated =
      decided.text === undefined ? undefined : options.print?.(requested, bodies.at(-1) ?? "");
    const text = stated === undefined ? decided : { text: stated };
    await send(response, chat, text, id, options.wordDelayMs);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => sendError(response, 500, "The script failed."));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests: () => count,
    bodies,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
