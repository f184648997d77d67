/**
 * @module Freshness of the semantic cache: an answer is given again only while it is young for
 * any caller, and while memory is still what it was when the answer was given.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { Memory } from "@turnproof/memory";
import type { CacheRequest, MemoryPlace, RecalledRow } from "@turnproof/memory";
import { ephemeralMemory } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";

const place: MemoryPlace = { userId: "ann", agentId: "desk", memoryId: "m1", threadId: "t1" };
const requesting = (more: Partial<CacheRequest> = {}): CacheRequest => ({
  query: "in which city do I live",
  model: "m",
  instructions: "",
  tools: [],
  ...more,
});
const kept = { turnId: "t", readOnly: true, deterministic: true, finished: true, degraded: false };
const lisbon = { ...kept, answer: "in Lisbon" };
const noon = Date.parse("2026-11-21T12:00:00.000Z");
const at = (seconds: number): string => new Date(noon + seconds * 1_000).toISOString();

/** A memory whose clock, and its store's, stand where they are put. */
function clocked() {
  let now = at(0);
  const clock = (): string => now;
  const store = ephemeralMemory(clock);
  const memory = new Memory(store, { clock });
  return { store, memory, goTo: (seconds: number): string => (now = at(seconds)) };
}

describe("age", () => {
  test("an answer is gone at its end, and being given does not make it younger", async () => {
    const { memory, goTo } = clocked();
    const cache = memory.cache({ ttlSeconds: 60 });
    await cache.admit(place, requesting(), lisbon);
    for (const second of [20, 40, 59]) {
      goTo(second);
      expect((await cache.lookup(place, requesting())).decision).toBe("hit");
    }
    goTo(60);
    expect(await cache.lookup(place, requesting())).toMatchObject({ decision: "miss" });
    await cache.admit(place, requesting(), lisbon);
    goTo(119);
    expect((await cache.lookup(place, requesting())).decision).toBe("hit");
  });

  test("the asker's own TTL counts, whatever the writer allowed", async () => {
    const { memory, goTo } = clocked();
    await memory.cache({ ttlSeconds: 86_400 }).admit(place, requesting(), lisbon);
    goTo(61);
    const strict = await memory.cache({ ttlSeconds: 60 }).lookup(place, requesting());
    expect(strict).toMatchObject({ decision: "rejected", reason: "expired" });
    expect(strict.answer).toBeUndefined();
    expect((await memory.cache().lookup(place, requesting())).decision).toBe("hit");
  });

  test("a row from the future, or without a readable time, never answers", async () => {
    const { store, memory, goTo } = clocked();
    const cache = memory.cache();
    goTo(30);
    await cache.admit(place, requesting(), lisbon);
    goTo(0);
    expect((await cache.lookup(place, requesting())).decision).toBe("hit");
    const scope = { tenant: "ann", agentId: "desk", memoryId: "m1" };
    const [row] = (await store.list(scope, "semantic_cache", { limit: 1 })).records;
    for (const created_at of [at(86_400), at(61), "9999-12-31T00:00:00.000Z"]) {
      const { id, text, embedding, data } = row!;
      const draft = { id, data, created_at, text: text!, embedding: embedding! };
      await store.put(scope, "semantic_cache", draft);
      expect(await cache.lookup(place, requesting())).toMatchObject({ reason: "expired" });
    }
  });
});

