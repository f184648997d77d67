/**
 * @module The AI SDK's own chat client reads a turn of ours from the example's server: text, tools,
 * memory of an earlier thread, a failure by its class, and a browser that goes away.
 */
import { Agent, uiResponse } from "@turnproof/agent";
import { ephemeralMemory, postgres } from "@turnproof/store";
import { startChat, supportAgent } from "@turnproof/support-agent";
import { AbstractChat, DefaultChatTransport, readUIMessageStream } from "ai";
import type { UIMessage } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";

import { observe, ofKind } from "./observed.ts";

const observed = observe();

/** Sends a message as `useChat` does and returns the last state of the answer. */
async function chatWith(
  url: string,
  chatId: string,
  text: string,
  abortSignal?: AbortSignal,
): Promise<{ readonly message: UIMessage | undefined; readonly failed: boolean }> {
  const transport = new DefaultChatTransport({ api: `${url}/api/chat`, body: { user: "ann" } });
  const messages: UIMessage[] = [{ id: "m", role: "user", parts: [{ type: "text", text }] }];
  const requested = { trigger: "submit-message", chatId, messageId: undefined, messages } as const;
  const stream = await transport.sendMessages({ ...requested, abortSignal });
  let message: UIMessage | undefined;
  let failed = false;
  const onError = (): void => void (failed = true);
  for await (const state of readUIMessageStream({ stream, onError })) message = state;
  return { message, failed };
}

const textOf = (message: UIMessage | undefined): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");

test("the AI SDK's client shows text and tools, and memory lasts in PGlite", async () => {
  const { memory } = await postgres({ path: "memory://" });
  await using chat = await startChat(supportAgent(memory, 0), 0);
  const first = await chatWith(chat.url, "one", "Where is my order A-1001?");
  expect(textOf(first.message)).toBe("I found it: it is on its way to you.");
  expect(first.message?.parts).toContainEqual(
    expect.objectContaining({
      type: "dynamic-tool",
      toolName: "lookup_order",
      state: "output-available",
      output: { outcome: "success", badge: "Completed" },
    }),
  );
  const second = await chatWith(chat.url, "two", "What do you remember of my order?");
  expect(textOf(second.message)).toContain("Where is my order A-1001?");
  const page = await fetch(chat.url);
  expect(await page.text()).toContain("<title>Support agent</title>");
  const bad = await fetch(`${chat.url}/api/chat`, { method: "POST", body: "{}" });
  expect([bad.status, await bad.json()]).toEqual([400, { error: "invalid_request" }]);
  const turns = ofKind(await observed.events("user_ann"), "turn");
  expect(turns.map(({ status }) => status)).toEqual(["success", "success"]);
  await memory.close();
});

test("a failure is told by its class, and a browser that leaves cancels the turn", async () => {
  const failing = new MockLanguageModelV4({
    doStream: () => Promise.reject(new RangeError("canary-secret")),
  });
  const broken = new Agent({ model: failing, store: ephemeralMemory() });
  await using refused = await startChat(broken, 0);
  const response = await fetch(`${refused.url}/api/chat`, {
    method: "POST",
    body: JSON.stringify({
      id: "x",
      messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
    }),
  });
  const text = await response.text();
  expect(text).toContain(`{"type":"error","errorText":"RangeError"}`);
  expect(text).not.toContain("canary-secret");

  await using chat = await startChat(supportAgent(ephemeralMemory(), 30), 0);
  const leaving = new AbortController();
  setTimeout(() => leaving.abort(), 60);
  await chatWith(chat.url, "left", "Hello", leaving.signal).catch(() => undefined);
  await expect
    .poll(async () => ofKind(await observed.events("user_ann"), "turn").map(({ status }) => status))
    .toContain("partial");
});

/** The chat that `useChat` of @ai-sdk/react drives, with its state in plain fields. */
class PlainChat extends AbstractChat<UIMessage> {
  constructor(url: string) {
    const transport = new DefaultChatTransport({ api: `${url}/api/chat`, body: { user: "ann" } });
    const state: ConstructorParameters<typeof AbstractChat<UIMessage>>[0]["state"] = {
      status: "ready",
      error: undefined,
      messages: [],
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => void (state.messages = state.messages.with(at, message)),
      snapshot: structuredClone,
    };
    super({ id: "chat", transport, state });
  }
}

test("the AI SDK's chat holds a conversation, stops a turn, and goes on with the next", async () => {
  const store = ephemeralMemory();
  await using server = await startChat(supportAgent(store, 0), 0);
  const chat = new PlainChat(server.url);
  await chat.sendMessage({ text: "Where is my order A-1001?" });
  await chat.sendMessage({ text: "Thank you" });
  expect([chat.status, chat.error]).toEqual(["ready", undefined]);
  expect(chat.messages.map(({ role }) => role)).toEqual(["user", "assistant", "user", "assistant"]);
  expect(chat.messages.filter(({ role }) => role === "assistant").map(textOf)).toEqual([
    "I found it: it is on its way to you.",
    "Noted. What can I do for you?",
  ]);

  await using slow = await startChat(supportAgent(store, 50), 0);
  const left = new PlainChat(slow.url);
  const sending = left.sendMessage({ text: "Hello" });
  await expect.poll(() => textOf(left.lastMessage), { interval: 5 }).toContain("Noted.");
  await left.stop();
  await sending;
  expect([left.status, left.error]).toEqual(["ready", undefined]);
  await left.sendMessage({ text: "Are you there?" });
  expect([left.status, textOf(left.lastMessage)]).toEqual([
    "ready",
    "Noted. What can I do for you?",
  ]);

  const failing = new MockLanguageModelV4({ doStream: () => Promise.reject(new RangeError("x")) });
  await using broken = await startChat(new Agent({ model: failing, store }), 0);
  const failed = new PlainChat(broken.url);
  await failed.sendMessage({ text: "Hello" });
  expect([failed.status, failed.error?.message]).toEqual(["error", "RangeError"]);
});

test("a turn that is refused before it begins is an error to the browser, by its code", async () => {
  const model = new MockLanguageModelV4({});
  const agent = new Agent({ model, store: ephemeralMemory() });
  for (const [userId, code] of [
    ["ann@example.com", "identity_not_opaque"],
    ["", "identity_empty"],
  ] as const) {
    const text = await uiResponse(agent.runStream("Hello", { userId })).text();
    expect(text).toContain(`{"type":"error","errorText":"${code}"}`);
    expect(text).not.toContain("example.com");
  }
});
