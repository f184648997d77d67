/**
 * @module What limits a search is reported: to the caller, in the turn's evidence, on its page,
 * in Health and by `doctor`. A partial answer never looks like a whole one.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import type { AgentOptions, RunResult } from "@turnproof/agent";
import { readSupply } from "@turnproof/evidence";
import { Memory } from "@turnproof/memory";
import type { Embedder, ScopeProof } from "@turnproof/memory";
import { memoryCollections, scopedKinds } from "@turnproof/semconv";
import type { SharedKind } from "@turnproof/semconv";
import { ephemeralMemory, mongodb } from "@turnproof/store";
import type { MemoryStore } from "@turnproof/store";
import { expect, test } from "vitest";

import { startMongo } from "../../servers/mongodb.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { openCollector } from "./collector-on-port.ts";
import { observe, ofKind } from "./observed.ts";

const observed = observe();
const launcher = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const place = { userId: "ann", agentId: "agent", memoryId: "m1" };

/** A memory in which a question of thread `now` finds more than eight earlier messages. */
async function fill(store: MemoryStore, count = 12): Promise<void> {
  const { conversation } = new Memory(store);
  for (let n = 0; n < count; n += 1) {
    const text = `the parcel number ${n} went to the harbour`;
    await conversation.append({ ...place, threadId: `old_${n}` }, [{ role: "user", text }]);
  }
}

async function requestOn(store: MemoryStore, embedder?: object): Promise<RunResult> {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const agent = new Agent({ model, store, ...embedder });
  return await agent.run("Which parcel went to the harbour?", { ...place, threadId: "now" });
}

test("a search that met its bound degrades the supply, with its code, on the page as well", async () => {
  const server = await startMongo();
  const provider = await mongodb({ url: server.url, database: "limits", exactRowsMax: 8 });
  try {
    await fill(provider.memory);
    const proofs: ScopeProof[] = [];
    const memory = new Memory(provider.memory, { onRead: (proof) => proofs.push(proof) });
    const { record } = await memory.assembleContext(place, { text: "which parcel" });
    const limits = ["vector_index_missing", "memory_search_bounded"];
    expect(record).toMatchObject({ bounded: true, degraded: true, limits });
    expect(proofs.find(({ kind }) => kind === "conversation")?.limits).toEqual(limits);
    expect(proofs.find(({ kind }) => kind === "summary")?.limits).toEqual([]);

    const { supply, traceContext } = await requestOn(provider.memory);
    expect(supply).toMatchObject({ bounded: true, degraded: true, fallback_used: true, limits });
    const events = await observed.events("ann", traceContext.rootTraceId);
    for (const kind of ["memory_retrieval", "memory_supply"]) {
      expect(ofKind(events, kind)[0]?.attributes).toMatchObject({
        memory_degraded: true,
        memory_fallback_used: true,
        fallback_reason: "vector_index_missing",
      });
    }
    expect(readSupply(events).degraded_reasons).toEqual(["vector_index_missing"]);
    await using collector = await openCollector({ store: observed.store });
    const page = await fetch(`${collector.url}/traces/${traceContext.rootTraceId}`);
    const html = await page.text();
    expect([page.status, html.includes("vector_index_missing")]).toEqual([200, true]);
  } finally {
    await provider.close();
    await server.close();
  }
});

test("a whole search says nothing, an embedder that failed or changed says which", async () => {
  const store = ephemeralMemory();
  await fill(store, 3);
  const whole = await requestOn(store);
  expect(whole.supply).toMatchObject({ bounded: false, degraded: false, limits: [] });
  const events = await observed.events("ann", whole.traceContext.rootTraceId);
  expect(ofKind(events, "memory_supply")[0]?.attributes.fallback_reason).toBeUndefined();
  const embedder = { provider: "p", modelId: "m" };
  const failing = { ...embedder, doEmbed: () => Promise.reject(new Error("canary-embedder")) };
  const failed = await requestOn(store, { embedder: failing });
  expect(failed.supply).toMatchObject({ degraded: true, limits: ["embedder_failed"] });
  const other = { ...embedder, doEmbed: async () => ({ embeddings: [[1, 0]] }) };
  const changed = await requestOn(store, { embedder: other });
  expect(changed.supply).toMatchObject({ bounded: false, degraded: true, fallback_used: false });
  expect(changed.supply?.limits).toEqual(["embedding_model_other"]);
});

test("an index without the tenant's filter is in Health, on its page, and said by doctor", async () => {
  const server = await startMongo({ search: true, refuseIndexUpdates: true });
  const vector = { type: "vector", path: "embedding", numDimensions: 2, similarity: "cosine" };
  for (const kind of scopedKinds) {
    server.defineSearchIndex(memoryCollections[kind], "vector", [vector]);
  }
  const provider = await mongodb({ url: server.url, manageIndexes: false });
  try {
    const { memory } = provider;
    await using collector = await openCollector({ store: observed.store, memory });
    const health = await fetch(`${collector.url}/traces/health.json`);
    expect(((await health.json()) as { collector: object }).collector).toMatchObject({
      memory: { name: "mongodb", ok: true, code: null, diagnostics: ["vector_index_unscoped"] },
    });
    const page = await (await fetch(`${collector.url}/traces/health`)).text();
    expect(page).toContain("vector_index_unscoped");
    const flags = [launcher, "doctor", "--json"];
    const env = {
      PATH: process.env["PATH"],
      TURNPROOF_BACKEND: "ephemeral",
      TURNPROOF_MEMORY_BACKEND: "mongodb",
      DOCUMENT_DB_URI: server.url,
    };
    const { stdout } = await promisify(execFile)(process.execPath, flags, { env });
    expect((JSON.parse(stdout) as { checks: object[] }).checks).toContainEqual({
      check: "memory",
      state: "warn",
      message: expect.stringContaining("vector_index_unscoped: "),
    });
    expect(server.commands).not.toContain("updateSearchIndex");
  } finally {
    await provider.close();
    await server.close();
  }
});

