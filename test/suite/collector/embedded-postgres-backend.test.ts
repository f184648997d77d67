/**
 * @module The collector over an embedded PostgreSQL, named by its directory: evidence and memory
 * lie in one engine, survive a restart, and a second process is refused.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, test } from "vitest";

import { startCollector } from "../faults/collector-child.ts";

const root = join(import.meta.dirname, "../../..");
const run = promisify(execFile);
let directory: string;
let env: Record<string, string>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "turnproof-embedded-postgres-"));
  env = {
    TURNPROOF_BACKEND: "postgres",
    TURNPROOF_MEMORY_BACKEND: "postgres",
    TURNPROOF_POSTGRES_URL: pathToFileURL(join(directory, "database")).href,
  };
});
afterAll(() => rm(directory, { recursive: true, force: true }));

async function listed(url: string): Promise<number> {
  const response = await fetch(`${url}/traces/turns.json`);
  if (!response.ok) return -1;
  return ((await response.json()) as { items: readonly unknown[] }).items.length;
}

async function listsAll(url: string, wanted: number): Promise<void> {
  for (let attempt = 0; attempt < 150 && (await listed(url)) !== wanted; attempt += 1) {
    await sleep(200);
  }
  expect(await listed(url)).toBe(wanted);
}

function command(...args: readonly string[]): Promise<{ readonly stdout: string }> {
  const bin = join(root, "collector/bin/turnproof.js");
  return run(process.execPath, [bin, ...args], {
    env: { PATH: process.env["PATH"], TURNPROOF_DATA_DIR: join(directory, "data"), ...env },
  });
}

test("what it wrote is there after a restart, for one process", { timeout: 180_000 }, async () => {
  const data = join(directory, "data");
  const first = await startCollector(data, env);
  const { port } = new URL(first.url);
  await run(join(root, "dashboards/cluster/send.sh"), [port, "1", "3", "ann"], {
    env: { PATH: process.env["PATH"], INGEST_TOKEN: "any" },
  });
  await listsAll(first.url, 3);
  expect((await fetch(`${first.url}/readyz`)).status).toBe(200);
  await expect(startCollector(join(directory, "other"), env)).rejects.toThrow(/store_locked/);
  expect(await first.stop()).toBe(0);

  const second = await startCollector(data, env);
  await listsAll(second.url, 3);
  expect(await second.stop()).toBe(0);

  await command("delete-user", "ann", "--apply");
  const third = await startCollector(data, env);
  await listsAll(third.url, 0);
  await third.stop();
});
