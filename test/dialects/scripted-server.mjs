/**
 * @module An OpenAI-compatible model on loopback whose answers are scripted: it calls the first
 * tool it is offered, then answers; a prompt with FAIL gets a 400. Every text is a canary.
 */
import { createServer } from "node:http";

const usage = {
  prompt_tokens: 21,
  completion_tokens: 7,
  total_tokens: 28,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 3 },
};

function wantsTool(body) {
  const messages = body.messages ?? [];
  return (body.tools ?? []).length > 0 && !messages.some((message) => message.role === "tool");
}

function message(body) {
  if (!wantsTool(body)) return { role: "assistant", content: "CANARY-answer" };
  const name = body.tools[0].function.name;
  const call = { id: "call_1", type: "function", function: { name, arguments: '{"city":"CANARY-argument"}' } };
  return { role: "assistant", content: null, tool_calls: [call] };
}

function completion(body) {
  const finish_reason = wantsTool(body) ? "tool_calls" : "stop";
  const choices = [{ index: 0, message: message(body), finish_reason, logprobs: null }];
  return { id: "chatcmpl-1", object: "chat.completion", created: 1, model: "scripted-model-1", choices, usage };
}

function chunks(body) {
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "scripted-model-1" };
  const full = message(body);
  const delta = full.tool_calls
    ? { role: "assistant", tool_calls: full.tool_calls.map((call, index) => ({ index, ...call })) }
    : { role: "assistant", content: full.content };
  const finish_reason = wantsTool(body) ? "tool_calls" : "stop";
  return [
    { ...head, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...head, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...head, choices: [], usage },
  ];
}

function answer(path, body, response) {
  const json = (status, value) => {
    response.writeHead(status, { "content-type": "application/json", "x-request-id": "req_1" });
    response.end(JSON.stringify(value));
  };
  if (path.endsWith("/embeddings")) {
    const input = Array.isArray(body.input) ? body.input : [body.input];
    const data = input.map((_, index) => ({ object: "embedding", index, embedding: [0.1, 0.2] }));
    return json(200, { object: "list", data, model: "scripted-embed", usage: { prompt_tokens: 4, total_tokens: 4 } });
  }
  if (JSON.stringify(body.messages ?? "").includes("FAIL")) {
    return json(400, { error: { message: "CANARY-provider-error", type: "invalid_request_error", code: "bad" } });
  }
  if (body.stream !== true) return json(200, completion(body));
  response.writeHead(200, { "content-type": "text/event-stream" });
  for (const chunk of chunks(body)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  return response.end("data: [DONE]\n\n");
}

/** Starts the server on a free port; returns its base URL and how to close it. */
export async function scriptedServer() {
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      const text = Buffer.concat(parts).toString();
      answer(request.url ?? "", text === "" ? {} : JSON.parse(text), response);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/v1`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
