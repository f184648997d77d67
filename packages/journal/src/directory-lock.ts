/**
 * @module Directory lock: one writer per directory (faults R19). The owner's
 * identity is the *name* of its lock file, so a lock is complete as soon as it exists. An opener
 * first creates its own file and then reads the others: of two concurrent openers at least one
 * sees the other and withdraws, and no file of a living owner is ever removed. An owner that this
 * process cannot check (another container, another host) counts as dead when its heartbeat, a
 * time in its file, does not change for a while. Under the same kernel there is one clock, so a
 * heartbeat that stopped long ago needs no waiting.
 */
import { join } from "node:path";

import { systemClock } from "./clock.ts";
import type { JournalClock } from "./clock.ts";
import { nodeFileSystem, systemCode } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { ownerText, parseOwner, systemProcesses } from "./process-owner.ts";
import type { Owner, Processes } from "./process-owner.ts";

/** The directory, and how the death of an owner is detected. */
export interface DirectoryLockOptions {
  /** It exists. */
  readonly directory: string;
  readonly fileSystem?: JournalFileSystem;
  readonly processes?: Processes;
  readonly clock?: JournalClock;
  /** Time between two heartbeats (default 2 s), and after how long an unchanged one means death. */
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
  /** Called once when another process took the directory because our heartbeat had stopped. */
  readonly onLost?: () => void;
  /** Called once before waiting for the heartbeat of an owner that cannot be checked. */
  readonly onWait?: () => void;
}

/** A held lock. */
export interface DirectoryLock {
  release(): Promise<void>;
}

const prefix = "owner-";
const suffix = ".lock";
const attemptsMax = 5;
const heartbeatMsDefault = 2_000;

/**
 * Locks the directory for this process. Resolves to undefined while another living process, or
 * another opener in this one, holds it; rejects where the disk fails.
 */
export async function lockDirectory(
  options: DirectoryLockOptions,
): Promise<DirectoryLock | undefined> {
  const { heartbeatMs = heartbeatMsDefault } = options;
  let waited = false;
  const lock: Required<DirectoryLockOptions> = {
    fileSystem: nodeFileSystem,
    processes: systemProcesses,
    clock: systemClock,
    silenceMs: heartbeatMs * 5,
    onLost: () => {},
    ...options,
    heartbeatMs,
    onWait: () => {
      if (!waited) options.onWait?.();
      waited = true;
    },
  };
  const { fileSystem, directory, clock } = lock;
  const name = lockName(lock.processes.self());
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const file = await raise(fileSystem, join(directory, name));
    // This process holds it already: two openers in one process have the same name.
    if (file === undefined) return undefined;
    const others = await otherLocks(fileSystem, directory, name);
    const living = await firstLiving(lock, others);
    if (living === undefined) {
      for (const other of others) await removeIfThere(fileSystem, join(directory, other.name));
      return keepAlive(lock, name, file);
    }
    await file.close();
    await removeIfThere(fileSystem, join(directory, name));
    if (living === "settled") break;
    // Two files were created at the same moment; a random delay separates the next attempts.
    await clock.sleep(5 + Math.random() * 50, undefined, true);
  }
  return undefined;
}

/** A process that has a directory, as far as another one can see. */
export interface DirectoryOwner {
  /** Null for one in another container or on another host: its death cannot be checked. */
  readonly pid: number | null;
}

/** The owner, not known to be dead, of a directory with these names. */
export function ownerOf(
  names: readonly string[],
  processes: Pick<Processes, "liveness"> = systemProcesses,
): DirectoryOwner | undefined {
  let found: DirectoryOwner | undefined;
  for (const name of names) {
    const owner = parseName(name);
    const liveness = owner === undefined ? "dead" : processes.liveness(owner);
    if (owner !== undefined && liveness === "alive") return { pid: owner.pid };
    if (liveness === "unknown") found = { pid: null };
  }
  return found;
}

async function raise(
  fileSystem: JournalFileSystem,
  path: string,
): Promise<JournalFile | undefined> {
  try {
    return await fileSystem.open(path, "create");
  } catch (error) {
    if (systemCode(error) === "EEXIST") return undefined;
    throw error;
  }
}

