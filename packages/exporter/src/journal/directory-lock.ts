/**
 * @module Directory lock: one writer per directory (requirements of faults R19). The owner's
 * identity is the *name* of its lock file, so a lock is complete as soon as it exists. An opener
 * first creates its own file and then reads the others: of two concurrent openers at least one
 * sees the other and withdraws, and no file of a living owner is ever removed. An owner that this
 * process cannot check (another container, another host) counts as dead when its heartbeat, a
 * counter in its file, does not change for a while.
 */
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

import type { JournalClock } from "./clock.ts";
import { systemCode } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import type { Owner, Processes } from "./owner.ts";

/** The directory, and how the death of an owner is detected. */
export interface DirectoryLockOptions {
  readonly fileSystem: JournalFileSystem;
  readonly directory: string;
  readonly processes: Processes;
  readonly clock: JournalClock;
  /** Time between two heartbeats, and after how long an unchanged heartbeat means death. */
  readonly heartbeatMs: number;
  readonly silenceMs: number;
  /** Called once when another process took the directory because our heartbeat had stopped. */
  readonly onLost: () => void;
  /** Called once before waiting for the heartbeat of an owner that cannot be checked. */
  readonly onWait: () => void;
}

/** A held lock. */
export interface DirectoryLock {
  release(): Promise<void>;
}

const prefix = "owner-";
const suffix = ".lock";
const attemptsMax = 5;

/** Rejects with `journal_locked` while another living process holds the directory. */
export async function lockDirectory(options: DirectoryLockOptions): Promise<DirectoryLock> {
  const { fileSystem, directory, clock } = options;
  const name = lockName(options.processes.self());
  let waited = false;
  const onWait = (): void => {
    if (!waited) options.onWait();
    waited = true;
  };
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    const file = await raise(fileSystem, join(directory, name));
    const others = await otherLocks(fileSystem, directory, name);
    const living = await firstLiving({ ...options, onWait }, others);
    if (living === undefined) {
      for (const other of others) await removeIfThere(fileSystem, join(directory, other.name));
      return keepAlive(options, name, file);
    }
    await file.close();
    await removeIfThere(fileSystem, join(directory, name));
    if (living === "settled") break;
    // Two files were created at the same moment; a random delay separates the next attempts.
    await clock.sleep(5 + Math.random() * 50, undefined, true);
  }
  throw new CodedError("journal_locked");
}

async function raise(fileSystem: JournalFileSystem, path: string): Promise<JournalFile> {
  try {
    return await fileSystem.open(path, "create");
  } catch (error) {
    // This process holds it already: two openers in one process have the same name.
    if (systemCode(error) === "EEXIST") throw new CodedError("journal_locked");
    throw new CodedError("journal_failed", { cause: error });
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
  options: DirectoryLockOptions,
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
    options.onWait();
    const deadline = clock.now() + options.silenceMs;
    while (clock.now() < deadline) {
      // No other handle keeps the process alive while it opens its journal; it would end silently.
      await clock.sleep(options.heartbeatMs / 2, undefined, true);
      const beat = await readBeat(fileSystem, path);
      if (beat === undefined) break;
      if (beat !== first) return "settled";
    }
  }
  return undefined;
}

/** The counter in a lock file; 0 for a file without one, undefined when it was removed. */
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
  options: DirectoryLockOptions,
  name: string,
  file: JournalFile,
): Promise<DirectoryLock> {
  const { fileSystem, directory, clock } = options;
  const stop = new AbortController();
  let count = 0;
  const beat = async (): Promise<void> => {
    const bytes = Buffer.alloc(8);
    count += 1;
    bytes.writeDoubleLE(count, 0);
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
  await fileSystem.unlink(path).catch(() => undefined);
}

function lockName(owner: Owner): string {
  return `${prefix}${owner.boot}-${owner.namespace}-${owner.pid}-${owner.started}${suffix}`;
}

function parseName(name: string): Owner | undefined {
  const match = /^owner-([a-z0-9]+)-(\d+)-(\d+)-(\d+)\.lock$/.exec(name);
  if (match === null) return undefined;
  const [, boot = "", namespace = "", pid = "", started = ""] = match;
  return { boot, namespace, pid: Number(pid), started };
}
