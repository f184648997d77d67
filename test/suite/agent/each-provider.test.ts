/**
 * @module The same turns on every provider that keeps memory: what a user gets back, that nobody
 * else does, a verdict from the provider's own evidence, and the operators' commands.
 */
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AnyTool } from "@turnproof/agent";
import { reconcileOutcome } from "@turnproof/evidence";
import { storeSink } from "@turnproof/exporter";
import { EntityMemory } from "@turnproof/memory";
import { deleteUser } from "@turnproof/memory/admin";
import { ephemeral, ephemeralMemory, filesystem, mongodb } from "@turnproof/store";
import type { Provider } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { startEmbeddedPostgres } from "../store/embedded-postgres.ts";

type Opened = Pick<Provider, "evidence" | "memory"> & { readonly close: () => Promise<void> };

const openers: Readonly<Record<string, () => Promise<Opened>>> = {
  ephemeral: async () => ({
    evidence: ephemeral(),
    memory: ephemeralMemory(),
    close: async () => undefined,
  }),
  filesystem: async () => {
    const directory = mkdtempSync(join(tmpdir(), "turnproof-agent-fs-"));
    const provider = await filesystem({ directory });
    const { evidence, memory } = provider;
    const close = async (): Promise<void> => {
      await provider.close();
      await rm(directory, { recursive: true, force: true });
    };
    return { evidence, memory, close };
  },
  "postgres embedded": async () => {
    const started = await startEmbeddedPostgres();
    const { evidence, memory } = await started.open();
    return { evidence, memory, close: () => started.engine.close() };
  },
  // The test's own server: the driver and the protocol are real, the server is not MongoDB.
  "mongodb (test server)": async () => {
    const server = await startMongo();
    const provider = await mongodb({ url: server.url, database: "agent" });
    const { evidence, memory } = provider;
    const close = async (): Promise<void> => {
      await provider.close();
      await server.close();
    };
    return { evidence, memory, close };
  },
};

const lookup: AnyTool = {
  name: "lookup_order",
  description: "Finds an order",
  inputSchema: { type: "object" },
  readOnly: true,
  deterministic: true,
  execute: () => ({ state: "in transit" }),
};
const place = { memoryId: "m1", threadId: "t1" };
const complete = { window_complete: true, truncated: false, normalization_errors: 0 };

describe.each(Object.entries(openers))("on %s", (_name, open) => {
  test("turns, a verdict, isolation, cache and administration", { timeout: 120_000 }, async () => {
    const provider = await open();
    await using server = await startScriptedModel({
      say: (_asked, conversation) => [...new Set(conversation.match(/mark-\w+/g))].join(" "),
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
    const ask = (userId: string | null) =>
      agent.run("Where is my order", { ...place, userId, threadId: `t-${userId}` });
    const results = await Promise.all(users.map(ask));
    expect(results.map(({ text }) => text)).toEqual(users.map((user) => `mark-${user}`));
    const again = await Promise.all(users.map(ask));
    expect(again.map(({ cache }) => cache.decision)).toEqual(["hit", "hit", "hit"]);
    expect(again.map(({ text }) => text)).toEqual(users.map((user) => `mark-${user}`));
    const stranger = await ask("eve");
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

    const legacy = new EntityMemory(memory);
    expect(await legacy.migrateLegacyScope({ memoryId: "m1", userId: "zoe" })).toBe(1);
    expect((await legacy.list({ userId: "zoe", memoryId: "m1" }))[0]?.text).toBe("mark-null");
    const report = await deleteUser(memory, { userId: "ann", dryRun: false });
    expect(report.complete).toBe(true);
    expect(report.deleted).toBeGreaterThan(6);
    const gone = await agent.observabilitySummary({ ...place, userId: "ann" });
    expect(Object.values(gone.memory).every(({ count }) => count === 0)).toBe(true);
    const kept = await agent.observabilitySummary({ ...place, userId: "ben", threadId: "t-ben" });
    expect(kept.memory.conversation.count).toBe(4);
    await provider.close();
  });
});
