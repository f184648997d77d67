/** The launcher on an older Node: its collector ends with it, also when it is killed. */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterAll, describe, expect, test, vi } from "vitest";

import { firstNode, withoutFirstNode } from "../packed/first-node.ts";

const launcher = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), "turnproof-launcher-"));
const node = await firstNode();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface Launched {
  readonly launcher: ChildProcess;
  /** Address of the collector that it started. */
  readonly url: string;
}

/** Starts it; again while the collector before is still closing. */
async function launch(): Promise<Launched> {
  for (;;) {
    const launched = await started();
    if (launched !== undefined) return launched;
  }
}

async function started(): Promise<Launched | undefined> {
  const child = spawn(node ?? "", [launcher, "ui", "--port", "0"], {
    env: {
      PATH: process.env["PATH"],
      TURNPROOF_BACKEND: "filesystem",
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_GRPC_PORT: "0",
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const url = (): string => /"event":"listening","url":"([^"]+)"/.exec(output)?.[1] ?? "";
  const isLocked = (): boolean => output.includes("journal_locked");
  await vi.waitFor(() => expect(url() !== "" || isLocked()).toBe(true), 60_000);
  return isLocked() ? undefined : { launcher: child, url: url() };
}

const answers = (url: string): Promise<boolean> =>
  fetch(`${url}healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

describe.skipIf(node === undefined)(
  `the launcher on Node 20${node === undefined ? `: ${withoutFirstNode}` : ""}`,
  () => {
    test("a killed launcher ends its collector, and the next start has the data", async () => {
      const first = await launch();
      expect(await answers(first.url)).toBe(true);
      first.launcher.kill("SIGKILL");
      await vi.waitFor(async () => expect(await answers(first.url)).toBe(false), 30_000);
      const next = await launch();
      expect(await answers(next.url)).toBe(true);
      const ended = new Promise((resolve) => next.launcher.once("exit", resolve));
      next.launcher.kill("SIGTERM");
      expect(await ended).toBe(0);
    });
  },
);
