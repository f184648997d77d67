/**
 * @module ProcessOwner: which process holds a lock, and whether it is running (faults R19). A pid
 * alone does not identify a process: it is reused after a crash, and a pid in another container
 * has no meaning here. So an owner is boot, pid namespace, pid and start time of the process.
 */
import { createHash, randomBytes } from "node:crypto";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";

/** A holder; every part is valid in a file name. */
export interface Owner {
  readonly boot: string;
  readonly namespace: string;
  readonly pid: number;
  /** Start time of the process in clock ticks since boot; "0" where the platform has none. */
  readonly started: string;
  /** Distinguishes two holders inside one process. */
  readonly token: string;
}

/** `unknown` when this process cannot check the other one; then its heartbeat decides. */
export type Liveness = "alive" | "dead" | "unknown";

/** A new holder in this process. */
export function newOwner(): Owner {
  const started = startTicks(process.pid) ?? "0";
  const token = randomBytes(8).toString("hex");
  return { boot: bootId(), namespace: namespaceId(), pid: process.pid, started, token };
}

/** Whether the holder's process is running. */
export function livenessOf(owner: Owner): Liveness {
  if (owner.boot !== bootId() || owner.namespace !== namespaceId()) return "unknown";
  if (!isRunning(owner.pid)) return "dead";
  const started = startTicks(owner.pid) ?? "0";
  if (started === "0" || owner.started === "0") return "unknown";
  return started === owner.started ? "alive" : "dead";
}

/** File name of an owner. */
export function ownerName(owner: Owner): string {
  const { boot, namespace, pid, started, token } = owner;
  return `owner-${boot}-${namespace}-${pid}-${started}-${token}`;
}

/** The owner in a file name. */
export function ownerOf(name: string): Owner | undefined {
  const match = /^owner-([0-9a-f]{12})-(\d+)-(\d+)-(\d+)-([0-9a-f]{16})$/.exec(name);
  if (match === null) return undefined;
  const [, boot = "", namespace = "", pid = "", started = "", token = ""] = match;
  return { boot, namespace, pid: Number(pid), started, token };
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
