/**
 * @module CollectorProcess: the collector that shows the agent's turns: one that runs already, or
 * a child process that ends with the agent.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The endpoint of the collector, and the child process to end, if one was started. */
export interface Watching {
  readonly endpoint: string;
  /** Set when no collector is reachable: one sentence with the reason. */
  readonly problem?: string;
  end(): Promise<void>;
}

const startMs = 60_000;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

/** True when a collector answers there. */
async function answers(endpoint: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(2_000);
    return (await fetch(`${endpoint}/readyz`, { signal })).ok;
  } catch {
    return false;
  }
}

/**
 * Uses the collector that answers at an endpoint, or starts one on its port, with evidence in
 * plain files below the directory. When a collector cannot be started the result has a `problem`,
 * and the agent runs all the same.
 */
export async function watch(endpoint: string, directory: string): Promise<Watching> {
  const nothing = { endpoint, end: () => Promise.resolve() };
  if (await answers(endpoint)) return nothing;
  const { hostname, port } = new URL(endpoint);
  if (hostname !== "127.0.0.1" && hostname !== "localhost") {
    return { ...nothing, problem: `No collector answers at ${endpoint}; turns are not seen.` };
  }
  if (major < 22 || (major === 22 && minor < 15)) {
    const problem =
      `The collector needs Node 22.15 or newer, and this is ${process.version}. ` +
      "Start one with a newer Node (npx turnproof); turns are seen from then on.";
    return { ...nothing, problem };
  }
  const manifest = createRequire(import.meta.url).resolve("turnproof/package.json");
  const launcher = join(dirname(manifest), "bin/turnproof.js");
  const flags = ["--port", port || "80", "--grpc-port", "off", "--backend", "filesystem"];
  // In its own process group: Ctrl-C must not end it before the last turn's evidence has arrived.
  const child = spawn(process.execPath, [launcher, "ui", ...flags, "--data-dir", directory], {
    detached: true,
    stdio: "ignore",
  });
  const kill = (): void => void child.kill("SIGTERM");
  process.once("exit", kill);
  const end = async (): Promise<void> => {
    process.removeListener("exit", kill);
    if (hasEnded(child)) return;
    const ended = once(child, "exit");
    kill();
    await ended;
  };
  for (const until = Date.now() + startMs; Date.now() < until && !hasEnded(child);) {
    if (await answers(endpoint)) return { endpoint, end };
    await wait(100);
  }
  await end();
  const problem = `A collector could not be started at ${endpoint}: try npx turnproof doctor.`;
  return { ...nothing, problem };
}

function hasEnded({ exitCode, signalCode, pid }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null || pid === undefined;
}
