/**
 * @module CollectorProcess: a collector to watch the agent in: the one that runs already, or a
 * process of our own that ends with the agent.
 */
import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Where evidence goes, and what of it is ours to end. */
export interface Watching {
  readonly endpoint: string;
  /** One sentence where nobody can watch yet; undefined where somebody can. */
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
 * Watches at an endpoint: uses the collector that answers there, or starts one on its port, with
 * evidence in plain files below the directory. A collector that cannot be started is a problem to
 * tell, never a reason for the agent not to run.
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
  // A group of its own: Ctrl-C must not end it before the last turn's evidence has arrived.
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
