/**
 * @module Recall: what the cache and retrieval may answer with, at their edges: too unlike, of
 * another embedder, of the thread itself, of another level.
 */
import { Memory } from "@turnproof/memory";
import type { Embedder, MemoryPlace } from "@turnproof/memory";
import { ephemeralMemory } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { recordedTurn, textOf } from "./recorded-turn.ts";

const place: MemoryPlace = { userId: "ann", agentId: "desk", memoryId: "m1", threadId: "t1" };
const request = (query: string): Parameters<ReturnType<Memory["cache"]>["lookup"]>[1] => ({
  query,
  model: "m",
  instructions: "",
  tools: [],
});
const kept = { turnId: "t", readOnly: true, deterministic: true, finished: true, degraded: false };

/** Vectors of two numbers for the length of a text, under a name. */
const fake = (modelId: string): Embedder => ({
  provider: "fake",
  modelId,
  doEmbed: async ({ values }) => ({ embeddings: values.map((text) => [1, text.length]) }),
});

describe("the cache", () => {
  test("answers nothing that is too unlike, and says how unlike it was", async () => {
    const memory = new Memory(ephemeralMemory());
    const cache = memory.cache();
    await cache.admit(place, request("when do you open on sundays"), {
      ...kept,
      answer: "at nine",
    });
    const unlike = await cache.lookup(place, request("how heavy is a parcel to norway"));
    expect(unlike).toMatchObject({ decision: "miss", reason: "nothing_similar" });
    expect(unlike.similarity).toBeLessThan(0.78);
    expect(unlike.answer).toBeUndefined();
    const loose = memory.cache({ similarityMin: -1 });
    const forced = await loose.lookup(place, request("how heavy is a parcel to norway"));
    expect(forced.decision).toBe("hit");
  });

  test("shares answers at its level and no wider, never beyond the user", async () => {
    const memory = new Memory(ephemeralMemory());
    const question = request("when do you open");
    const decide = async (level: "agent" | "memory" | "thread", at: object): Promise<string> => {
      const cache = memory.cache({ level });
      await cache.admit({ ...place, userId: level }, question, { ...kept, answer: "at nine" });
      return (await cache.lookup({ ...place, userId: level, ...at }, question)).decision;
    };
    expect(await decide("thread", {})).toBe("hit");
    expect(await decide("thread", { threadId: "t2" })).toBe("miss");
    expect(await decide("memory", { threadId: "t2" })).toBe("hit");
    expect(await decide("memory", { memoryId: "m2" })).toBe("miss");
    expect(await decide("agent", { memoryId: "m2" })).toBe("hit");
    expect(await decide("agent", { agentId: "other" })).toBe("miss");
    expect(await decide("agent", { userId: "somebody" })).toBe("miss");
    expect(await decide("agent", { userId: null })).toBe("miss");
    // A level that is left out is a level of its own, never every one of them.
    expect(await decide("thread", { threadId: undefined })).toBe("miss");
    expect(await decide("memory", { memoryId: undefined })).toBe("miss");
    expect(await decide("agent", { agentId: undefined })).toBe("miss");
    await memory.cache().admit(place, question, { ...kept, answer: "at nine" });
    // What one memory keeps for itself is no answer of the whole agent.
    expect((await memory.cache({ level: "agent" }).lookup(place, question)).decision).toBe("miss");
    const none = { ...place, memoryId: undefined };
    const cache = memory.cache();
    await cache.admit(none, question, { ...kept, answer: "at ten" });
    expect((await cache.lookup(none, question)).answer).toBe("at ten");
  });

  test("a store or an embedder that fails is a bypass, and nothing of it is evidence but the code", async () => {
    const honest = ephemeralMemory();
    const down = () => Promise.reject(new Error("canary-down"));
    const { turn, recorded, values } = recordedTurn();
    const failing = new Memory({ ...honest, vectorSearch: down }).cache();
    const failed = await failing.lookup({ ...place, turn }, request("canary-question"));
    expect(failed).toMatchObject({ decision: "bypassed", reason: "store_failed" });
    const mute = new Memory(honest, { embedder: { ...fake("a"), doEmbed: down } }).cache();
    const bypassed = await mute.lookup({ ...place, turn }, request("canary-question"));
    expect(bypassed).toMatchObject({ decision: "bypassed", reason: "no_embedding" });
    expect(values("cache_decision")).toEqual(["bypassed", "bypassed"]);
    expect(textOf(recorded)).not.toContain("canary");
  });
});