test("attributes behind more entities than are read are told as missing", async () => {
  const store = ephemeralMemory();
  const memory = new Memory(store);
  await memory.entities.remember(place, { name: "allergy", role: "profile", text: "peanuts" });
  const reported = async (): Promise<readonly unknown[]> => {
    const { record } = await memory.assembleContext(place, { text: "what may I eat" });
    return [record.profile_attribute_names.includes("allergy"), record.degraded, record.limits];
  };
  const draft = { data: { name: "thing", role: "entity" } };
  for (let n = 0; n < 1_000; n += 1) {
    if (n === 999) expect(await reported()).toEqual([true, false, []]);
    const created_at = new Date(Date.now() + 60_000 + n).toISOString();
    const filter = { tenant: place.userId, memoryId: place.memoryId };
    await store.put(filter, "entity", { ...draft, id: `thing_${n}`, created_at });
  }
  expect(await reported()).toEqual([false, true, ["memory_search_bounded"]]);
});

test("rows of operators behind those that a turn reads are told as missing", async () => {
  await using server = await startScriptedModel();
  const model = createOpenAICompatible({ name: "m", baseURL: server.baseURL })("desk-1");
  const limits = ["memory_search_bounded"];
  const vectors = async ({ values }: { readonly values: readonly string[] }): Promise<object> => ({
    embeddings: values.map((text) => [text.includes("harbour") ? 1 : 0, 1]),
  });
  const embedder = { provider: "p", modelId: "m", doEmbed: vectors } as Embedder;
  const toolServers = { connect: () => ({ tools: async () => ({}), close: async () => {} }) };
  const cases: readonly (readonly [SharedKind, number, Partial<AgentOptions>])[] = [
    ["shared_memory", 1_000, {}],
    ["shared_memory", 100, { embedder }],
    ["skill", 1_000, {}],
    ["toolbox_entry", 1_000, { toolbox: [] }],
    ["tool_server", 100, { toolServers }],
  ];
  for (const [kind, max, options] of cases) {
    const agent = new Agent({ model, store: ephemeralMemory(), cache: {}, ...options });
    const rows = agent.memory.shared.of(kind);
    await rows.put("first", {}, "the harbour opens at nine");
    for (let n = 1; n < max; n += 1) await rows.put(`row_${n}`, { enabled: false }, `thing ${n}`);
    const question = "When does the harbour open?";
    const whole = await agent.run(question, { ...place, threadId: "whole", cache: "bypass" });
    expect([kind, whole.supply]).toMatchObject([kind, { degraded: false, limits: [] }]);
    const isRead = kind === "skill" || kind === "shared_memory";
    expect(server.bodies.at(-1)?.includes("the harbour opens at nine")).toBe(isRead);
    await rows.put("last", { enabled: false }, "one thing more");
    const cut = await agent.run(question, { ...place, threadId: "cut" });
    expect(cut.supply).toMatchObject({ degraded: true, bounded: true, limits });
    expect(cut.cache).toMatchObject({ decision: "miss", admitted: false });
    const events = await observed.events("ann", cut.traceContext.rootTraceId);
    const stated = { memory_degraded: true, fallback_reason: "memory_search_bounded" };
    expect(ofKind(events, "memory_supply")[0]?.attributes).toMatchObject(stated);
    const reads = ofKind(events, "memory_operation").filter(
      ({ attributes }) => attributes.fallback_reason !== undefined,
    );
    expect(reads.map(({ attributes }) => attributes)).toMatchObject([
      { ...stated, scope_applied: "shared", record_count: max },
    ]);
  }
});

test("operators' rows that no embedder could compare are told as such", async () => {
  const store = ephemeralMemory();
  const facts = new Memory(store).shared.of("shared_memory");
  for (let n = 0; n < 6; n += 1) await facts.put(`fact_${n}`, {}, `fact ${n}`);
  // The question alone is compared, as retrieval does; the rows are not.
  const doEmbed = ({ values }: { readonly values: readonly string[] }): Promise<object> =>
    values.length > 3
      ? Promise.reject(new Error("canary-embedder"))
      : Promise.resolve({ embeddings: values.map(() => [1, 0]) });
  const { supply } = await requestOn(store, { embedder: { provider: "p", modelId: "m", doEmbed } });
  expect(supply).toMatchObject({
    degraded: true,
    bounded: false,
    fallback_used: true,
    limits: ["embedder_failed"],
  });
});
