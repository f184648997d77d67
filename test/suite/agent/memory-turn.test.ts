/**
 * @module Turns with memory: what is supplied and referenced, what the semantic cache decides and
 * why, and what a turn keeps, on any model.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AgentOptions, AnyTool } from "@turnproof/agent";
import { readSupply } from "@turnproof/evidence";
import { CodedError } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import type { ScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const modelOf = (server: ScriptedModel): AgentOptions["model"] =>
  createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
const tool = (more: Partial<AnyTool>): AnyTool => ({
  name: "search_policies",
  description: "Searches the policies",
  inputSchema: { type: "object" },
  execute: () => ["30 days"],
  ...more,
});

describe("supply", () => {
  test("history, profile, preferences, other threads, summaries and samples, in three stages", async () => {
    const summary = "canary-sum the boiler in the cellar was repaired by Tomas in March";
    await using server = await startScriptedModel({
      print: (requested) =>
        requested.startsWith("Who")
          ? "The boiler in the cellar was repaired by Tomas in March. Lisbon is fine."
          : undefined,
    });
    const agent = new Agent({ model: modelOf(server), store: ephemeralMemory(), agentId: "desk" });
    const place = { userId: "ann", agentId: "desk", memoryId: "m1" };
    const { entities, conversation, summaries } = agent.memory;
    await entities.remember(place, { name: "home_city", role: "profile", text: "Lisbon" });
    await entities.remember(place, { name: "tone", role: "preference", text: "canary-pref dry" });
    await entities.remember(place, { name: "mail", role: "writing_sample", text: "canary-ws yo" });
    await entities.remember(place, { name: "odd name with secret", role: "profile", text: "x" });
    await conversation.append({ ...place, threadId: "old" }, [
      { role: "user", text: "canary-old who repaired the boiler in the cellar" },
    ]);
    await summaries.write({ ...place, threadId: "old" }, { text: summary, sourceIds: ["a"] });
    await agent.run("Hello there", { ...place, threadId: "now" });
    const result = await agent.run("Who repaired the boiler in the cellar?", {
      ...place,
      threadId: "now",
    });
    expect(result.supply).toMatchObject({
      history_count: 2,
      profile_count: 2,
      preference_count: 1,
      writing_sample_count: 1,
      summary_count: 1,
      profile_attribute_names: ["home_city"],
      preference_names: ["tone"],
      reference_states: { preference: "not_measured", writing_sample: "not_measured" },
    });
    expect(result.supply?.cross_thread_count).toBeGreaterThan(0);
    expect(result.supply?.referenced_count).toBe(2);
    const written = await observed.events("ann", result.traceContext.rootTraceId);
    const read = readSupply(written);
    expect(read).toMatchObject({
      supplied: { state: "known", value: result.supply?.supplied_count },
      referenced: { state: "known", value: 2 },
      degraded: false,
      supply_events: 1,
    });
    expect(read.retrieved.value).toBe(result.supply?.retrieved_count);
    const ledger = ofKind(written, "memory_selection").flatMap((e) => e.selection_ledger ?? []);
    expect(ledger).toHaveLength(result.supply?.retrieved_count ?? -1);
    expect(ledger.some(({ selected }) => selected === true)).toBe(true);
    expect(server.bodies.at(-1)).toContain("canary-old");
    expect(await observed.text(["ann"])).not.toMatch(/canary|Lisbon|boiler|odd name/);
  });

  test("an embedder that fails degrades to words, and says so", async () => {
    await using server = await startScriptedModel();
    const agent = new Agent({
      model: modelOf(server),
      store: ephemeralMemory(),
      embedder: {
        provider: "x",
        modelId: "y",
        doEmbed: () => Promise.reject(new Error("canary-embedder")),
      },
    });
    const place = { userId: "kim", memoryId: "m1", agentId: "agent" };
    await agent.memory.summaries.write(place, { text: "the boiler", sourceIds: ["a"] });
    const result = await agent.run("where is the boiler", { ...place, threadId: "t" });
    expect(result.supply).toMatchObject({ degraded: true, fallback_used: true, summary_count: 1 });
    expect(await observed.text(["kim"])).not.toContain("canary-embedder");
  });

  test("a real embedding model over HTTP, and vectors of another are never compared", async () => {
    await using server = await startScriptedModel();
    const provider = createOpenAICompatible({ name: "m", baseURL: server.baseURL });
    const store = ephemeralMemory();
    const place = { userId: "joe", memoryId: "m1", agentId: "agent" };
    const lexical = new Agent({ model: modelOf(server), store });
    await lexical.memory.summaries.write(place, { text: "the boiler", sourceIds: ["a"] });
    const agent = new Agent({
      model: modelOf(server),
      store,
      embedder: provider.embeddingModel("embed-1"),
      memoryPolicy: { retrieval: { relevanceMin: 0, mode: "vector" } },
    });
    expect([lexical.memory.lexical, agent.memory.lexical]).toEqual([true, false]);
    const first = await agent.run("where is the boiler", { ...place, threadId: "t" });
    const limits = ["embedding_model_other"];
    expect(first.supply).toMatchObject({ degraded: true, limits, summary_count: 0 });
    await agent.memory.summaries.write(place, { text: "the boiler again", sourceIds: ["a"] });
    const second = await agent.run("where is the boiler", { ...place, threadId: "u" });
    expect(second.supply?.summary_count).toBe(1);
  });
});

describe("the semantic cache", () => {
  const request = async (
    agent: Agent,
    query: string,
    more: object = {},
  ): Promise<readonly [string, string | null, boolean | null]> => {
    const options = { userId: "ann", memoryId: "m1", ...more };
    const { cache } = await agent.run(query, options);
    return [cache.decision, cache.reason, cache.admitted];
  };
  const open = (server: ScriptedModel, more: Partial<AgentOptions> = {}): Agent =>
    new Agent({ model: modelOf(server), store: ephemeralMemory(), cache: {}, ...more });

  test("decides hit, miss, bypassed and rejected, each with its reason as evidence", async () => {
    await using server = await startScriptedModel();
    const store = ephemeralMemory();
    const agent = open(server, { store });
    const question = "When do you open on sundays please";
    expect(await request(agent, question)).toEqual(["miss", "nothing_similar", true]);
    expect(await request(agent, question)).toEqual(["hit", "same_request", null]);
    expect(await request(agent, "when do you open on Sundays, please?")).toEqual([
      "hit",
      "same_request",
      null,
    ]);
    expect(server.requests()).toBe(1);
    expect((await request(agent, question, { userId: "ben" }))[0]).toBe("miss");
    expect((await request(agent, question, { userId: null }))[0]).toBe("miss");
    expect((await request(agent, question, { memoryId: "m2" }))[0]).toBe("miss");
    expect(await request(agent, question, { cache: "bypass" })).toEqual([
      "bypassed",
      "requested",
      false,
    ]);
    expect((await request(agent, question, { context: { page: 1 } })).slice(0, 2)).toEqual([
      "rejected",
      "fingerprint_changed",
    ]);
    const other = open(server, { store, instructions: "Be brief." });
    expect((await request(other, question))[1]).toBe("fingerprint_changed");
    const newer = open(server, { store, cache: { dataVersion: "2" } });
    expect((await request(newer, question))[1]).toBe("fingerprint_changed");
    const profile = { userId: "ann", memoryId: "m1", agentId: "agent" };
    const city = { name: "city", role: "profile", text: "Lisbon" } as const;
    await agent.memory.entities.remember(profile, city);
    const rootTraceId = await agent.withCaller(async () => {
      expect((await request(agent, question))[1]).toBe("fingerprint_changed");
      return agent.getTraceContext()?.rootTraceId;
    });
    const [event] = ofKind(await observed.events("ann", rootTraceId), "cache_decision");
    expect(event?.attributes).toMatchObject({
      cache_decision: "rejected",
      cache_bypass_reason: "fingerprint_changed",
    });
    expect(event?.attributes.cache_fingerprint).toMatch(/^sha256:/);
  });

  test("two orders are two questions, however alike they read", async () => {
    await using server = await startScriptedModel();
    const agent = open(server);
    expect((await request(agent, "What is the state of my parcel A-1001 today"))[0]).toBe("miss");
    expect(await request(agent, "What is the state of my parcel A-1002 today")).toEqual([
      "rejected",
      "literals_differ",
      true,
    ]);
    expect((await request(agent, "What is the state of my parcel A-1002 today"))[0]).toBe("hit");
    expect((await request(agent, "What is not the state of my parcel A-1001 today"))[0]).toBe(
      "rejected",
    );
  });

  test("a thread that has said other things is not answered from the cache", async () => {
    await using server = await startScriptedModel();
    const agent = open(server);
    await request(agent, "and what about that one then", { threadId: "t1" });
    const again = await request(agent, "and what about that one then", { threadId: "t1" });
    expect(again[0]).toBe("hit");
    await request(agent, "Tell me of your shoes", { threadId: "t2" });
    expect(
      (await request(agent, "and what about that one then", { threadId: "t2" })).slice(0, 2),
    ).toEqual(["bypassed", "conversation_dependent"]);
  });

  test("keeps only answers of deterministic read-only turns that ended well", async () => {
    await using server = await startScriptedModel();
    const kept = async (more: Partial<AgentOptions>): Promise<boolean | null> =>
      (await request(open(server, more), "What is your return policy"))[2];
    expect(await kept({ tools: [tool({ readOnly: true, deterministic: true })] })).toBe(true);
    expect(await kept({ tools: [tool({ deterministic: true })] })).toBe(false);
    expect(await kept({ tools: [tool({ readOnly: true })] })).toBe(false);
    const failing = tool({
      readOnly: true,
      deterministic: true,
      execute: () => Promise.reject(new Error("x")),
    });
    expect(await kept({ tools: [failing] })).toBe(false);
    expect(await kept({ settings: { temperature: 0.8 } })).toBe(false);
  });

  test("an answer is gone when its time is over", async () => {
    await using server = await startScriptedModel();
    let now = "2026-11-21T10:00:00.000000Z";
    const agent = open(server, { store: ephemeralMemory(() => now), cache: { ttlSeconds: 60 } });
    await request(agent, "When do you open");
    now = new Date(Date.now() + 59_000).toISOString();
    expect((await request(agent, "When do you open"))[0]).toBe("hit");
    now = new Date(Date.now() + 61_000).toISOString();
    expect((await request(agent, "When do you open"))[0]).toBe("miss");
  });
});

describe("what a turn keeps", () => {
  test("history that a model takes: it begins with the user, and nobody says nothing", async () => {
    await using server = await startScriptedModel({
      print: (requested) => (requested === "Say nothing" ? "" : undefined),
    });
    const history = { messagesMax: 3 };
    const agent = new Agent({
      model: modelOf(server),
      store: ephemeralMemory(),
      memoryPolicy: { history, retrieval: false },
    });
    const place = { userId: "ida", memoryId: "m1", threadId: "t1" };
    const given = (): string[] => {
      const { messages } = JSON.parse(server.bodies.at(-1) ?? "{}") as {
        messages: { role: string; content: unknown }[];
      };
      return messages.map(({ role, content }) => `${role}: ${String(content)}`);
    };
    const silent = await agent.run("Say nothing", place);
    expect(silent).toMatchObject({ text: "", status: "partial", persisted: { conversation: 2 } });
    await agent.run("Hello", place);
    const unanswered = "assistant: [No answer of this turn was kept.]";
    expect(given()).toEqual(["user: Say nothing", unanswered, "user: Hello"]);
    // Three messages reach back to the answer of a question that is beyond them.
    const third = await agent.run("And now", place);
    expect(given()).toEqual([
      "user: Hello",
      "assistant: Happy to help with that.",
      "user: And now",
    ]);
    expect(third.supply?.history_count).toBe(2);
    const fourth = await agent.run("Once more", place);
    expect(given()).toEqual([
      "user: And now",
      "assistant: Happy to help with that.",
      "user: Once more",
    ]);
    expect(fourth.supply?.history_count).toBe(2);
  });

  test("a summary names all that it stands for, however long ago it was said", async () => {
    await using server = await startScriptedModel({
      print: (requested) => (requested.includes("user: ") ? "what was said" : undefined),
    });
    const agent = new Agent({
      model: modelOf(server),
      store: ephemeralMemory(),
      summarize: { everyMessages: 4 },
      memoryPolicy: { history: { messagesMax: 2 }, retrieval: false },
    });
    const place = { userId: "lou", agentId: "agent", memoryId: "m1", threadId: "t1" };
    const before = Array.from({ length: 98 }, (_, i) => ({
      role: i % 2 === 0 ? ("user" as const) : ("assistant" as const),
      text: `message ${i}`,
    }));
    await agent.memory.conversation.append(place, before);
    await agent.run("one", place);
    const [first] = await agent.memory.summaries.list(place);
    expect(first?.sourceIds).toHaveLength(100);
    // Beyond the 200 messages that are read again.
    await agent.memory.conversation.append(place, [...before, ...before]);
    await agent.run("two", place);
    const [last] = await agent.memory.summaries.list(place);
    expect(last?.sourceIds).toEqual(expect.arrayContaining([...(first?.sourceIds ?? [])]));
    expect(last?.sourceIds).toHaveLength(100 + 198);
  });

  test("an answer stands although memory could not be written", async () => {
    await using server = await startScriptedModel();
    const store = ephemeralMemory();
    const put: typeof store.put = (filter, kind, draft) =>
      kind === "conversation"
        ? Promise.reject(new CodedError("store_unavailable"))
        : store.put(filter, kind, draft);
    const agent = new Agent({ model: modelOf(server), store: { ...store, put } });
    const result = await agent.run("Hello", { userId: "ann" });
    expect(result).toMatchObject({
      text: "Happy to help with that.",
      status: "partial",
      persisted: { conversation: 0, error: "store_unavailable" },
    });
  });

  test("a long thread is summed up, and its summary goes with it", async () => {
    await using server = await startScriptedModel({
      print: (requested) => (requested.includes("user: ") ? "canary-summary of it all" : undefined),
    });
    const agent = new Agent({
      model: modelOf(server),
      store: ephemeralMemory(),
      summarize: { everyMessages: 4 },
      memoryPolicy: { history: { messagesMax: 2 } },
    });
    const place = { userId: "mia", memoryId: "m1", threadId: "t1" };
    const first = await agent.run("I like the sea", place);
    const second = await agent.run("And the hills", place);
    expect([first, second].map(({ persisted }) => persisted.summaries)).toEqual([0, 1]);
    expect([first, second].map(({ iterations }) => iterations)).toEqual([1, 2]);
    const [summary] = await agent.memory.summaries.list({ ...place, agentId: "agent" });
    expect(summary?.sourceIds).toHaveLength(4);
    const third = await agent.run("Where shall I go", place);
    expect(third.supply).toMatchObject({ history_count: 2, summary_count: 1 });
    expect(server.bodies.at(-1)).toContain("canary-summary");
    expect(await observed.text(["mia"])).not.toMatch(/canary|the sea/);
    const eve = await agent.run("Where shall I go", { ...place, userId: "eve" });
    expect(eve.supply).toMatchObject({ history_count: 0, summary_count: 0 });
  });

  test("an agent inside another's tool has turns of its own", async () => {
    await using server = await startScriptedModel();
    const inner = new Agent({ model: modelOf(server), store: ephemeralMemory(), agentId: "inner" });
    const nested = tool({
      execute: async (_input: unknown, { userId }) => {
        const { turnId } = await inner.run("Hello", { userId });
        return [inner.getTraceContext()?.identity.turnId === turnId];
      },
    });
    const outer = new Agent({
      model: modelOf(server),
      store: ephemeralMemory(),
      tools: [nested],
      agentId: "outer",
    });
    const result = await outer.run("What is your policy", { userId: "una" });
    expect(server.bodies.at(-1)).toContain("[true]");
    expect(outer.getTraceContext()?.identity.turnId).toBe(result.turnId);
    const written = await observed.events("una", result.traceContext.rootTraceId);
    const turns = ofKind(written, "turn");
    expect(
      turns.map(({ agent_id }) => agent_id).toSorted((a = "", b = "") => (a < b ? -1 : 1)),
    ).toEqual(["inner", "outer"]);
    const call = ofKind(written, "tool_call")[0];
    expect(turns.find(({ agent_id }) => agent_id === "inner")?.parent_span_id).toBe(call?.span_id);
  });

  test("recurring work becomes a candidate, and a person makes a skill of it", async () => {
    await using server = await startScriptedModel();
    const both = [tool({}), tool({ name: "lookup_order" })];
    const agent = new Agent({ model: modelOf(server), store: ephemeralMemory(), tools: both });
    const place = { userId: "lea", memoryId: "m1", agentId: "agent" };
    for (const threadId of ["a", "b"]) {
      await agent.run("My order and your policy?", { ...place, threadId });
    }
    const [candidate, ...rest] = await agent.memory.learning.candidates(place);
    expect(rest).toEqual([]);
    expect(candidate).toMatchObject({ threads: 2, turns: 2 });
    expect(await agent.memory.learning.candidates({ ...place, userId: "eve" })).toEqual([]);
    const learned = ofKind(await observed.events("lea"), "learning");
    const count = (name: string): number =>
      learned.filter(({ attributes }) => attributes.learning_event === name).length;
    expect([learned.length, count("workflow_recorded"), count("skill_candidate_created")]).toEqual([
      3, 2, 1,
    ]);
    await agent.memory.learning.promote(candidate!, {
      id: "s1",
      data: { title: "Order and policy" },
    });
    const skill = await agent.memory.shared.of("skill").get("s1");
    expect(skill?.data).toMatchObject({ state: "promoted", candidate_ref: candidate?.ref });
    expect(await agent.memory.learning.demote("s1")).toBe(true);
    expect(await agent.memory.learning.demote("s1")).toBe(false);
  });
});
