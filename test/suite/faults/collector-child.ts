/**
 * @module Collector child: the built collector as a process of its own, which a test may kill at
 * any moment and start again over the same data directory.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { accountOfHang } from "./hang-account.ts";

const ownLauncher = fileURLToPath(new URL("../../../collector/bin/turnproof.js", import.meta.url));
/** A busy machine takes long to load an engine. */
const startDeadlineMs = 120_000;

/** A running collector. */
export interface CollectorChild {
  readonly url: string;
  readonly process: ChildProcess;
  /** Everything it wrote to stderr. */
  output(): string;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
  /** SIGTERM, and waits for a clean end; answers the exit code, or the signal that ended it. */
  stop(): Promise<number | NodeJS.Signals | null>;
}

/**
 * Starts a collector, at a port that was its own before if one is given, from another launcher if
 * one is named; waits until it listens.
 */
export async function startCollector(
  dataDir: string,
  env: Record<string, string> = {},
  port = "0",
  deadlineMs = startDeadlineMs,
  launcher = ownLauncher,
): Promise<CollectorChild> {
  const child = spawn(process.execPath, [launcher, "--port", port], {
    env: {
      PATH: process.env["PATH"],
      TURNPROOF_DATA_DIR: dataDir,
      TURNPROOF_BACKEND: "clickhouse",
      ...env,
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  const gone = once(child, "exit");
  // It never outlives the process that started it, however that ends.
  const follow = (): void => void child.kill("SIGKILL");
  process.once("exit", follow);
  child.once("exit", () => process.off("exit", follow));
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      void accountOfHang(child.pid ?? 0, output).then((account) => {
        child.kill("SIGKILL");
        reject(new Error(`no start, account in ${account}: ${output}`));
      });
    }, deadlineMs);
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      const found = /"event":"listening","url":"(http:[^"]+?)\/?"/.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    });
    child.once("exit", () => {
      clearTimeout(timer);
      reject(new Error(`ended at once: ${output}`));
    });
  });
  return {
    url,
    process: child,
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await gone;
    },
    async stop() {
      child.kill("SIGTERM");
      await gone;
      return child.exitCode ?? child.signalCode;
    },
  };
}
