/**
 * @module The same turns on every provider that keeps memory: what a user gets back, that no one
 * else does, a verdict from the provider's own evidence, and the operators' commands.
 */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AnyTool } from "@turnproof/agent";
import { reconcileOutcome } from "@turnproof/evidence";
import { storeSink } from "@turnproof/exporter";
import { EntityMemory, Memory } from "@turnproof/memory";
import type { RecalledRow } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { scopedKinds } from "@turnproof/semconv";
import { unscoped } from "@turnproof/store/admin";
import { describe, expect, test } from "vitest";

import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { providers } from "./providers.ts";
import type { OpenProvider } from "./providers.ts";

const lookup: AnyTool = {
  name: "lookup_order",
  description: "Finds an order",
  inputSchema: { type: "object" },
  readOnly: true,
  deterministic: true,
  execute: () => ({ state: "in transit" }),
};
const place = { memoryId: "m1", threadId: "t1" };
const complete = {
  window_complete: true,
  truncated: false,
  normalization_errors: 0,
  read_completeness: "complete" as const,
};

describe.each(Object.entries(providers))("on %s", (_name, open) => {
  test("turns, a verdict, isolation, cache and administration", { timeout: 120_000 }, async () => {
    const provider = await open();
    await using server = await startScriptedModel({
      print: (_asked, conversation) => [...new Set(conversation.match(/mark-\w+/g))].join(" "),
    });
    const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
    const sink = storeSink({ store: provider.evidence, applicationId: "desk" });
    const { memory, evidence } = provider;
    const common = { model, store: memory, sink, strict: true, tools: [lookup], evidence };
    const agent = new Agent({ ...common, cache: {}, agentId: "desk" });
    const users = ["ann", "ben", null];
    for (const userId of users) {
      const where = { ...place, agentId: "desk", userId };
      const fact = { name: "mark", role: "profile", text: `mark-${userId}` } as const;
      await agent.memory.entities.remember(where, fact);
    }
    const fetchAnswer = (userId: string | null) =>
      agent.run("Where is my order", { ...place, userId, threadId: `t-${userId}` });
    const results = await Promise.all(users.map(fetchAnswer));
    expect(results.map(({ text }) => text)).toEqual(users.map((user) => `mark-${user}`));
    const again = await Promise.all(users.map(fetchAnswer));
    expect(again.map(({ cache }) => cache.decision)).toEqual(["hit", "hit", "hit"]);
    expect(again.map(({ text }) => text)).toEqual(users.map((user) => `mark-${user}`));
    const stranger = await fetchAnswer("eve");
    expect(stranger).toMatchObject({ text: "", supply: { profile_count: 0, history_count: 0 } });

    const [{ traceContext }] = results as [(typeof results)[0]];
    const recorder = agent.recorder(traceContext);
    const source = { resourceType: "page", ref: "p1", version: "1", ownershipVerified: true };
    const card = { resourceType: "card", ref: "c1", version: "1" };
    await recorder.recordIntent("make_card", { expectedArtifactTypes: ["card"], taskId: "k" });
    const span = recorder.startSpan("save_card", { taskId: "k", inputRefs: [source] });
    await span.succeed({ outputRefs: [card] });
    await recorder.recordArtifact(card, {
      taskId: "k",
      inputRefs: [source],
      producingSpanId: span.spanId,
      persistenceVerified: true,
    });
    const delivered = { taskId: "k", emitted: true, acknowledged: true, inputRefs: [card] };
    await recorder.recordDelivery("view", delivered);
    const { rootTraceId } = traceContext;
    const slice = await evidence.root({ tenant: "ann" }, rootTraceId, { limit: 1_000 });
    const verdict = reconcileOutcome(slice.events, { normalizationMetadata: complete });
    expect(verdict.findings).toEqual([]);
    expect(verdict.status).toBe("success");
    const foreign = await evidence.root({ tenant: "ben" }, rootTraceId, { limit: 1_000 });
    expect(foreign.events).toEqual([]);
    expect(JSON.stringify(slice)).not.toContain("mark-");

    await agent.recordFeedback({ traceContext, rating: 1, comment: "fine", includeComment: true });
    const summary = await agent.observabilitySummary({
      ...place,
      userId: "ann",
      threadId: "t-ann",
    });
    expect(summary.memory).toMatchObject({ conversation: { count: 4 }, feedback: { count: 1 } });
    expect(summary.evidence?.turns).toBe(2);

    await cacheRules(provider);
    await migrateLegacy(provider);
    await deleteAnn(provider);
    const gone = await agent.observabilitySummary({ ...place, userId: "ann" });
    expect(Object.values(gone.memory).every(({ count }) => count === 0)).toBe(true);
    const kept = await agent.observabilitySummary({ ...place, userId: "ben", threadId: "t-ben" });
    expect(kept.memory.conversation.count).toBe(4);
    await provider.close();
  });
});

