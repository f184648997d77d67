/**
 * @module First turn: what a newcomer does with the published collector. Two commands of its README
 * on the machine's own Node 20, and the script beside them; the turn is looked at in a browser.
 * What it took is printed; the bound is generous, because machines and caches differ.
 */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { promisify } from "node:util";

import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { executablePath } from "../../chromium.ts";
import { firstNode, withoutFirstNode } from "./first-node.ts";
import { packed, root } from "./packed-files.ts";

const run = promisify(execFile);
const old = await firstNode();
const needed = [
  "semconv",
  "evidence",
  "contracts",
  "journal",
  "store",
  "exporter",
  "turnproof",
] as const;
const outside = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"));
const manifest = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  readonly optionalDependencies: Readonly<Record<string, string>>;
};
const platformNode = `node-${process.platform}-${process.arch}`;
const ownNode = `${platformNode}@${manifest.optionalDependencies[platformNode]}`;

/** A folder whose npm prints plain text, with the machine's environment less the project's. */
async function newProject(): Promise<{ folder: string; env: Record<string, string> }> {
  const folder = await mkdtemp(join(tmpdir(), "turnproof-first-turn-"));
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }');
  await writeFile(join(folder, ".npmrc"), "fund=false\naudit=false\nprefer-offline=true\n");
  const path = [...(old === undefined ? [] : [dirname(old)]), ...outside].join(delimiter);
  return { folder, env: { PATH: path, HOME: process.env["HOME"] ?? "" } };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Sends requests until there is an answer, for a minute at most. */
async function until<T>(request: () => Promise<T | undefined>): Promise<T> {
  for (const began = performance.now(); performance.now() - began < 60_000;) {
    const answer = await request().catch(() => undefined);
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("no answer within a minute");
}

/** Opens the list of turns and gives the text of its page once the turn's link can be seen. */
async function onScreen(url: string, root: string): Promise<string> {
  const browser = await chromium.launch({ executablePath });
  try {
    const page = await browser.newPage();
    await page.goto(`${url}/traces`);
    await page.locator(`main a[href*="${root}"]:visible`).first().waitFor();
    return await page.locator("main").innerText();
  } finally {
    await browser.close();
  }
}

type Project = Awaited<ReturnType<typeof newProject>>;

/** Starts the collector by its command, sends the turn of its README and looks at it. */
async function firstTurn({ folder, env }: Project, done: (step: string) => void): Promise<void> {
  const readme = await readFile(join(root, "collector/README.md"), "utf8");
  await writeFile(join(folder, "first.js"), /```js\n([\s\S]*?)```/.exec(readme)?.[1] ?? "");
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const ready = async (): Promise<boolean> => (await fetch(`${url}/readyz`)).ok;
  const flags = ["turnproof", "--port", String(port)];
  // A group of its own: npx is a shell's parent, and a signal to it leaves the collector alone.
  const child = spawn("npx", flags, { cwd: folder, env, stdio: "ignore", detached: true });
  try {
    await until(async () => ((await ready()) ? true : undefined));
    done("serving");
    const sent = await run(old ?? process.execPath, ["first.js"], {
      cwd: folder,
      env: { ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url },
    });
    expect(sent.stdout.trim()).toBe("200");
    const turn = await until(async () => {
      const answer = (await (await fetch(`${url}/traces/turns.json`)).json()) as {
        readonly items: readonly { readonly agent_id?: string; readonly root_trace_id: string }[];
      };
      return answer.items[0];
    });
    done("listed");
    expect(turn.agent_id).toBe("Desk");
    expect(await onScreen(url, turn.root_trace_id)).toContain("Desk");
    done("on screen");
  } finally {
    process.kill(-(child.pid ?? 0), "SIGTERM");
    const silent = async (): Promise<true | undefined> =>
      ready().then(
        () => undefined,
        () => true as const,
      );
    await until(silent);
    // The port closes before the journal does.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** Removes a project, whose collector may still write its last file. */
const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 250 });

let project: Project;
const reported: Record<string, number> = {};
const began = performance.now();
const done = (step: string): void => {
  reported[step] = Math.round((performance.now() - began) / 100) / 10;
};

beforeAll(async () => {
  project = await newProject();
  const tarballs = await Promise.all(needed.map((name) => packed(name)));
  done("packed");
  const { folder: cwd, env } = project;
  await run("npm", ["install", "--silent", ...tarballs, "chdb@3.4.0", ownNode], { cwd, env });
  done("installed");
}, 300_000);
afterAll(() => remove(project.folder));

test("two commands and a first turn on screen", { timeout: 300_000 }, async () => {
  await firstTurn(project, done);
  process.stdout.write(`first turn, seconds: ${JSON.stringify(reported)}\n`);
  expect((reported["on screen"] ?? NaN) - (reported["packed"] ?? NaN)).toBeLessThan(180);
});

const named = old === undefined ? `: ${withoutFirstNode}` : "";

describe.skipIf(old === undefined)(
  `the published collector with Node 20 on the path${named}`,
  () => {
    let folder = "";
    let env: Record<string, string> = {};
    const turnproof = async (): Promise<{ stdout: string; stderr: string; code?: number }> =>
      run(join(folder, "node_modules/.bin/turnproof"), ["--version"], { cwd: folder, env }).catch(
        (error: { stdout: string; stderr: string; code: number }) => error,
      );
    // What is left is what an installation of the packages alone brings.
    beforeAll(async () => {
      ({ folder, env } = project);
      const brought = ["node_modules", "package.json", "package-lock.json", ".npmrc"];
      for (const name of await readdir(folder))
        if (!brought.includes(name)) await remove(join(folder, name));
      await run("npm", ["uninstall", "--silent", "chdb", platformNode], { cwd: folder, env });
      const installed = await readdir(join(folder, "node_modules"));
      expect(installed).toContain("turnproof");
      for (const name of ["chdb", platformNode]) expect(installed).not.toContain(name);
    });

    test("says what it needs and what to type, and runs after that was typed", async () => {
      const before = await turnproof();
      expect(before.code).toBe(1);
      expect(before.stderr).toMatch(
        /^turnproof needs Node 22\.15 or newer; this is v20\.\S+ Run `/,
      );
      const [, line = ""] = /`npm install (\S+)`/.exec(before.stderr) ?? [];
      expect(`${line}.`).toBe(ownNode.replace(/(@26\.).*$/, "$1"));
      await run("npm", ["install", "--silent", ownNode], { cwd: folder, env });
      expect((await turnproof()).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
      const byNpx = await run("npx", ["turnproof", "--help"], { cwd: folder, env });
      expect(byNpx.stdout).toContain("Start the collector");
    });

    test("a reader that wants no more ends a command without a stack", async () => {
      const { stdout, stderr } = await run(
        "bash",
        ["-c", "npx turnproof --help | head -1; exit 0"],
        {
          cwd: folder,
          env,
        },
      );
      expect(stdout).toBe("Usage: turnproof [options] [command]\n");
      expect(stderr).not.toMatch(/EPIPE|Error/);
    });

    test("shows a first turn without the embedded engine", async () => {
      await firstTurn({ folder, env }, () => undefined);
    });
  },
);