describe("retrieval", () => {
  const all = { retrieval: { relevanceMin: 0, itemsMax: 50, charsMax: 1e6 } };

  test("compares vectors of one embedder only, whatever their length", async () => {
    const store = ephemeralMemory();
    const [before, now] = [fake("old"), fake("new")].map(
      (embedder) => new Memory(store, { embedder }),
    );
    await before!.summaries.write(place, { text: "made by the old one", sourceIds: ["a"] });
    await now!.summaries.write(place, { text: "made by the new one", sourceIds: ["a"] });
    const elsewhere = { ...place, threadId: "t9" };
    const found = await now!.assembleContext(elsewhere, { text: "anything at all" }, all);
    expect(found.items.map(({ text }) => text)).toEqual(["made by the new one"]);
  });

  test("by words and by meaning at once: each finds what the other cannot, and says so", async () => {
    const topics = ["sofa couch", "parcel package"];
    const embedder: Embedder = {
      ...fake("topics"),
      doEmbed: async ({ values }) => ({
        embeddings: values.map((text) => [
          0.1,
          ...topics.map((topic) => Number(topic.split(" ").some((word) => text.includes(word)))),
        ]),
      }),
    };
    const memory = new Memory(ephemeralMemory(), { embedder });
    for (const [at, text] of ["my couch is grey", "code KX7 is open", "a package"].entries()) {
      await memory.conversation.append({ ...place, threadId: `old${at}` }, [
        { role: "user", text },
      ]);
    }
    const found = async (text: string, mode: "hybrid" | "vector" | "lexical"): Promise<unknown> => {
      const { turn, values } = recordedTurn();
      const policy = { retrieval: { mode, relevanceMin: 0.3 } };
      const { items, record } = await memory.assembleContext({ ...place, turn }, { text }, policy);
      expect(record).toMatchObject({ degraded: false, fallback_used: false, limits: [] });
      expect(values("foreign_rows").every((count) => count === 0)).toBe(true);
      return items.map((item) => item.text).toSorted();
    };
    const question = "sofa KX7";
    expect(await found(question, "vector")).toEqual(["my couch is grey"]);
    expect(await found(question, "lexical")).toEqual(["code KX7 is open"]);
    expect(await found(question, "hybrid")).toEqual(["code KX7 is open", "my couch is grey"]);
  });

  test("words of this thread are history and never come back as another conversation's", async () => {
    const memory = new Memory(ephemeralMemory());
    for (const [threadId, text] of [
      ["t1", "the first boiler"],
      ["t1", "the second boiler"],
      ["t2", "the third boiler"],
    ] as const) {
      await memory.conversation.append({ ...place, threadId }, [{ role: "user", text }]);
    }
    await memory.conversation.append({ ...place, threadId: "t3" }, [
      { role: "user", text: "a boiler cut short", complete: false },
    ]);
    const policy = { ...all, history: { messagesMax: 1 } };
    const { items } = await memory.assembleContext(place, { text: "boiler" }, policy);
    expect(items.map(({ source, text }) => [source, text])).toEqual([
      ["history", "the second boiler"],
      ["cross_thread", "the third boiler"],
    ]);
  });

  test("a summary names its sources or is refused; bounds of history hold", async () => {
    const memory = new Memory(ephemeralMemory());
    await expect(memory.summaries.write(place, { text: "x", sourceIds: [] })).rejects.toMatchObject(
      {
        code: "content_source_missing",
      },
    );
    const texts = Array.from({ length: 9 }, (_, i) => ({
      role: "user" as const,
      text: `text ${i}`,
    }));
    await memory.conversation.append(place, texts);
    const stated = async (options: object): Promise<string[]> =>
      (await memory.conversation.history(place, options)).map(({ text }) => text);
    expect(await stated({})).toEqual(texts.map(({ text }) => text));
    expect(await stated({ messagesMax: 2 })).toEqual(["text 7", "text 8"]);
    expect(await stated({ charsMax: 13 })).toEqual(["text 7", "text 8"]);
    expect(await stated({ messagesMax: 0 })).toEqual([]);
  });
});
