/** One process per directory; a dead owner is followed at once, a silent one after a while. */
import { execFile, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtemp, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { openJournal } from "@turnproof/journal";
import { systemProcesses } from "@turnproof/journal/process-lock";

const run = promisify(execFile);
const program = fileURLToPath(new URL("writer-process.ts", import.meta.url));

let directory = "";
let children: ChildProcess[] = [];
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "owners-"));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  await rm(directory, { recursive: true, force: true });
});

/** A process that holds the directory. */
async function owner(): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    ["-C", "@turnproof/source", "--no-warnings", program, directory, "hold"],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  children.push(child);
  await new Promise((resolve) => child.stdout?.once("data", resolve));
  return child;
}

async function died(child: ChildProcess): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGKILL");
  await exit;
}

describe("the lock of a directory", () => {
  test("refuses a second process and follows a killed one at once", async () => {
    const first = await owner();
    await expect(openJournal({ directory })).rejects.toMatchObject({ code: "journal_locked" });
    await died(first);
    const started = performance.now();
    const journal = await openJournal({ directory });
    expect(performance.now() - started).toBeLessThan(5_000);
    expect((await readdir(directory)).filter((name) => name.endsWith(".lock"))).toHaveLength(1);
    await journal.close();
    expect((await readdir(directory)).filter((name) => name.endsWith(".lock"))).toHaveLength(0);
  });

  test.skipIf(process.platform !== "linux")(
    "follows a killed process that nobody has asked after",
    async () => {
      // What runs in the parent's place never waits for a child, as a container's process 1 may
      // not.
      const held = spawn(
        "sh",
        [
          "-c",
          '"$0" "$@" & exec sleep 600',
          process.execPath,
          "-C",
          "@turnproof/source",
          "--no-warnings",
          program,
          directory,
          "hold",
        ],
        { stdio: ["ignore", "pipe", "inherit"] },
      );
      children.push(held);
      await new Promise((resolve) => held.stdout?.once("data", resolve));
      const [name = ""] = (await readdir(directory)).filter((item) => item.endsWith(".lock"));
      const pid = Number(name.split("-")[3]);
      process.kill(pid, "SIGKILL");
      const state = async (): Promise<string> =>
        (await readFile(`/proc/${pid}/status`, "utf8")).match(/^State:\s+(\S)/m)?.[1] ?? "";
      // It holds its files until its last thread has ended.
      while ((await state()) !== "Z" || (await readdir(`/proc/${pid}/task`)).length > 1) {
        await sleep(10);
      }
      const journal = await openJournal({ directory });
      expect(await state()).toBe("Z");
      await journal.close();
    },
  );

  test("a pid that somebody else has now is no owner", async () => {
    const first = await owner();
    const [name = ""] = (await readdir(directory)).filter((item) => item.endsWith(".lock"));
    const { boot, namespace } = systemProcesses.self();
    // The same living pid, but it started at another time: the owner died and the pid came back.
    await rename(
      join(directory, name),
      join(directory, `owner-${boot}-${namespace}-${first.pid}-1.lock`),
    );
    const journal = await openJournal({ directory });
    await journal.close();
  });

  test("an owner that cannot be seen lives as long as its heart beats", async () => {
    const heartbeatMs = 20;
    const elsewhere = { boot: "elsewhere", namespace: "1", pid: 7, started: "7" };
    const here = { boot: "here", namespace: "1", pid: 7, started: "7" };
    const far = await openJournal({
      directory,
      heartbeatMs,
      processes: { self: () => elsewhere, liveness: () => "unknown" },
    });
    const near = {
      directory,
      heartbeatMs,
      processes: { self: () => here, liveness: () => "unknown" as const },
    };
    await expect(openJournal(near)).rejects.toMatchObject({ code: "journal_locked" });
    await far.close();

    const silent = await openJournal({
      directory,
      heartbeatMs: 3_600_000,
      processes: { self: () => elsewhere, liveness: () => "unknown" },
    });
    const reported: string[] = [];
    const journal = await openJournal({ ...near, onEvent: ({ code }) => reported.push(code) });
    // Once, however many such owners there are, and before the wait.
    expect(reported).toEqual(["journal_owner_silent"]);
    await journal.append({ payload: Buffer.from("mine"), spans: 1 });
    await journal.close();
    await silent.close();
  });

  test("a process that has nothing else to do waits for it, and opens", async () => {
    // Left by a process of before the machine started again, or of another container.
    await writeFile(
      join(directory, "owner-aaaaaaaaaaaa-4026531836-32610-1544780.lock"),
      "12345678",
    );
    const opens = `import { openJournal } from "@turnproof/journal";
const journal = await openJournal({ directory: ${JSON.stringify(directory)}, heartbeatMs: 20 });
await journal.close();
console.log("opened");`;
    const flags = ["-C", "@turnproof/source", "--input-type=module", "--eval", opens];
    const { stdout } = await run(process.execPath, flags, { cwd: import.meta.dirname });
    expect(stdout).toBe("opened\n");
  });

  test("an owner whose directory was taken stops writing", async () => {
    const codes: string[] = [];
    const journal = await openJournal({
      directory,
      heartbeatMs: 10,
      onEvent: (event) => codes.push(event.code),
    });
    const [name = ""] = (await readdir(directory)).filter((item) => item.endsWith(".lock"));
    await rm(join(directory, name));
    while (codes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const append = journal.append({ payload: Buffer.from("x"), spans: 1 });
    await expect(append).rejects.toMatchObject({ code: "journal_locked" });
    expect(journal.stats()).toMatchObject({ healthy: false, failure: "journal_locked" });
    await journal.close();
  });

  test("of many who come at once no two get it", async () => {
    for (let round = 0; round < 10; round += 1) {
      const attempts = Array.from({ length: 8 }, (_, index) =>
        openJournal({
          directory,
          processes: {
            self: () => ({ boot: "b", namespace: "1", pid: index + 1, started: "1" }),
            liveness: () => "alive",
          },
        }).catch(() => undefined),
      );
      const journals = (await Promise.all(attempts)).filter((item) => item !== undefined);
      expect(journals.length).toBeLessThanOrEqual(1);
      for (const journal of journals) await journal.close();
    }
  });
});
