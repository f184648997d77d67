/**
 * @module A turn that failed or was given up keeps the question, the answer up to then and which
 * tools had run; the next turn of the thread is informed, and no other is.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AnyTool, RunEvent } from "@turnproof/agent";
import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { MockLanguageModelV4 } from "ai/test";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import type { ScriptedModel } from "../../servers/openai-compatible.ts";
import { observe } from "./observed.ts";

const observed = observe();
const ann = { userId: "ann", memoryId: "m1", threadId: "t1" };

interface Stated {
  readonly role: string;
  readonly content: unknown;
}

/** The messages of the last request, without the instructions. */
function lastPrompt(server: ScriptedModel): readonly (readonly [string, string])[] {
  const body = JSON.parse(server.bodies.at(-1) ?? "{}") as { readonly messages: readonly Stated[] };
  return body.messages
    .filter(({ role }) => role !== "system")
    .map(({ role, content }) => [role, String(content)]);
}

function open(server: ScriptedModel, more: object = {}): Agent {
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  return new Agent({ model, store: ephemeralMemory(), ...more });
}

test("a failed turn is told to the next of its thread and to no other", async () => {
  await using server = await startScriptedModel();
  const agent = open(server);
  const heard: RunEvent[] = [];
  const options = { ...ann, eventCallback: (event: RunEvent) => void heard.push(event) };
  await expect(agent.run("[refuse] canary-question", options)).rejects.toThrow(/./);
  expect(heard.at(-1)).toMatchObject({ status: "error", persisted: { conversation: 1 } });
  await agent.run("Hello", ann);
  expect(lastPrompt(server)).toEqual([
    ["user", "[refuse] canary-question"],
    ["assistant", "[This turn failed before it was answered. No tool had run.]"],
    ["user", "Hello"],
  ]);
  for (const other of [{ userId: "ben" }, { threadId: "t2" }, { memoryId: "m2" }]) {
    await agent.run("Hello", { ...ann, ...other });
    expect(JSON.stringify(lastPrompt(server))).not.toContain("canary");
  }
  expect(await observed.text(["ann", "ben"])).not.toContain("canary");
});

test("a stream that was left says how far it came, and which tools had run", async () => {
  await using server = await startScriptedModel({ wordDelayMs: 5 });
  const lookup: AnyTool = {
    name: "lookup_order",
    description: "Finds an order",
    inputSchema: { type: "object" },
    execute: () => ({ state: "on its way" }),
  };
  const agent = open(server, { tools: [lookup] });
  let received = "";
  for await (const event of agent.runStream("Where is my order A-1001?", ann)) {
    if (event.type !== "answer.delta") continue;
    received += event.text;
    if (received.split(" ").length > 2) break;
  }
  await agent.run("Go on", ann);
  const [requested, cut, question] = lastPrompt(server);
  expect(requested).toEqual(["user", "Where is my order A-1001?"]);
  expect(question).toEqual(["user", "Go on"]);
  expect(cut?.[1].startsWith(received.trim().slice(0, 8))).toBe(true);
  expect(cut?.[1]).toContain(
    "[This turn was cancelled before it was answered. " +
      "Tools that had run by then: lookup_order (success).]",
  );
});

test("a memory that cannot be written never hides why the turn failed", async () => {
  await using server = await startScriptedModel();
  const store = ephemeralMemory();
  const put = (): Promise<never> => Promise.reject(new CodedError("store_unavailable"));
  const agent = open(server, { store: { ...store, put } });
  const heard: RunEvent[] = [];
  const options = { ...ann, eventCallback: (event: RunEvent) => void heard.push(event) };
  await expect(agent.run("[refuse] please", options)).rejects.not.toBeInstanceOf(CodedError);
  expect(heard.at(-1)).toMatchObject({
    status: "error",
    persisted: { conversation: 0, error: "store_unavailable" },
  });
});

test("a question whose answer could not be written is told as such, and counted", async () => {
  await using server = await startScriptedModel();
  const store = ephemeralMemory();
  let messages = 0;
  const put: typeof store.put = (filter, kind, draft) => {
    messages += kind === "conversation" ? 1 : 0;
    const fails = kind === "conversation" && messages === 2;
    return fails
      ? Promise.reject(new CodedError("store_unavailable"))
      : store.put(filter, kind, draft);
  };
  const agent = open(server, { store: { ...store, put } });
  const first = await agent.run("Hello", ann);
  const persisted = { conversation: 1, error: "store_unavailable" };
  expect(first).toMatchObject({ status: "partial", persisted });
  const second = await agent.run("And now?", ann);
  expect(second).toMatchObject({ status: "success", persisted: { conversation: 2 } });
  const reported = [
    ["user", "Hello"],
    ["assistant", "[No answer of this turn was kept.]"],
    ["user", "And now?"],
  ];
  expect(lastPrompt(server)).toEqual(reported);
  await agent.run("Go on", ann);
  expect(lastPrompt(server)).toEqual([...reported, ["assistant", second.text], ["user", "Go on"]]);
});

test("what a model says after its thread acted is never another thread's answer", async () => {
  const script: readonly (string | Error)[][] = [
    // A turn that was cut after its tool had run, and one that ended well.
    ["refund", new Error("gone"), "It is paid back already."],
    ["refund", "It is paid back.", "It is paid back already."],
  ];
  for (const steps of script) {
    let at = 0;
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        const step = steps[at] ?? "Shall I pay it back?";
        at += 1;
        if (step instanceof Error) throw step;
        const calls = step === "refund";
        return {
          content: calls
            ? [{ type: "tool-call", toolCallId: "c1", toolName: step, input: "{}" }]
            : [{ type: "text", text: step }],
          finishReason: { unified: calls ? "tool-calls" : "stop", raw: undefined },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
          warnings: [],
        };
      },
    });
    const refund: AnyTool = {
      name: "refund",
      description: "Pays an order back",
      inputSchema: { type: "object" },
      readOnly: false,
      execute: () => ({ paid: true }),
    };
    const agent = new Agent({ model, store: ephemeralMemory(), tools: [refund], cache: {} });
    const question = "Pay order A-1 back";
    await agent.run(question, ann).catch(() => undefined);
    const again = await agent.run(question, ann);
    expect([again.text, again.cache.admitted]).toEqual(["It is paid back already.", false]);
    const elsewhere = await agent.run(question, { ...ann, threadId: "t2" });
    expect([elsewhere.text, elsewhere.cache.decision]).toEqual(["Shall I pay it back?", "miss"]);
  }
});

test("a tool that was given up while it ran is told, as one whose result nobody knows", async () => {
  await using server = await startScriptedModel();
  const begun = Promise.withResolvers<void>();
  const lookup: AnyTool = {
    name: "lookup_order",
    description: "Finds an order",
    inputSchema: { type: "object" },
    execute: (_input: never, { signal }) => {
      begun.resolve();
      return new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("given up")));
      });
    },
  };
  const agent = open(server, { tools: [lookup] });
  const giveUp = new AbortController();
  const requested = { ...ann, signal: giveUp.signal };
  const turn = agent.run("Where is my order A-1001?", requested);
  await begun.promise;
  giveUp.abort();
  await expect(turn).rejects.toThrow(/abort/i);
  await agent.run("Hello", ann);
  const note =
    "[This turn was cancelled before it was answered. " +
    "Tools that had run by then: lookup_order (unknown).]";
  expect(lastPrompt(server)[1]).toEqual(["assistant", note]);
});
