/**
 * @module The example as strangers run it: `npx` from packed files, which are installed once, in an
 * empty directory, on this machine's own Node with a collector that runs already, and on the
 * project's with none. It prints where to look, its turns are seen there, and Ctrl-C ends all of
 * it.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";

import { ephemeral } from "@turnproof/store";
import { beforeAll, expect, test } from "vitest";

import { openCollector } from "../agent/collector-on-port.ts";
import { npxInstallation, shellEnvironment, shellPath } from "./npx-installation.ts";
import type { NpxInstallation } from "./npx-installation.ts";
import { root } from "./packed-files.ts";

interface Running extends AsyncDisposable {
  readonly directory: string;
  /** What it has printed. */
  readonly stated: () => string;
  /** Sends what Ctrl-C sends, and resolves when nothing of it runs any more. */
  interrupt(): Promise<void>;
}

const bin = "turnproof-support-agent";

let npm: NpxInstallation;
beforeAll(async () => {
  npm = await npxInstallation();
}, 300_000);

test("npx installs it where nothing is, and leaves the directory empty", async () => {
  expect(npm.stated).toContain(bin);
  expect(await readdir(npm.calledIn)).toEqual([]);
});

/** `npx turnproof-support-agent` of the installation, in an empty directory. */
async function npx(flags: readonly string[], path: string): Promise<Running> {
  const directory = await mkdtemp(join(npm.installation, "started-"));
  const child: ChildProcess = spawn("npx", ["--no", "--cache", npm.cache, bin, ...flags], {
    cwd: directory,
    detached: true,
    env: shellEnvironment(path),
  });
  let stated = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on("data", (piece: Buffer) => void (stated += piece.toString()));
  }
  /** True while any process of it runs. */
  const signal = (name: NodeJS.Signals | 0): boolean => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, name);
    } catch {
      return false;
    }
  };
  return {
    directory,
    stated: () => stated,
    async interrupt() {
      signal("SIGINT");
      await expect.poll(() => signal(0), { timeout: 60_000 }).toBe(false);
    },
    async [Symbol.asyncDispose]() {
      signal("SIGKILL");
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** The addresses that it prints: of the chat, and of the turns. */
async function addresses(running: Running): Promise<{ chat: string; turns: string }> {
  const printed = /Talk to the agent: (\S+)\nWatch its turns: +(\S+)\n/;
  const options = { timeout: 120_000, interval: 200 };
  await expect.poll(running.stated, options).toMatch(printed);
  const [, chat = "", turns = ""] = printed.exec(running.stated()) ?? [];
  return { chat, turns };
}

async function request(chat: string): Promise<string> {
  const parts = [{ type: "text", text: "Where is my order A-1001?" }];
  const body = JSON.stringify({ id: "one", user: "ann", messages: [{ role: "user", parts }] });
  return (await fetch(`${chat}/api/chat`, { method: "POST", body })).text();
}

async function tools(collector: string): Promise<number> {
  const query = "agent_id=support-agent&event_kind=tool_call";
  const response = await fetch(`${collector}/traces/events.json?${query}`);
  return ((await response.json()) as { readonly items: readonly unknown[] }).items.length;
}

test("on the shell's own Node, with a collector that runs already", async () => {
  await using collector = await openCollector({ store: ephemeral() });
  const flags = ["--port", "0", "--endpoint", collector.url];
  await using running = await npx(flags, shellPath);
  const { chat, turns } = await addresses(running);
  expect(turns).toBe(`${collector.url}/traces`);
  expect(await request(chat)).toContain("on ");
  await expect.poll(() => tools(collector.url), { timeout: 60_000 }).toBeGreaterThan(0);
  await running.interrupt();
  expect(running.stated()).toContain("Ended. Memory stays in .turnproof-support-agent.\n");
  expect(running.stated()).not.toMatch(/error|were lost|at .*\.js:\d/i);
  const kept = await readdir(join(running.directory, ".turnproof-support-agent"));
  expect(kept).toContain("memory");
}, 600_000);

test("on a newer Node it starts the collector, and ends it", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const endpoint = `http://127.0.0.1:${(free.address() as AddressInfo).port}`;
  await new Promise((resolve) => free.close(resolve));
  const path = [dirname(process.execPath), shellPath].join(delimiter);
  await using running = await npx(["--port", "0", "--endpoint", endpoint], path);
  const { chat, turns } = await addresses(running);
  expect(turns).toBe(`${endpoint}/traces`);
  expect((await fetch(turns)).status).toBe(200);
  await request(chat);
  await expect.poll(() => tools(endpoint), { timeout: 60_000 }).toBeGreaterThan(0);
  await running.interrupt();
  expect(running.stated()).toContain("Ended.");
  await expect(fetch(turns)).rejects.toThrow();
}, 600_000);

test("a wrong call says so, and a signal ends it with 0", async () => {
  const source = join(root, "packages/support-agent/bin/turnproof-support-agent.js");
  const directory = await mkdtemp(join(tmpdir(), "turnproof-support-agent-"));
  const start = (...flags: string[]): ChildProcess =>
    spawn(process.execPath, [source, ...flags], {
      cwd: directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
  const codeOf = async (child: ChildProcess): Promise<unknown> => (await once(child, "exit"))[0];
  expect(await codeOf(start("--port", "many"))).toBe(2);
  expect(await codeOf(start("--whatever"))).toBe(2);
  expect(await codeOf(start("--help"))).toBe(0);
  await using collector = await openCollector({ store: ephemeral() });
  const child = start("--port", "0", "--endpoint", collector.url);
  let stated = "";
  child.stdout?.on("data", (piece: Buffer) => void (stated += piece.toString()));
  await expect.poll(() => stated, { timeout: 120_000 }).toContain("Ctrl-C ends it.");
  const other = start("--port", "0", "--endpoint", collector.url);
  expect(await codeOf(other)).toBe(1);
  const ended = codeOf(child);
  child.kill("SIGTERM");
  expect(await ended).toBe(0);
  expect(await readdir(directory)).toEqual([".turnproof-support-agent"]);
  await rm(directory, { recursive: true, force: true });
}, 300_000);