/** What the cache may answer with, over rows that went through the provider. */
async function cacheRules({ memory: store }: OpenProvider): Promise<void> {
  const at = { userId: "ben", agentId: "cache", memoryId: "m9" };
  const plain = { model: "m", instructions: "", tools: [] };
  const request = (query: string, selected: readonly RecalledRow[] = []) => ({
    ...plain,
    query,
    recalled: { selected, considered: selected },
  });
  const fine = { turnId: "t", readOnly: true, deterministic: true, finished: true };
  const answer = { ...fine, degraded: false, answer: "at nine" };
  const cache = new Memory(store).cache();
  const decide = async (query: string, recalled?: readonly RecalledRow[], userId = "ben") => {
    const { decision, reason } = await cache.lookup({ ...at, userId }, request(query, recalled));
    return [decision, reason];
  };
  const longAgo = new Date(Date.now() - 7_200_000).toISOString();
  const past = new Memory(store, { clock: () => longAgo }).cache();
  const old = "how heavy may a letter to norway be";
  expect(await past.admit(at, request(old), answer)).toMatchObject({ admitted: true });
  expect(await decide(old)).toEqual(["miss", "nothing_similar"]);
  const open = "when does the shop on the corner open";
  const shop = { source: "entity", id: "shop", text: "shop: it opens late" } as const;
  const sunday = { source: "entity", id: "sunday", text: "sunday: a holiday" } as const;
  const recalled = [shop, sunday];
  const row = { data: { name: "shop", role: "entity" }, created_at: longAgo };
  await store.put({ tenant: "ben", memoryId: "m9" }, "entity", {
    ...row,
    id: "shop",
    text: "it opens late",
  });
  const lasting = new Memory(store).cache({ ttlSeconds: 86_400 });
  await lasting.admit(at, request(open, recalled), answer);
  expect(await decide(open, recalled)).toEqual(["hit", "same_request"]);
  expect(await decide(open, [sunday])).toEqual(["hit", "same_request"]);
  // The row of the other is nowhere, so what the answer rested on is gone.
  expect(await decide(open, [shop])).toEqual(["rejected", "memory_changed"]);
  expect(await decide(open, recalled, "ann")).toEqual(["miss", "nothing_similar"]);
  const refused = await cache.admit(at, request(open), { ...answer, readOnly: false });
  expect(refused).toEqual({ admitted: false, reason: "side_effect" });
}

/** The anonymous rows of one exact memory go to a user, who keeps what they had already. */
async function migrateLegacy({ memory }: OpenProvider): Promise<void> {
  const entities = new EntityMemory(memory);
  const legacy = { memoryId: "m1" };
  const named = (name: string, text: string) => ({ name, role: "profile", text }) as const;
  await entities.remember(legacy, named("dog", "mark-dog"));
  await entities.remember({ memoryId: "m2" }, named("mark", "mark-elsewhere"));
  const zoe = { userId: "zoe", memoryId: "m1" };
  await entities.remember(zoe, named("dog", "her own dog"));
  const texts = async (at: object): Promise<string[]> =>
    (await entities.list(at)).map(({ text }) => text).toSorted();
  expect(await entities.migrateLegacyScope({ memoryId: "m1", userId: "zoe" })).toBe(1);
  expect(await texts(zoe)).toEqual(["her own dog", "mark-null"]);
  expect(await texts(legacy)).toEqual(["mark-dog"]);
  expect(await texts({ memoryId: "m2" })).toEqual(["mark-elsewhere"]);
  expect(await entities.migrateLegacyScope({ memoryId: "m1", userId: "zoe" })).toBe(0);
  for (const [memoryId, userId] of [
    ["", "zoe"],
    ["m1", ""],
  ] as const) {
    const refused = entities.migrateLegacyScope({ memoryId, userId });
    await expect(refused).rejects.toMatchObject({ code: "identity_empty" });
  }
}

/** Everything of one user goes, and what has expired. */
async function deleteAnn({ memory }: OpenProvider): Promise<void> {
  const expired = { id: "old", data: {}, text: "old", created_at: "2020-01-01T00:00:00.000Z" };
  const filter = { tenant: "ann", agentId: "desk" };
  const draft = { ...expired, expires_at: "2020-01-02T00:00:00.000Z" };
  await memory.put(filter, "semantic_cache", draft);
  expect(await memory.get(filter, "semantic_cache", "old")).toBeUndefined();
  const plan = await deleteUser(memory, { userId: "ann" });
  expect(plan.kinds.map(({ kind }) => kind)).toEqual(scopedKinds);
  expect(plan).toMatchObject({ dry_run: true, deleted: 0, complete: false });
  const report = await deleteUser(memory, { userId: "ann", dryRun: false });
  expect(report).toMatchObject({ complete: true, found: plan.found, deleted: plan.found });
  expect(report.deleted).toBeGreaterThan(6);
  const owners = new Set<string | null>();
  for (const kind of scopedKinds) {
    for await (const row of memory.admin.rows(unscoped, kind)) owners.add(row.user_id);
  }
  expect(owners).toEqual(new Set(["ben", "eve", "zoe", null]));
}
