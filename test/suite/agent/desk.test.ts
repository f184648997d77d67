/**
 * @module The support desk with memory, as processes: the app, its worker, real OTLP, a collector.
 * Its refund reconciles to success, the one nobody confirmed does not, and no word of anybody is
 * stored.
 */
import { execFile } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { serve } from "@hono/node-server";
import { Agent, mountAgents } from "@turnproof/agent";
import { ephemeral, ephemeralMemory } from "@turnproof/store";
import { createCollector, parseConfig } from "turnproof";
import type { AgentPort } from "turnproof";
import { expect, test } from "vitest";

import type { Morning } from "../../apps/support-desk-memory/main.ts";
import { startScriptedModel } from "../../servers/openai-compatible.ts";

const app = join(import.meta.dirname, "../../apps/support-desk-memory/main.ts");
const quiet = { info: (): void => {}, warn: (): void => {}, error: (): void => {} };

async function openCollector(agents?: AgentPort) {
  const config = parseConfig({
    TURNPROOF_BACKEND: "ephemeral",
    TURNPROOF_DATA_DIR: mkdtempSync(join(tmpdir(), "turnproof-desk-memory-")),
  });
  const store = ephemeral();
  const collector = await createCollector({
    config,
    log: quiet,
    store,
    judge: false,
    ...(agents === undefined ? {} : { hooks: { agents } }),
  });
  const server = serve({ fetch: collector.app.fetch, hostname: "127.0.0.1", port: 0 });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    store,
    async [Symbol.asyncDispose]() {
      collector.endStreams();
      server.close();
      await collector.close(1_000);
    },
  };
}

test(
  "a morning at the desk: two processes, one carrier, one verdict",
  { timeout: 60_000 },
  async () => {
    await using collector = await openCollector();
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ["-C", "@turnproof/source", app],
      {
        env: {
          ...process.env,
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          MEMORY_DIR: mkdtempSync(join(tmpdir(), "turnproof-desk-files-")),
        },
      },
    );
    const morning = JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as Morning;
    expect(morning).toMatchObject({
      turns: 10,
      failed: 1,
      foreignCarrier: "carrier_scope_mismatch",
    });
    expect(morning.cacheDecisions.filter((decision) => decision === "hit")).toHaveLength(1);
    const verdictOf = async (root: string, task: string): Promise<Record<string, unknown>> => {
      const query = new URLSearchParams({
        agent_id: "support-desk-memory",
        root_trace_id: root,
        task_id: task,
      });
      for (let attempt = 0; ; attempt += 1) {
        const response = await fetch(`${collector.url}/traces/reconcile.json?${query}`);
        const body = (await response.json()) as {
          verdict?: Record<string, unknown>;
          status?: unknown;
        };
        const verdict = body.verdict ?? body;
        if ((response.ok && verdict["status"] !== "unknown") || attempt > 50) return verdict;
        await sleep(100);
      }
    };
    const good = await verdictOf(morning.refundRoot, "refund_cust_ada");
    expect(good["findings"]).toEqual([]);
    expect(good["status"]).toBe("success");
    const open = await verdictOf(morning.unconfirmedRoot, "refund_cust_ben");
    expect(open["status"]).toBe("partial");
    expect(JSON.stringify(open["findings"])).toContain("delivery_unconfirmed");
    const slices = await Promise.all(
      ["cust_ada", "cust_ben", null].map((tenant) =>
        collector.store.page({ tenant }, {}, { limit: 1_000 }),
      ),
    );
    const text = JSON.stringify(slices);
    expect(slices.every(({ events }) => events.length > 0)).toBe(true);
    expect(text).not.toMatch(/Lisbon|grandmother|short and dry|poem|arranged|refund for order/);
  },
);

test("a collector runs mounted agents for the tenant that it decided", async () => {
  await using model = await startScriptedModel();
  const provider = createOpenAICompatible({ name: "m", baseURL: model.baseURL });
  const agent = new Agent({ model: provider("desk-1"), store: ephemeralMemory(), agentId: "desk" });
  await using collector = await openCollector(mountAgents({ desk: agent }));
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
