/**
 * @module Owner: which process holds a directory, and whether it still runs. A pid alone is no
 * identity: it is used again after a crash, and another container's pid means nothing here. So an
 * owner is boot, pid namespace, pid and the time at which the process started.
 */
import { readFileSync, readlinkSync } from "node:fs";
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
    if (!pidExists(owner.pid)) return "dead";
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

/** Field 22 of the stat line; the second field may hold spaces, so count from its last bracket. */
function startTicks(pid: number): string | undefined {
  const line = readText(`/proc/${pid}/stat`);
  return line?.slice(line.lastIndexOf(")") + 2).split(" ")[19];
}

function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { readonly code?: unknown }).code === "EPERM";
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}