describe("what an answer rests on", () => {
  const row = (id: string, text: string): RecalledRow => ({ source: "entity", id, text });
  const home = row("home", "home: I live in Lisbon");
  const street = row("street", "street: my street is steep");
  const dog = row("dog", "dog: my dog is old");
  const found = (selected: readonly RecalledRow[], more: readonly RecalledRow[] = []) => ({
    selected,
    considered: [...selected, ...more],
  });

  /** A cache whose answer was given with home and street, the dog being looked at as well. */
  async function answered() {
    const store = ephemeralMemory();
    const memory = new Memory(store);
    const scope = { tenant: "ann", memoryId: "m1" };
    const put = ({ id, text }: RecalledRow): Promise<unknown> => {
      const [name = "", ...rest] = text.split(": ");
      const data = { name, role: "entity" };
      return store.put(scope, "entity", { id, data, text: rest.join(": "), created_at: at(0) });
    };
    for (const item of [home, street, dog]) await put(item);
    const cache = memory.cache();
    await cache.admit(place, requesting({ recalled: found([home, street], [dog]) }), lisbon);
    const decide = async (recalled: CacheRequest["recalled"]): Promise<string> => {
      const { decision, reason } = await cache.lookup(place, requesting({ recalled }));
      return decision === "hit" ? decision : reason;
    };
    return { store, scope, put, decide };
  }

  test("new memory is another question; order, the question and its answer are not", async () => {
    const { decide } = await answered();
    expect(await decide(found([home, street]))).toBe("hit");
    expect(await decide(found([street, home]))).toBe("hit");
    const stated = [row("q", "In which city do I live?"), row("a", "In Lisbon.")];
    expect(await decide(found([home, street, ...stated]))).toBe("hit");
    const moved = row("new", "I have moved to Porto");
    expect(await decide(found([home, street, moved]))).toBe("memory_changed");
    expect(await decide(found([home, row("street", "street: it is flat")]))).toBe("memory_changed");
  });

  test("what others pushed out of sight stands; what is gone or says otherwise does not", async () => {
    const { store, scope, put, decide } = await answered();
    expect(await decide(found([home]))).toBe("hit");
    expect(await decide(found([home, dog]))).toBe("hit");
    expect(await decide(undefined)).toBe("hit");
    await put(row("street", "street: it is flat"));
    expect(await decide(found([home]))).toBe("memory_changed");
    await put(street);
    expect(await decide(found([home]))).toBe("hit");
    await store.delete(scope, "entity", "street");
    expect(await decide(found([home]))).toBe("memory_changed");
    expect(await decide(undefined)).toBe("memory_changed");
  });

  test("the row holds hashes of what it rests on, never the words", async () => {
    const { store } = await answered();
    const { records } = await store.list({ tenant: "ann" }, "semantic_cache", { limit: 5 });
    expect(JSON.stringify(records)).not.toMatch(/steep|old/);
    expect(records[0]?.data["rests_on"]).toHaveLength(2);
    expect(records[0]?.data["considered"]).toHaveLength(3);
  });

  test("an agent with a lot to recall still answers from the cache", async () => {
    await using server = await startScriptedModel();
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const agent = new Agent({ model, store: ephemeralMemory(), cache: {}, agentId: "desk" });
    const reported = Array.from({ length: 40 }, (_, i) => ({
      role: "user" as const,
      text: `the city where I live has bridge number ${i} over the river`,
    }));
    await agent.memory.conversation.append({ ...place, threadId: "old" }, reported);
    const decisions: string[] = [];
    for (let thread = 0; thread < 6; thread += 1) {
      const options = { userId: "ann", memoryId: "m1", threadId: `ask-${thread}` };
      const { cache } = await agent.run("does the city where I live have a bridge", options);
      decisions.push(cache.decision);
    }
    expect(decisions).toEqual(["miss", "hit", "hit", "hit", "hit", "hit"]);
  });

  test("an agent answers anew when the user has said otherwise, or has a fact forgotten", async () => {
    await using server = await startScriptedModel({
      print: (requested, conversation) =>
        requested.includes("city")
          ? (/Porto|Lisbon/.exec(conversation)?.[0] ?? "nowhere")
          : "Noted.",
    });
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const agent = new Agent({ model, store: ephemeralMemory(), cache: {}, agentId: "desk" });
    const { conversation, entities } = agent.memory;
    const notify = (threadId: string, text: string): Promise<unknown> =>
      conversation.append({ ...place, threadId }, [{ role: "user", text }]);
    let threads = 0;
    const request = async (): Promise<readonly [string, string]> => {
      const threadId = `ask-${(threads += 1)}`;
      const options = { userId: "ann", memoryId: "m1", threadId };
      const { text, cache } = await agent.run("in which city do I live now", options);
      return [cache.decision === "hit" ? "hit" : (cache.reason ?? ""), text];
    };
    await notify("old", "the city I live in is Lisbon");
    expect(await request()).toEqual(["nothing_similar", "Lisbon"]);
    expect(await request()).toEqual(["hit", "Lisbon"]);
    await notify("new", "I left, the city I live in now is Porto");
    expect((await request())[0]).toBe("memory_changed");
    const fact = { name: "tower", text: "the city where I live now has a tower" };
    await entities.remember(place, fact);
    expect((await request())[0]).toBe("memory_changed");
    expect((await request())[0]).toBe("hit");
    expect(await entities.forget(place, "tower")).toBe(true);
    expect((await request())[0]).toBe("memory_changed");
  });
});
