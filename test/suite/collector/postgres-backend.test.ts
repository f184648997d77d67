/**
 * @module The collector over PostgreSQL: a real app, real OTLP and a real server lead to a verdict,
 * a killed collector loses nothing that it acknowledged, and no content lies in the database.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { startPostgres } from "../../servers/postgres.ts";
import type { PostgresServer } from "../../servers/postgres.ts";
import { startCollector } from "../faults/collector-child.ts";
import type { CollectorChild } from "../faults/collector-child.ts";

const app = join(import.meta.dirname, "../end-to-end/instrumented-app.ts");
let server: PostgresServer;
let database: string;
let dataDir: string;
let collector: CollectorChild;

const start = (): Promise<CollectorChild> =>
  startCollector(dataDir, {
    TURNPROOF_BACKEND: "postgres",
    TURNPROOF_POSTGRES_URL: server.url(database),
  });

beforeAll(async () => {
  server = await startPostgres();
  database = await server.createDatabase();
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-postgres-backend-"));
  collector = await start();
});
afterAll(async () => {
  await collector.stop();
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function runApp(variant: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ["-C", "@turnproof/source", app], {
    env: { ...process.env, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, VARIANT: variant },
  });
  return (JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { root: string }).root;
}

/** The verdict's status once the turn has ended in the store. */
async function statusOf(root: string): Promise<string> {
  const query = new URLSearchParams({ agent_id: "writer", root_trace_id: root, task_id: "task_1" });
  let status = "none";
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const response = await fetch(`${collector.url}/traces/reconcile.json?${query}`);
    if (response.ok) {
      const body = (await response.json()) as { status?: string; verdict?: { status: string } };
      status = body.verdict?.status ?? body.status ?? "none";
      if (status === "success") return status;
    }
    await sleep(100);
  }
  return status;
}

test("a whole turn is a success, and stays one after the collector was killed", async () => {
  const root = await runApp("whole");
  expect(await statusOf(root)).toBe("success");
  const unfinished = await runApp("whole");
  await collector.kill();
  collector = await start();
  expect(await statusOf(root)).toBe("success");
  expect(await statusOf(unfinished)).toBe("success");
});

test("evidence waits in the journal while the database is away", async () => {
  await server.stop();
  const root = await runApp("whole");
  await server.start();
  expect(await statusOf(root)).toBe("success");
});

test("no content lies in the database", async () => {
  const rows = await server.run(database, "SELECT body FROM evidence_bundles");
  expect(rows.length).toBeGreaterThan(0);
  for (const row of rows) expect(row["body"]).not.toContain("CANARY");
});
