/**
 * @module The support agent over HTTP: a chat page and the AI SDK's chat endpoint. The user is a
 * name in the request here; a real host takes it from its own session.
 */
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeStream } from "node:stream/web";

import { uiResponse } from "@turnproof/agent";
import type { Agent } from "@turnproof/agent";
import { z } from "zod";

import { chatPage } from "./chat-page.ts";

const chatBody = z.object({
  id: z.string().min(1).max(100),
  user: z
    .string()
    .regex(/^[a-z0-9_]{1,40}$/)
    .default("guest"),
  messages: z
    .array(
      z.object({
        role: z.string(),
        parts: z.array(z.looseObject({ type: z.string(), text: z.string().optional() })),
      }),
    )
    .min(1),
});

/** A running chat. */
export interface ChatServer extends AsyncDisposable {
  readonly url: string;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > 1_000_000) throw new RangeError("too large");
  }
  return text;
}

async function answer(agent: Agent, request: IncomingMessage): Promise<Response> {
  if (request.method !== "POST" || request.url !== "/api/chat") {
    return new Response(chatPage, { headers: { "content-type": "text/html; charset=utf-8" } });
  }
  let body: z.output<typeof chatBody>;
  try {
    body = chatBody.parse(JSON.parse(await bodyOf(request)));
  } catch {
    return Response.json({ error: "invalid_request" }, { status: 400 });
  }
  const question = (body.messages.at(-1)?.parts ?? []).map(({ text }) => text ?? "").join("");
  const place = { userId: `user_${body.user}`, memoryId: "shop", threadId: `thread_${body.id}` };
  return uiResponse(agent.runStream(question, place));
}

/** Starts it on a port; 0 takes a free one. */
export async function startChat(agent: Agent, port: number): Promise<ChatServer> {
  const server = createServer((request, response) => {
    void answer(agent, request).then(async (answered) => {
      response.writeHead(answered.status, Object.fromEntries(answered.headers));
      const body = Readable.fromWeb(answered.body as unknown as NodeStream);
      // A browser that disconnects ends the stream, which cancels the turn.
      await pipeline(body, response).catch(() => undefined);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
