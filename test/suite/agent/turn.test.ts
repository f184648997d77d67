/**
 * @module A turn of the agent over HTTP, through real provider packages of both shapes: what it
 * gives back, what it leaves as evidence, and what never gets there.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent, toolAnswer } from "@turnproof/agent";
import type { AgentOptions, AnyTool, RunEvent } from "@turnproof/agent";
import { ephemeralMemory } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { startAnthropic } from "../../servers/anthropic.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();

const lookup: AnyTool = {
  name: "lookup_order",
  description: "Finds an order by its id",
  inputSchema: { type: "object", properties: { order_id: { type: "string" } } },
  readOnly: true,
  deterministic: true,
  execute: ({ order_id }: { order_id: string }) => {
    if (order_id.startsWith("Z")) throw new RangeError(`canary-tool-error ${order_id}`);
    return [{ order_id, note: "canary-tool-result" }];
  },
};
const refund: AnyTool = {
  name: "issue_refund",
  description: "Pays an order back",
  inputSchema: { type: "object" },
  execute: () => toolAnswer({ value: "paid", outcome: "fallback", fallbackProvider: "bank_b" }),
};

const openai = (baseURL: string): AgentOptions["model"] =>
  createOpenAICompatible({ name: "desk-model", baseURL, includeUsage: true })("desk-1");
const anthropic = (baseURL: string): AgentOptions["model"] =>
  createAnthropic({ baseURL, apiKey: "test-key" })("claude-sonnet-4");

const here = { userId: "ann", memoryId: "m1", threadId: "t1" };

async function allOf(stream: AsyncIterable<RunEvent>): Promise<RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const event of stream) all.push(event);
  return all;
}

describe.each(["openai", "anthropic"] as const)("over %s", (shape) => {
  const start = async (options: { wordDelayMs?: number } = {}) => {
    if (shape === "openai") {
      const server = await startScriptedModel(options);
      return { server, model: openai(server.baseURL) };
    }
    const server = await startAnthropic({
      ...options,
      script: (requested, results) =>
        /order/i.test(requested) && results === 0
          ? {
              tool: { name: "lookup_order", input: { order_id: /[A-Z]-\d+/.exec(requested)?.[0] } },
            }
          : { text: "I looked it up: everything is arranged." },
    });
    return { server, model: anthropic(server.baseURL) };
  };

  test.each(["run", "runStream"] as const)(
    "%s answers, calls tools and says what it used",
    async (how) => {
      const { server, model } = await start();
      await using _ = server;
      const agent = new Agent({
        model,
        store: ephemeralMemory(),
        tools: [lookup],
        agentId: "desk",
      });
      const events: RunEvent[] = [];
      const question = "Where is my order A-1001? canary-question";
      const options = { ...here, eventCallback: (event: RunEvent) => void events.push(event) };
      const result =
        how === "run"
          ? await agent.run(question, options)
          : (await allOf(agent.runStream(question, options))).flatMap((event) =>
              event.type === "run.done" && event.result !== undefined ? [event.result] : [],
            )[0]!;
      expect(result).toMatchObject({
        text: "I looked it up: everything is arranged.",
        status: "success",
        iterations: 2,
        tools: [{ toolName: "lookup_order", outcome: "success" }],
        cache: { decision: "disabled" },
        persisted: { conversation: 2, toolLog: 1, workflowSteps: 1, summaries: 0, cache: false },
      });
      expect(events.map(({ seq }) => seq)).toEqual(events.map((_e, i) => i + 1));
      expect(events[0]?.type).toBe("run.started");
      expect(events.at(-1)?.type).toBe("run.done");
      expect(events.map(({ type }) => type)).toEqual(
        expect.arrayContaining([
          "status",
          "tool.started",
          "tool.completed",
          "usage",
          "answer.done",
        ]),
      );
      const written = await observed.events("ann", result.traceContext.rootTraceId);
      const calls = ofKind(written, "model_call");
      expect(calls).toHaveLength(2);
      for (const call of calls) {
        const { attributes } = call;
        expect(attributes.provider_time_ms).toBeGreaterThan(0);
        expect(attributes.retry_count).toBe(0);
        expect(attributes.ttft_ms === undefined).toBe(how === "run");
        if (shape === "anthropic") {
          expect(attributes).toMatchObject({
            input_tokens: 18,
            cached_tokens: 5,
            cache_write_tokens: 2,
          });
          expect(attributes.request_id).toMatch(/^req_/);
        } else {
          // The provider reported nothing of a cache: the adapter's zero is unknown.
          expect(attributes.cached_tokens).toBeUndefined();
          expect(attributes.input_tokens).toBeGreaterThan(0);
        }
      }
      if (shape === "anthropic")
        expect(result.usage).toMatchObject({ inputTokens: 36, cachedTokens: 10 });
      else expect(result.usage.cachedTokens).toBeNull();
      const [tool] = ofKind(written, "tool_call");
      expect(tool?.attributes).toMatchObject({ tool_outcome: "success", result_count: 1 });
      expect(ofKind(written, "memory_supply")).toHaveLength(1);
      expect(new Set(written.map(({ user_id }) => user_id))).toEqual(new Set(["ann"]));
      const text = await observed.text(["ann", null]);
      for (const canary of ["canary", "everything is arranged", "Where is my"]) {
        expect(text).not.toContain(canary);
      }
    },
  );

  test("retries what is retryable, and says so by counting", async () => {
    const { server, model } = await start();
    await using _ = server;
    const agent = new Agent({ model, store: ephemeralMemory() });
    const result = await agent.run("[overload-once] Hello", here);
    const written = await observed.events("ann", result.traceContext.rootTraceId);
    const calls = ofKind(written, "model_call");
    expect(calls.map(({ status }) => status)).toEqual(["error", "success"]);
    expect(calls[1]?.attributes.retry_count).toBe(1);
    expect(calls[0]?.attributes.input_tokens).toBeUndefined();
  });

  test("a refusal fails the turn by its class, and reaches the caller", async () => {
    const { server, model } = await start();
    await using _ = server;
    const agent = new Agent({ model, store: ephemeralMemory() });
    await expect(agent.run("[refuse] canary-refused", here)).rejects.toThrow(/./);
    const root = agent.getTraceContext()?.rootTraceId;
    const [turn] = ofKind(await observed.events("ann", root), "turn");
    expect(turn?.status).toBe("error");
    const stream = agent.runStream("[refuse] canary-refused", here);
    const seen: RunEvent[] = [];
    await expect(
      (async () => {
        for await (const event of stream) seen.push(event);
      })(),
    ).rejects.toThrow(/./);
    expect(seen.at(-1)).toMatchObject({ type: "run.done", status: "error" });
    expect(await observed.text(["ann"])).not.toContain("canary-refused");
  });

  test("a reader that leaves cancels the turn; it stays unknown, not failed", async () => {
    const { server, model } = await start({ wordDelayMs: 20 });
    await using _ = server;
    const agent = new Agent({ model, store: ephemeralMemory() });
    for await (const event of agent.runStream("Hello", here)) {
      if (event.type === "answer.delta") break;
    }
    const root = agent.getTraceContext()?.rootTraceId;
    const written = await observed.events("ann", root);
    expect(ofKind(written, "model_call").map(({ status }) => status)).toEqual(["unknown"]);
    expect(ofKind(written, "turn").map(({ status }) => status)).toEqual(["partial"]);
    const kept = await agent.memory.conversation.history({ ...here, agentId: "agent" });
    expect(kept.map(({ role, cut }) => [role, cut?.status])).toEqual([
      ["user", "cancelled"],
      ["assistant", "cancelled"],
    ]);
  });

  test("a tool that is given up in the middle is unknown, not failed", async () => {
    const { server, model } = await start();
    await using _ = server;
    const begun = Promise.withResolvers<void>();
    const slow: AnyTool = {
      ...lookup,
      execute: (_input: unknown, { signal }: { readonly signal: AbortSignal }) => {
        begun.resolve();
        return new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(new Error("canary-aborted")));
        });
      },
    };
    const agent = new Agent({ model, store: ephemeralMemory(), tools: [slow] });
    const giveUp = new AbortController();
    const turn = agent.run("Where is my order A-1001?", { ...here, signal: giveUp.signal });
    await begun.promise;
    giveUp.abort();
    await expect(turn).rejects.toThrow(/abort/i);
    const written = await observed.events("ann", agent.getTraceContext()?.rootTraceId);
    const [call] = ofKind(written, "tool_call");
    expect([call?.status, call?.attributes.tool_outcome]).toEqual(["unknown", undefined]);
    expect(ofKind(written, "turn").map(({ status }) => status)).toEqual(["partial"]);
    expect(await observed.text(["ann"])).not.toContain("canary-aborted");
  });

  test("a signal cancels both forms", async () => {
    const { server, model } = await start({ wordDelayMs: 20 });
    await using _ = server;
    const agent = new Agent({ model, store: ephemeralMemory() });
    const giveUp = new AbortController();
    const seen: RunEvent[] = [];
    for await (const event of agent.runStream("Hello", { ...here, signal: giveUp.signal })) {
      seen.push(event);
      if (event.type === "answer.delta") giveUp.abort();
    }
    expect(seen.at(-1)).toMatchObject({ type: "run.done", status: "cancelled" });
    const late = AbortSignal.timeout(1);
    await expect(agent.run("Hello", { ...here, signal: late })).rejects.toThrow(/timeout|abort/i);
  });
});

test("a stream that breaks in the middle is not repeated", async () => {
  await using server = await startAnthropic({ script: () => ({ text: "One two three" }) });
  const agent = new Agent({ model: anthropic(server.baseURL), store: ephemeralMemory() });
  const seen: RunEvent[] = [];
  await expect(
    (async () => {
      for await (const event of agent.runStream("[break] Hello", here)) seen.push(event);
    })(),
  ).rejects.toBeDefined();
  expect(server.bodies).toHaveLength(1);
  expect(seen.filter(({ type }) => type === "answer.delta")).toHaveLength(1);
});

describe("what the model is given", () => {
  test("context, persona and memory, never the host's provenance", async () => {
    await using server = await startScriptedModel();
    const store = ephemeralMemory();
    const agent = new Agent({
      model: openai(server.baseURL),
      store,
      instructions: "Be brief.",
      persona: "kind-desk",
    });
    await agent.memory.shared.of("persona").put("kind-desk", { instructions: "Be very kind." });
    const place = { ...here, agentId: "agent" };
    await agent.memory.entities.remember(place, { name: "city", role: "profile", text: "Lisbon" });
    const result = await agent.run("Hello", {
      ...here,
      context: { current_page: { type: "order", id: "page-7" } },
      observabilityContext: {
        requestId: "req-secret-1",
        groundingStatus: "ready",
        threadBindingStatus: "matched",
        ownershipVerified: true,
        pageBody: "canary-page-body",
      },
    });
    const [body = ""] = server.bodies;
    for (const given of ["Be brief.", "Be very kind.", "page-7", "Lisbon"]) {
      expect(body).toContain(given);
    }
    for (const kept of ["req-secret-1", "matched", "canary-page-body"]) {
      expect(body).not.toContain(kept);
    }
    const written = await observed.events("ann", result.traceContext.rootTraceId);
    const [bound] = ofKind(written, "context_binding");
    expect(bound?.attributes).toMatchObject({ grounding_status: "ready", dropped_field_count: 1 });
    expect(await observed.text(["ann"])).not.toMatch(/canary-page-body|Lisbon|very kind/);
    expect(result.supply).toMatchObject({ profile_count: 1, profile_attribute_names: ["city"] });
  });

  test("five tools of many, by relevance, and a budget of calls", async () => {
    await using server = await startAnthropic({
      script: (_asked, results) =>
        results < 4
          ? { tool: { name: "lookup_order", input: { order_id: "A-1" } } }
          : { text: "Done." },
    });
    const others = Array.from({ length: 8 }, (_, i): AnyTool => ({
      name: `weather_${i}`,
      description: `Tells the weather of station ${i}`,
      inputSchema: { type: "object" },
      execute: () => null,
    }));
    const agent = new Agent({
      model: anthropic(server.baseURL),
      store: ephemeralMemory(),
      tools: [...others, refund, lookup],
      routing: { callsMax: 3 },
    });
    const result = await agent.run("Find the order A-1 by its id", here);
    const offered = (JSON.parse(server.bodies[0] ?? "{}") as { tools: { name: string }[] }).tools;
    expect(offered).toHaveLength(5);
    expect(offered.map(({ name }) => name)).toContain("lookup_order");
    expect(result.tools).toHaveLength(3);
    expect(result.status).toBe("partial");
  });

  test.each(["run", "runStream"] as const)(
    "calls beyond the budget are refused, even in one round: %s",
    async (how) => {
      const call = { name: "lookup_order", input: { order_id: "A-1" } };
      await using server = await startAnthropic({
        script: (_asked, results) =>
          results === 0 ? { tools: [call, call, call] } : { text: "Done." },
      });
      let ran = 0;
      const counted: AnyTool = { ...lookup, execute: () => (ran += 1) };
      const agent = new Agent({
        model: anthropic(server.baseURL),
        store: ephemeralMemory(),
        tools: [counted],
        routing: { callsMax: 2 },
      });
      const events = await allOf(agent.runStream("Find it", here));
      const last = events.at(-1);
      const result =
        how === "run" || last?.type !== "run.done" ? await agent.run("Find it", here) : last.result;
      expect(ran).toBe(how === "run" ? 4 : 2);
      expect(result).toMatchObject({ text: "Done.", status: "partial", iterations: 2 });
      expect(result?.tools.map(({ outcome }) => outcome)).toEqual(["success", "success", "error"]);
      const root = result?.traceContext.rootTraceId;
      const tools = ofKind(await observed.events("ann", root), "tool_call");
      // Calls of one round may share a moment: the events show how many, the result shows which.
      const failed = tools.map(({ attributes }) => attributes.error_type).filter(Boolean);
      expect(tools).toHaveLength(3);
      expect(failed).toEqual(["tool_budget_spent"]);
      // The same call three times is one fingerprint: repetition shows, its input does not.
      expect(new Set(tools.map(({ attributes }) => attributes.call_fingerprint)).size).toBe(1);
    },
  );

  test("a tool that fails, falls back or does not exist is an answer with its outcome", async () => {
    const names = ["lookup_order", "issue_refund", "canary_no_such_tool"];
    await using server = await startAnthropic({
      script: (_asked, results) => {
        const name = names[results];
        return name === undefined
          ? { text: "Done." }
          : { tool: { name, input: { order_id: "Z-9" } } };
      },
    });
    const agent = new Agent({
      model: anthropic(server.baseURL),
      store: ephemeralMemory(),
      tools: [lookup, refund],
    });
    const result = await agent.run("Do it all", here);
    expect(result.tools.map(({ outcome }) => outcome)).toEqual(["error", "fallback", "error"]);
    // The model answered past them, so the turn itself ended well.
    expect(result.status).toBe("success");
    const written = await observed.events("ann", result.traceContext.rootTraceId);
    expect(ofKind(written, "turn").map(({ status }) => status)).toEqual(["success"]);
    const tools = ofKind(written, "tool_call");
    expect(tools.map(({ attributes }) => attributes.error_type)).toEqual([
      "RangeError",
      undefined,
      "unknown_tool",
    ]);
    expect(tools[1]?.attributes).toMatchObject({
      fallback_used: true,
      fallback_provider: "bank_b",
    });
    expect(result.tools[2]?.toolName).toBe("unknown");
    expect(server.bodies.at(-1)).toContain("canary-tool-error");
    expect(server.bodies.at(-1)).toContain("canary_no_such_tool");
    // A call by a name that does not exist is in the tool log, and nowhere else.
    const log = await agent.memory.toolLog.list({ ...here, agentId: "agent" });
    const made = log.find(({ toolName }) => toolName === "unknown");
    expect(made).toMatchObject({ input: { tool: "canary_no_such_tool" }, outcome: "error" });
    expect(await observed.text(["ann"])).not.toMatch(/canary.(tool-error|no_such_tool)/);
  });
});
