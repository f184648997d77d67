/**
 * @module From three lines of set-up to a verdict: a real app process, real OTLP, the real
 * collector
 * with its embedded engine. Each fact that is left out breaks the verdict, with its reason.
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const app = join(import.meta.dirname, "instrumented-app.ts");
const dataDir = mkdtempSync(join(tmpdir(), "turnproof-verdict-"));
let collector: CollectorChild;

beforeAll(async () => {
  collector = await startCollector(dataDir);
});
afterAll(async () => {
  await collector.stop();
});

async function runApp(variant: string): Promise<{ readonly root: string; readonly turn: string }> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "@turnproof/source", app], {
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, VARIANT: variant },
  });
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { root: string; turn: string };
}

interface Verdict {
  readonly status: string;
  readonly findings: readonly { readonly code: string }[];
  readonly chain: readonly unknown[];
}

/** The verdict once everything that was acknowledged has been stored. */
async function verdictOf(root: string): Promise<Verdict> {
  const query = new URLSearchParams({ agent_id: "writer", root_trace_id: root, task_id: "task_1" });
  let verdict: Verdict = { status: "unknown", findings: [], chain: [] };
  for (let attempt = 0; attempt < 40; attempt += 1) {
    const response = await fetch(`${collector.url}/traces/reconcile.json?${query}`);
    if (response.ok) {
      const body = (await response.json()) as Verdict & { verdict?: Verdict };
      verdict = body.verdict ?? body;
      const events = await fetch(`${collector.url}/traces/${root}.json`);
      const { events: all } = (await events.json()) as {
        events: { event_kind: string; phase: string }[];
      };
      if (all.some((event) => event.event_kind === "turn" && event.phase === "result"))
        return verdict;
    }
    await sleep(100);
  }
  return verdict;
}

describe("one turn with host evidence", () => {
  test("is a success when every fact is there", async () => {
    const { root } = await runApp("whole");
    const verdict = await verdictOf(root);
    expect(verdict.findings).toEqual([]);
    expect(verdict.status).toBe("success");
  });

  test.each([
    ["unacknowledged", "delivery_unconfirmed", "partial"],
    ["recovered", "contract_recovered", "partial"],
    ["unverified", "artifact_persistence_unverified", "failed|partial"],
    ["older", "", "partial|failed"],
  ])("%s: not a success, and the finding says why", async (variant, code, status) => {
    const { root } = await runApp(variant);
    const verdict = await verdictOf(root);
    expect(verdict.status).toMatch(new RegExp(`^(${status})$`));
    if (code !== "") expect(verdict.findings.map((finding) => finding.code)).toContain(code);
  });

  test("nothing of the content is anywhere in the data directory", () => {
    const files = readdirSync(dataDir, { recursive: true, withFileTypes: true });
    let read = 0;
    for (const file of files.filter((entry) => entry.isFile())) {
      const path = join(file.parentPath, file.name);
      try {
        expect(readFileSync(path).includes("CANARY"), path).toBe(false);
        read += 1;
      } catch (error) {
        // The engine removes parts that it has merged while the test reads.
        if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
      }
    }
    expect(read).toBeGreaterThan(100);
  });
});
