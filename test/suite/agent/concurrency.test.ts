/**
 * @module One agent, many users at once: no row, event, cache entry, callback or trace context of
 * one turn is ever another's.
 */
import { setTimeout as wait } from "node:timers/promises";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AgentOptions, AnyTool, RunResult, TurnEvent } from "@turnproof/agent";
import { scopedKinds } from "@turnproof/semconv";
import { ephemeralMemory } from "@turnproof/store";
import { expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const users = Array.from({ length: 50 }, (_, i) => `user_${String(i).padStart(2, "0")}`);

test("100 concurrent turns of 50 users on one agent", async () => {
  // The model repeats the mark that it was asked with, and every mark it sees in its context.
  await using server = await startScriptedModel({
    say: (asked, conversation) => {
      const seen = [...new Set(conversation.match(/mark-\d\d/g))];
      return `${asked.includes("order") ? "The order is there." : "Noted."} ${seen.join(" ")}`;
    },
  });
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL, includeUsage: true })(
    "desk-1",
  );
  const holder: { agent?: Agent } = {};
  const contexts: (readonly [string | null, string | undefined])[] = [];
  const tool: AnyTool = {
    name: "lookup_order",
    description: "Finds an order",
    inputSchema: { type: "object" },
    readOnly: true,
    deterministic: true,
    execute: async (_input: unknown, { userId }) => {
      await wait(1 + (Number(userId?.slice(-2)) % 7));
      contexts.push([userId, holder.agent?.getTraceContext()?.identity.userId ?? undefined]);
      return { of: userId };
    },
  };
  const store = ephemeralMemory();
  const agent = new Agent({ model, store, tools: [tool], cache: {}, agentId: "desk" });
  holder.agent = agent;
  const heard = new Map<string, TurnEvent[]>();
  const ask = async (user: string, round: number): Promise<RunResult> => {
    const mark = `mark-${user.slice(-2)}`;
    const key = `${user}/${round}`;
    heard.set(key, []);
    const options = {
      userId: user,
      memoryId: "m1",
      threadId: `thread-${round}`,
      eventCallback: (event: TurnEvent) => void heard.get(key)?.push(event),
    };
    const question = `Where is my order? I am ${mark}.`;
    let result: RunResult | undefined;
    if (round === 0) result = await agent.run(question, options);
    else {
      for await (const event of agent.runStream(question, options)) {
        if (event.type === "run.done") result = event.result;
        await wait(0);
      }
    }
    // Every caller finds its own turn, whatever the others did meanwhile.
    expect(agent.getTraceContext()?.identity.turnId).toBe(result?.turnId);
    return result!;
  };
  const results = await Promise.all(users.flatMap((user) => [ask(user, 0), ask(user, 1)]));
  expect(results).toHaveLength(100);
  for (const result of results) {
    const mark = `mark-${result.userId?.slice(-2)}`;
    expect([...new Set(result.text.match(/mark-\d\d/g))], result.userId ?? "").toEqual([mark]);
  }
  for (const [asked, found] of contexts) expect(found).toBe(asked);
  for (const [key, events] of heard) {
    const [user] = key.split("/");
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_e, i) => i + 1));
    const done = events.at(-1);
    expect(done?.type === "run.done" ? done.result?.userId : undefined).toBe(user);
  }
  // A second question of each: the cache answers with the asker's own answer or not at all.
  const again = await Promise.all(users.map((user) => ask(user, 0)));
  expect(again.map(({ cache }) => cache.decision)).toEqual(users.map(() => "hit"));
  for (const { text, userId } of again) expect(text).toContain(`mark-${userId?.slice(-2)}`);

  for (const user of users) {
    const mark = `mark-${user.slice(-2)}`;
    for (const kind of scopedKinds) {
      for await (const row of store.admin.rows({ tenant: user }, kind)) {
        const marks = new Set(JSON.stringify(row).match(/mark-\d\d/g));
        expect(
          [...marks].filter((found) => found !== mark),
          `${user} ${kind}`,
        ).toEqual([]);
      }
    }
    const events = await observed.events(user);
    const turns = new Set(results.filter((r) => r.userId === user).map((r) => r.turnId));
    for (const { turnId } of again.filter((r) => r.userId === user)) turns.add(turnId);
    expect(new Set(events.map(({ turn_id }) => turn_id))).toEqual(turns);
    expect(ofKind(events, "turn")).toHaveLength(3);
    const reads = events.filter(({ operation }) => operation === "search_memory");
    expect(reads.every(({ attributes }) => attributes.foreign_rows === 0)).toBe(true);
    expect(reads.every(({ attributes }) => attributes.scope_applied === "user")).toBe(true);
  }
  expect(await observed.text([...users, null])).not.toContain("mark-");
});

test("metadata of an adapter is never another turn's", async () => {
  await using server = await startScriptedModel();
  const real = createOpenAICompatible({ name: "m", baseURL: server.baseURL, includeUsage: true })(
    "desk-1",
  );
  let last: object = {};
  // An adapter with one "last response" for all: the protocol's own weakness under concurrency.
  const adapter = Object.assign(Object.create(real) as AgentOptions["model"], {
    doGenerate: async (options: Parameters<typeof real.doGenerate>[0]) => {
      const asked = JSON.stringify(options.prompt).match(/slow-\d+|fast/)?.[0] ?? "";
      const result = await real.doGenerate(options);
      if (asked.startsWith("slow")) await wait(Number(asked.slice(5)));
      last = { request_id: `req-${asked}`, max_output_tokens: 77 };
      return { ...result, response: { ...result.response, headers: {} } };
    },
    getLastResponseMetadata: () => last,
  });
  const agent = new Agent({ model: adapter, store: ephemeralMemory() });
  const alone = await agent.run("fast", { userId: "u1" });
  expect(alone.response).toMatchObject({ requestId: "req-fast", maxOutputTokens: 77 });
  const both = await Promise.all(
    ["slow-30", "slow-10", "fast"].map((asked, i) => agent.run(asked, { userId: `u${i}` })),
  );
  for (const { response } of both) {
    expect(response).toMatchObject({ requestId: null, maxOutputTokens: null });
  }
});