interface OtherLock {
  readonly name: string;
  readonly owner: Owner;
}

async function otherLocks(
  fileSystem: JournalFileSystem,
  directory: string,
  own: string,
): Promise<readonly OtherLock[]> {
  const locks: OtherLock[] = [];
  for (const name of await fileSystem.list(directory)) {
    const owner = name === own ? undefined : parseName(name);
    if (owner !== undefined) locks.push({ name, owner });
  }
  return locks;
}

/** `settled`: an owner has held the directory for a while; `fresh`: it just arrived. */
async function firstLiving(
  options: Required<DirectoryLockOptions>,
  others: readonly OtherLock[],
): Promise<"fresh" | "settled" | undefined> {
  const { fileSystem, directory, clock, processes } = options;
  for (const other of others) {
    const path = join(directory, other.name);
    const liveness = processes.liveness(other.owner);
    if (liveness === "dead") continue;
    const first = await readBeat(fileSystem, path);
    if (first === undefined) continue;
    if (liveness === "alive") return first > 0 ? "settled" : "fresh";
    const sameClock = other.owner.boot === processes.self().boot && first > earliestTime;
    if (sameClock && clock.now() - first > options.silenceMs) continue;
    options.onWait();
    const pauseMs = options.heartbeatMs / 2;
    // Waits are counted: a clock that is set back meanwhile does not make them longer.
    for (let waitedMs = 0; waitedMs < options.silenceMs; waitedMs += pauseMs) {
      // No other handle keeps the process alive while it opens its journal; it would end silently.
      await clock.sleep(pauseMs, undefined, true);
      const beat = await readBeat(fileSystem, path);
      if (beat === undefined) break;
      if (beat !== first) return "settled";
    }
  }
  return undefined;
}

/** Times of heartbeats are later than this; an earlier version wrote a counter. */
const earliestTime = Date.UTC(2020, 0);

/** The heartbeat in a lock file; 0 for a file without one, undefined when it is gone. */
async function readBeat(fileSystem: JournalFileSystem, path: string): Promise<number | undefined> {
  try {
    const file = await fileSystem.open(path, "read");
    try {
      const bytes = Buffer.alloc(8);
      return (await file.read(bytes, 0)) < 8 ? 0 : bytes.readDoubleLE(0);
    } finally {
      await file.close();
    }
  } catch (error) {
    return systemCode(error) === "ENOENT" ? undefined : 0;
  }
}

async function keepAlive(
  options: Required<DirectoryLockOptions>,
  name: string,
  file: JournalFile,
): Promise<DirectoryLock> {
  const { fileSystem, directory, clock } = options;
  const stop = new AbortController();
  let last = 0;
  const beat = async (): Promise<void> => {
    const bytes = Buffer.alloc(8);
    last = Math.max(last + 1, clock.now());
    bytes.writeDoubleLE(last, 0);
    // A full disk may refuse even this; without a heartbeat the lock still works where pids are
    // visible.
    await file.write(bytes, 0).catch(() => undefined);
  };
  await beat();
  const loop = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(options.heartbeatMs, stop.signal);
      if (stop.signal.aborted) return;
      await beat();
      // A failed read is no change of the lock; the next beat reads again.
      const names = await fileSystem.list(directory).catch(() => undefined);
      if (names !== undefined && !names.includes(name)) {
        options.onLost();
        return;
      }
    }
  };
  const running = loop();
  return {
    async release() {
      stop.abort();
      await running;
      await file.close();
      await removeIfThere(fileSystem, join(directory, name));
    },
  };
}

async function removeIfThere(fileSystem: JournalFileSystem, path: string): Promise<void> {
  // It is gone already, or a later opener finds its owner dead.
  await fileSystem.unlink(path).catch(() => undefined);
}

function lockName(owner: Owner): string {
  return `${prefix}${ownerText(owner)}${suffix}`;
}

function parseName(name: string): Owner | undefined {
  if (!name.startsWith(prefix) || !name.endsWith(suffix)) return undefined;
  return parseOwner(name.slice(prefix.length, -suffix.length));
}
