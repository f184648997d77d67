/**
 * @module The support desk with memory, as processes: the app, its worker, real OTLP, a collector.
 * Its refund reconciles to success, the unconfirmed one does not, and no word of a user is
 * stored.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { Agent } from "@turnproof/agent";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { mountAgents } from "turnproof";
import { describe, expect, test } from "vitest";

import type { Morning } from "../../apps/support-desk-memory/main.ts";
import { openMemory } from "../../apps/support-desk-memory/open-memory.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";
import { startPostgres } from "../../servers/postgres.ts";
import { openCollector } from "./collector-on-port.ts";

const app = join(import.meta.dirname, "../../apps/support-desk-memory/main.ts");

interface Verdict {
  readonly status: string;
  readonly findings: readonly unknown[];
}

async function verdictOf(url: string, root: string, task: string): Promise<Verdict> {
  const query = new URLSearchParams({
    agent_id: "support-desk-memory",
    root_trace_id: root,
    task_id: task,
  });
  const response = await fetch(`${url}/traces/reconcile.json?${query}`);
  const body = (await response.json()) as Verdict & { readonly verdict?: Verdict };
  return body.verdict ?? body;
}

/** One morning with memory in the place of the variables; what was sent is judged and searched. */
async function playMorning(memory: Readonly<Record<string, string>>, hits = 1): Promise<void> {
  const store = ephemeral();
  await using collector = await openCollector({ store });
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "@turnproof/source", app], {
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...memory },
  });
  const morning = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Morning;
  expect(morning).toMatchObject({
    turns: 10,
    failed: 1,
    foreignCarrier: "carrier_scope_mismatch",
  });
  expect(morning.cacheDecisions.filter((decision) => decision === "hit")).toHaveLength(hits);
  // What was acknowledged may still be on its way from the journal to the store.
  const { url } = collector;
  await expect
    .poll(() => verdictOf(url, morning.refundRoot, "refund_cust_ada"), { timeout: 60_000 })
    .toMatchObject({ status: "success", findings: [] });
  await expect
    .poll(() => verdictOf(url, morning.unconfirmedRoot, "refund_cust_ben"), { timeout: 60_000 })
    .toMatchObject({ status: "partial", findings: [{ code: "delivery_unconfirmed" }] });
  const slices = await Promise.all(
    ["cust_ada", "cust_ben", null].map((tenant) => store.page({ tenant }, {}, { limit: 1_000 })),
  );
  expect(slices.every(({ events }) => events.length > 0)).toBe(true);
  expect(JSON.stringify(slices)).not.toMatch(
    /Lisbon|grandmother|short and dry|poem|arranged|refund for order/,
  );
}

describe("a morning at the desk: two processes, one carrier, one verdict", () => {
  test("with memory in files", { timeout: 120_000 }, async () => {
    const directory = await mkdtemp(join(tmpdir(), "turnproof-desk-files-"));
    await playMorning({ MEMORY_DIR: directory });
    await using memory = await openMemory({ MEMORY_DIR: directory });
    expect(await memory.count({ tenant: "cust_ada" }, "conversation")).toBeGreaterThan(3);
    await rm(directory, { recursive: true, force: true });
  });

  test("with memory in a PostgreSQL, twice: the second knows what the first left", async () => {
    const server = await startPostgres();
    const url = server.url(await server.createDatabase());
    const counts: number[] = [];
    // Next morning the policy question is answered from the cache where the first morning's answer
    // was kept: one was given in a thread that had a history, and belongs to that conversation.
    for (const hits of [1, 2]) {
      await playMorning({ MEMORY_POSTGRES_URL: url }, hits);
      await using memory = await openMemory({ MEMORY_POSTGRES_URL: url });
      counts.push(await memory.count({ tenant: "cust_ada" }, "conversation"));
      expect(await memory.count({ tenant: "cust_ada" }, "entity")).toBe(2);
      expect(await memory.count({ tenant: null }, "conversation")).toBe(2 * counts.length);
    }
    expect(counts[1]).toBe(2 * (counts[0] ?? 0));
    await server.close();
  }, 240_000);
});

test("a collector runs mounted agents for the tenant that it decided", async () => {
  await using model = await startScriptedModel();
  const provider = createOpenAICompatible({ name: "m", baseURL: model.baseURL });
  const agent = new Agent({ model: provider("desk-1"), store: ephemeralMemory(), agentId: "desk" });
  await using collector = await openCollector({
    store: ephemeral(),
    agents: mountAgents({ desk: agent }),
  });
  const post = (path: string, form: Record<string, string>): Promise<Response> =>
    fetch(`${collector.url}${path}`, { method: "POST", body: new URLSearchParams(form) });
  const form = { query: "Hello", user_id: "ann", memory_id: "m1", thread_id: "t1" };
  const answer = await post("/agents/desk/run", form);
  expect(await answer.json()).toMatchObject({
    text: "Happy to help with that.",
    status: "success",
    user_id: "ann",
    thread_id: "t1",
    usage: { cached_tokens: null },
    persisted: { conversation: 2 },
  });
  const stream = await post("/agents/desk/playground/stream", form);
  const body = await stream.text();
  const names = [...body.matchAll(/^event: (.+)$/gm)].map(([, name]) => name);
  expect(names[0]).toBe("run.started");
  expect(names.at(-1)).toBe("run.done");
  expect(body).toContain('"turn_id"');
  const place = { userId: "ann", agentId: "desk", memoryId: "m1", threadId: "t1" };
  expect(await agent.memory.conversation.history(place)).toHaveLength(4);
  expect((await post("/agents/nobody/run", form)).status).toBe(404);
});
