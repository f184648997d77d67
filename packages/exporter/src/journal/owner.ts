/**
 * @module Owner: which process holds a directory, and whether it still runs. A pid alone is no
 * identity: it is used again after a crash, and another container's pid means nothing here. So an
 * owner is boot, pid namespace, pid and the time at which the process started.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { createHash } from "node:crypto";

/** Identity of a process; every part is made of `[a-z0-9]` so that it can stand in a file name. */
export interface Owner {
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  /** Clock ticks since boot at which the process started; "0" where the platform does not say. */
  readonly started: string;
}

/** `unknown` when this process cannot see the other one; then its heartbeat decides. */
export type Liveness = "alive" | "dead" | "unknown";

/** What the lock needs of an operating system. */
export interface Processes {
  self(): Owner;
  liveness(owner: Owner): Liveness;
}

/** The processes of this machine; on platforms without /proc only the pid and the host are known. */
export const systemProcesses: Processes = {
  self() {
    return {
      boot: bootId(),
      namespace: namespaceId(),
      pid: process.pid,
      started: startTicks(process.pid) ?? "0",
    };
  },
  liveness(owner) {
    if (owner.boot !== bootId() || owner.namespace !== namespaceId()) return "unknown";
    if (!isRunning(owner.pid)) return "dead";
    const started = startTicks(owner.pid) ?? "0";
    if (started === "0" || owner.started === "0") return "unknown";
    return started === owner.started ? "alive" : "dead";
  },
};

function bootId(): string {
  const id = readText("/proc/sys/kernel/random/boot_id") ?? `host:${hostname()}`;
  return createHash("sha256").update(id.trim()).digest("hex").slice(0, 12);
}

function namespaceId(): string {
  try {
    return /\d+/.exec(readlinkSync("/proc/self/ns/pid"))?.[0] ?? "0";
  } catch {
    return "0";
  }
}

/** Field 22 of the stat line. */
function startTicks(pid: number): string | undefined {
  return statFields(pid)[19];
}

/** Fields of the stat line from the third on: the second may hold spaces and ends with a bracket. */
function statFields(pid: number): readonly string[] {
  const line = readText(`/proc/${pid}/stat`) ?? "";
  return line.slice(line.lastIndexOf(")") + 2).split(" ");
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else is there all the same.
    if ((error as { readonly code?: unknown }).code !== "EPERM") return false;
  }
  return !hasEnded(pid);
}

/**
 * True of a process that ended and that its parent has not asked after, as under a container's
 * process 1 that reaps nobody: it is listed, and holds nothing. While a thread of it still ends,
 * its files are open.
 */
function hasEnded(pid: number): boolean {
  if (statFields(pid)[0] !== "Z") return false;
  try {
    return readdirSync(`/proc/${pid}/task`).length <= 1;
  } catch {
    return true;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
