/**
 * @module ProcessOwner: which process holds a lock, and whether it is running (faults R19). A pid
 * alone does not identify a process: it is reused after a crash, and a pid in another container has
 * no meaning here. So an owner is boot, pid namespace, pid and start time of the process.
 */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { createHash } from "node:crypto";

/** Identity of a process; every part matches `[a-z0-9]` so that it can be part of a file name. */
export interface Owner {
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot; "0" where the platform has none. */
  readonly started: string;
}

/** `unknown` when this process cannot check the other one; then its heartbeat decides. */
export type Liveness = "alive" | "dead" | "unknown";

/** Operating system calls of the lock. */
export interface Processes {
  self(): Owner;
  liveness(owner: Owner): Liveness;
}

/** The processes of this machine; on platforms without /proc only pid and host are known. */
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

/** An owner as a part of a file name. */
export function ownerText({ boot, namespace, pid, started }: Owner): string {
  return `${boot}-${namespace}-${pid}-${started}`;
}

/** The owner that such a text names; undefined for any other text. */
export function parseOwner(text: string): Owner | undefined {
  const match = /^([a-z0-9]+)-(\d+)-(\d+)-(\d+)$/.exec(text);
  if (match === null) return undefined;
  const [, boot = "", namespace = "", pid = "", started = ""] = match;
  return { boot, namespace, pid: Number(pid), started };
}

let knownBoot: string | undefined;

function bootId(): string {
  if (knownBoot !== undefined) return knownBoot;
  const id = readText("/proc/sys/kernel/random/boot_id") ?? `host:${hostname()}`;
  knownBoot = createHash("sha256").update(id.trim()).digest("hex").slice(0, 12);
  return knownBoot;
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

/**
 * Fields of the stat line from the third on: the second may contain spaces and ends with a
 * bracket.
 */
function statFields(pid: number): readonly string[] {
  const line = readText(`/proc/${pid}/stat`) ?? "";
  return line.slice(line.lastIndexOf(")") + 2).split(" ");
}

/** Whether a process of this machine is running; one that ended and is still listed is not. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists all the same.
    if ((error as { readonly code?: unknown }).code !== "EPERM") return false;
  }
  return !hasEnded(pid);
}

/**
 * True for a process that ended and was not reaped by its parent, as under a container whose
 * process 1 reaps no children: it is listed and holds nothing. While one of its threads is still
 * ending, its files are open.
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
