/**
 * @module A turn on each provider, memory and evidence, by OTLP through a collector on a port, to a
 * verdict — and none of the words of the conversation anywhere but in memory: not in the journal,
 * the store, the audit, the log, the metrics or a page.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { deleteUser } from "@turnproof/memory/admin";
import { CodedError, scopedKinds } from "@turnproof/semconv";
import type { EvidenceStore } from "@turnproof/store";
import { describe, expect, test } from "vitest";

import { openCollector } from "./collector-on-port.ts";
import type { PortedCollector } from "./collector-on-port.ts";
import type { MarkedRun } from "./marked-desk.ts";
import { marksIn } from "./marks.ts";
import type { Way } from "./marks.ts";
import { evidencePlaces, filesUnder } from "./stored-evidence.ts";

const app = join(import.meta.dirname, "marked-desk.ts");
const token = "operator-q7KxZt4Wm9Rc2Yd8";
const headers = { authorization: `Bearer ${token}` };

/** Words that only the model and the app's own process ever had: memory keeps none of them. */
const neverKept: ReadonlySet<Way> = new Set<Way>([
  "instructions",
  "toolDescription",
  "context",
  "provenanceField",
  "callbackError",
  "embedderError",
  "hashedComment",
  "hostError",
  "hostField",
  "spanName",
  "spanAttribute",
  "spanEvent",
  "spanStatus",
]);

/** A store that is away until it is let in, so that what arrives waits in the journal. */
function gated(store: EvidenceStore): { readonly store: EvidenceStore; readonly open: () => void } {
  let away = true;
  const append: EvidenceStore["append"] = (batch) =>
    away ? Promise.reject(new CodedError("store_unavailable")) : store.append(batch);
  return { store: { ...store, append }, open: () => (away = false) };
}

async function runApp(url: string, env: Readonly<Record<string, string>>): Promise<MarkedRun> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "@turnproof/source", app], {
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env },
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as MarkedRun;
}

async function verdictOf({ url }: PortedCollector, run: MarkedRun): Promise<object> {
  const query = new URLSearchParams({
    agent_id: "marked",
    root_trace_id: run.root,
    task_id: run.task,
  });
  const response = await fetch(`${url}/traces/reconcile.json?${query}`, { headers });
  const body = (await response.json()) as { verdict?: object };
  return body.verdict ?? body;
}

/** Marks in any of these, each once. */
const found = (stored: readonly (string | Buffer)[]): Way[] => [
  ...new Set(stored.flatMap((piece) => marksIn(piece))),
];

const pages = (root: string): readonly string[] => [
  "/traces",
  "/traces/turns.json",
  "/traces/events.json?limit=1000",
  "/traces/events.json?view=bundles",
  `/traces/${root}`,
  `/traces/${root}.json`,
  "/traces/health.json",
  "/traces/analysis.json?agent_id=marked",
  "/agents.json",
  "/agents/marked",
  "/threads.json",
  "/learning.json",
  "/memory?user_id=ann",
  "/threads/t1?user_id=ann",
  "/traces/events.json?store=all&user_id=ann&limit=1000",
  "/traces/events.json?store=conversation&user_id=ann",
  "/traces/events.json?store=tool_log&user_id=ann",
  "/metrics",
];

describe.each(Object.entries(evidencePlaces))("on %s", (name, open) => {
  test("a verdict of success, and no word outside of memory", { timeout: 240_000 }, async () => {
    const place = await open();
    const gate = gated(place.store);
    {
      await using shared = place.sharesMemory ? await place.memory?.() : undefined;
      await using collector = await openCollector({
        store: gate.store,
        env: { TURNPROOF_UI_AUTH_TOKEN: token, TURNPROOF_MEMORY_BACKEND: "ephemeral" },
        ...(shared === undefined ? {} : { memory: shared }),
      });
      const run = await runApp(collector.url, place.memoryEnv);
      expect(run).toMatchObject({
        decisions: ["miss", "hit"],
        statuses: ["rejected", "success", "rejected"],
        summaries: 1,
        refused: "attribute_unknown",
      });
      // Everything waits in the journal now: the agent's name is there, its words are not.
      const journal = filesUnder(collector.dataDir);
      expect(journal.some((file) => file.includes("marked-desk"))).toBe(true);
      expect(found(journal)).toEqual([]);

      gate.open();
      await expect
        .poll(() => verdictOf(collector, run), { timeout: 120_000, interval: 200 })
        .toMatchObject({ status: "success" });
      expect(await verdictOf(collector, run)).toMatchObject({ findings: [], verified: true });
      for (const path of pages(run.root)) {
        const response = await fetch(`${collector.url}${path}`, { headers });
        expect([path, response.status, marksIn(await response.text())]).toEqual([path, 200, []]);
      }
      // Where the collector holds that memory it counts its rows, and shows none of their words.
      const rows = await fetch(`${collector.url}/memory.json?user_id=ann`, { headers });
      const { total } = (await rows.json()) as { total: number };
      expect(total > 0).toBe(place.sharesMemory);
      expect(readFileSync(join(collector.dataDir, "audit.jsonl"), "utf8")).toContain("route");
      expect(found([collector.log(), ...filesUnder(collector.dataDir)])).toEqual([]);
      expect(filesUnder(collector.dataDir).some((file) => file.includes("marked"))).toBe(true);
      const evidence = await place.atRest();
      expect(evidence.some((piece) => piece.includes(run.root))).toBe(true);
      expect(found(evidence)).toEqual([]);
    }
    if (place.memory !== undefined) {
      const kept = found(await place.memoryAtRest());
      expect(kept.filter((way) => neverKept.has(way))).toEqual([]);
      expect(kept).toEqual(
        expect.arrayContaining(["query", "refused", "comment", "toolError", "toolName"]),
      );
      await using memory = await place.memory();
      const plan = await deleteUser(memory, { userId: "ann" });
      expect(plan.kinds.map(({ kind }) => kind)).toEqual(scopedKinds);
      // An agent writes every kind but the words of imported bundles.
      const empty = plan.kinds.filter((kind) => kind.found === 0).map(({ kind }) => kind);
      expect(empty).toEqual(["trace_content"]);
      expect(plan).toMatchObject({ dry_run: true, deleted: 0, complete: false });
      const report = await deleteUser(memory, { userId: "ann", dryRun: false });
      expect(report).toMatchObject({ found: plan.found, deleted: plan.found, complete: true });
      const left = await deleteUser(memory, { userId: "ben" });
      expect(left.found, name).toBeGreaterThan(3);
    }
    await place.close();
  });
});
