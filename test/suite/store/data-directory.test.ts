/** @module A data directory belongs to one process, outlives it, and survives its being killed. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { clickhouse } from "@turnproof/store";
import { allTenants, receivedAt } from "@turnproof/store/testing";
import { afterAll, expect, test } from "vitest";

const dataDir = await mkdtemp(join(tmpdir(), "turnproof-directory-"));
afterAll(() => rm(dataDir, { recursive: true, force: true }));

function writer(): ChildProcess {
  const file = new URL("../../servers/store-writer.ts", import.meta.url);
  const execArgv = ["-C", "@turnproof/source"];
  return fork(file, [dataDir], { execArgv, stdio: ["ignore", "ignore", "inherit", "ipc"] });
}

test("one process at a time, and what it acknowledged survives its being killed", async () => {
  const child = writer();
  const acknowledged: number[] = [];
  child.on("message", (message) => acknowledged.push(Number(message)));
  while (acknowledged.length < 3) await once(child, "message");
  await expect(clickhouse({ connection: { dataDir } })).rejects.toThrow("store_locked");
  child.kill("SIGKILL");
  await once(child, "exit");
  const store = await clickhouse({ connection: { dataDir } });
  for (const nth of acknowledged) {
    const held = await store.readBack(`batch ${nth}`, receivedAt(nth));
    expect(held).toEqual({ rows: 3, complete: true });
  }
  const page = await store.page(allTenants, {}, { limit: 1_000 });
  expect(page.events.length).toBeGreaterThanOrEqual(acknowledged.length * 3);
  await store.close();
});
