/**
 * @module The collector over a cluster of two shards: turns as `dashboards/cluster/send.sh` sends
 * them are stored, judged and listed once, and commands for operators reach every shard.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

import { createClient } from "@clickhouse/client";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { startClickhouseServer } from "../../servers/clickhouse-http.ts";
import type { ClickhouseServer } from "../../servers/clickhouse-http.ts";
import { startCollector } from "../faults/collector-child.ts";
import { twoShards } from "../store/cluster-config.ts";

const root = join(import.meta.dirname, "../../..");
const check = join(root, "dashboards/cluster/check.sh");
const run = promisify(execFile);
let server: ClickhouseServer;
let dataDir: string;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startClickhouseServer(twoShards((n) => `turnproof_${n}`));
  dataDir = await mkdtemp(join(tmpdir(), "turnproof-cluster-backend-"));
  env = {
    TURNPROOF_CLICKHOUSE_URL: `${server.url}/turnproof_1`,
    TURNPROOF_CLICKHOUSE_CLUSTER: "main",
    TURNPROOF_CLICKHOUSE_QUORUM: "auto",
  };
});
afterAll(async () => {
  await server.close();
  await rm(dataDir, { recursive: true, force: true });
});

/** The one value of the query's one row. */
async function valueOf(query: string): Promise<number> {
  const client = createClient({ url: server.url, database: "turnproof_1" });
  try {
    const result = await client.query({ query, format: "TabSeparated" });
    return Number(await result.text());
  } finally {
    await client.close();
  }
}

async function becomes(query: string, wanted: number): Promise<void> {
  for (let attempt = 0; attempt < 150; attempt += 1) {
    if ((await valueOf(query)) === wanted) return;
    await sleep(200);
  }
  expect([query, await valueOf(query)]).toEqual([query, wanted]);
}

/**
 * The turns of the list. The test's engine runs one statement at a time, those of the drain, the
 * judge and the comparison too: on a busy machine a list waits too long, or its thread for the
 * store, and is requested again.
 */
async function listedAt(url: string): Promise<readonly unknown[]> {
  for (;;) {
    const answer = await fetch(`${url}/traces/turns.json?limit=100`);
    const body = (await answer.json()) as { items: readonly unknown[]; code?: string };
    if (answer.status === 200) return body.items;
    expect(answer.status).toBe(503);
    expect(["store_timeout", "store_unavailable"]).toContain(body.code);
    await sleep(500);
  }
}

function command(...args: readonly string[]): Promise<{ readonly stdout: string }> {
  const bin = join(root, "collector/bin/turnproof.js");
  return run(process.execPath, [bin, ...args, "--json"], {
    env: { PATH: process.env["PATH"], TURNPROOF_DATA_DIR: dataDir, ...env },
  });
}

test("turns through a collector, and their end", { timeout: 180_000 }, async () => {
  const collector = await startCollector(dataDir, env);
  // One that failed a test does not outlive it.
  onTestFinished(() => collector.kill());
  const { port } = new URL(collector.url);
  const send = (...args: readonly string[]): Promise<unknown> =>
    run(join(root, "dashboards/cluster/send.sh"), [port, ...args], {
      env: { PATH: process.env["PATH"], INGEST_TOKEN: "any" },
    });
  await send("1", "12", "ann");
  await send("13", "20", "bob");
  await becomes("SELECT uniqExact(root_trace_id) FROM bundles WHERE events > 0", 20);
  expect(await valueOf(`SELECT countIf(position(body, '"ann"') > 0) > 0 FROM bundles`)).toBe(1);
  await becomes("SELECT count() FROM turn_ledger FINAL", 20);
  for (const shard of [0, 1]) {
    expect(await valueOf(`SELECT count() FROM bundles_local WHERE root % 2 = ${shard}`)).not.toBe(
      0,
    );
  }
  expect(await listedAt(collector.url)).toHaveLength(20);
  const ready = await fetch(`${collector.url}/readyz`);
  expect(ready.status).toBe(200);
  await collector.stop();

  await command("delete-user", "ann", "--apply");
  expect(await valueOf("SELECT uniqExact(root_trace_id) FROM bundles WHERE events > 0")).toBe(8);
  expect(await valueOf("SELECT count() FROM turn_ledger FINAL")).toBe(8);
  expect(await valueOf(`SELECT countIf(position(body, '"ann"') > 0) FROM bundles`)).toBe(0);

  // As check.sh makes something old.
  const old = /"(INSERT INTO bundles [\s\S]*?)"$/m.exec(await readFile(check, "utf8"))?.[1] ?? "";
  await valueOf(old.replaceAll("\\\n", ""));
  expect(await valueOf("SELECT uniqExact(root_trace_id) FROM bundles WHERE events > 0")).toBe(28);
  await command("retention", "--apply");
  expect(await valueOf("SELECT uniqExact(root_trace_id) FROM bundles WHERE events > 0")).toBe(8);
});
