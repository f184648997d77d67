/** @module Several processes on one directory at once: nothing is lost, nothing is written over. */
import { fork } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

import { filesystem } from "@turnproof/store";
import { afterAll, expect, test } from "vitest";

import { temporaryDirectories } from "./temporary-directory.ts";

const directories = temporaryDirectories();
afterAll(() => directories.remove());

const rounds = Number(process.env["FILESYSTEM_ROUNDS"] ?? 15);
const filter = { tenant: "ann" };

interface Writer {
  readonly child: ChildProcess;
  readonly acknowledged: string[];
  /** Code and signal of its end. */
  readonly ended: Promise<unknown[]>;
}

function writer(directory: string, name: string, times: number): Writer {
  const file = new URL("../../servers/filesystem-writer.ts", import.meta.url);
  const child = fork(file, [directory, name, String(times)], {
    execArgv: ["-C", "@turnproof/source"],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const acknowledged: string[] = [];
  child.on("message", (message) => acknowledged.push(message as string));
  return { child, acknowledged, ended: once(child, "exit") };
}

async function withCounter(): Promise<string> {
  const directory = await directories.make();
  const { memory } = await filesystem({ directory });
  const created_at = "2026-03-01T09:00:00.000Z";
  await memory.put(filter, "entity", { id: "counter", data: { n: 0 }, created_at });
  return directory;
}

test("two processes write at once", { timeout: 60_000 }, async () => {
  const directory = await withCounter();
  const writers = ["one", "two"].map((name) => writer(directory, name, rounds));
  for (const { ended } of writers) expect(await ended).toEqual([0, null]);
  const { memory, evidence } = await filesystem({ directory });
  expect((await memory.get(filter, "entity", "counter"))?.data).toEqual({ n: 2 * rounds });
  expect(await memory.count(filter, "entity")).toBe(2 * rounds + 1);
  const page = await evidence.page(filter, {}, { limit: 1_000 });
  expect(page.events).toHaveLength(2 * rounds * 3);
});

test(
  "one that is killed holds up nobody, and what it was told stays",
  { timeout: 60_000 },
  async () => {
    const directory = await withCounter();
    const doomed = writer(directory, "doomed", 10_000);
    const other = writer(directory, "other", rounds);
    while (doomed.acknowledged.length < 5) await once(doomed.child, "message");
    doomed.child.kill("SIGKILL");
    await doomed.ended;
    expect(await other.ended).toEqual([0, null]);
    const { memory, evidence } = await filesystem({ directory });
    const counter = Number((await memory.get(filter, "entity", "counter"))?.data["n"]);
    const reported = doomed.acknowledged.length + rounds;
    expect(counter).toBeGreaterThanOrEqual(reported);
    expect(counter).toBeLessThanOrEqual(reported + 1);
    for (const id of [...doomed.acknowledged, ...other.acknowledged]) {
      expect((await memory.get(filter, "entity", id))?.id).toBe(id);
      expect((await evidence.root(filter, id, { limit: 9 })).events).toHaveLength(3);
    }
    const rows = await memory.count(filter, "entity");
    await memory.put(filter, "entity", {
      id: "last",
      data: {},
      created_at: "2026-03-01T11:00:00.000Z",
    });
    expect(await memory.count(filter, "entity")).toBe(rows + 1);
  },
);
