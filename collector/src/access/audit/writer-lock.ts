/**
 * @module Writer lock: one writer per audit file. The lock identifies a process by boot, pid
 * namespace, pid and start, because a pid alone is reused after a crash. A holder that this
 * process cannot check (another container) counts as dead when its heartbeat, the file's
 * modification time, stops.
 */
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

import { systemProcesses } from "@turnproof/exporter/journal";
import type { Owner, Processes } from "@turnproof/exporter/journal";
import { CodedError } from "@turnproof/semconv";

/** A held lock. */
export interface WriterLock {
  /** True once another process has the file: nothing may be written any more. */
  readonly lost: boolean;
  release(): void;
}

/** Timing of dead-owner detection, in milliseconds. */
export interface WriterLockOptions {
  readonly processes?: Processes;
  /** Time between two heartbeats, and after how long without one the owner counts as dead. */
  readonly heartbeatMs?: number;
  readonly silenceMs?: number;
}

interface Holder extends Owner {
  /** Distinguishes two holders inside one process. */
  readonly token: string;
}

const defaults = { heartbeatMs: 2_000, silenceMs: 8_000 } as const;

/**
 * Takes the lock.
 *
 * @throws CodedError `audit_unavailable` while a living process holds it
 */
export async function holdLock(path: string, options: WriterLockOptions = {}): Promise<WriterLock> {
  const { processes = systemProcesses } = options;
  const { heartbeatMs, silenceMs } = { ...defaults, ...options };
  const text = JSON.stringify({ ...processes.self(), token: randomUUID() } satisfies Holder);
  if (!create(path, text)) {
    const held = readText(path);
    if (await isHeld(path, held, { processes, heartbeatMs, silenceMs })) {
      throw new CodedError("audit_unavailable");
    }
    // A process that took over meanwhile has written its own name, which is kept.
    if (readText(path) === held) rmSync(path, { force: true });
    if (!create(path, text)) throw new CodedError("audit_unavailable");
  }
  return keepAlive(path, text, heartbeatMs);
}

function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return false;
  }
}

async function isHeld(
  path: string,
  text: string | undefined,
  { processes, heartbeatMs, silenceMs }: Required<WriterLockOptions>,
): Promise<boolean> {
  const holder = text === undefined ? undefined : holderOf(text);
  const liveness = holder === undefined ? "unknown" : processes.liveness(holder);
  if (liveness !== "unknown") return liveness === "alive";
  const first = beatOf(path);
  // Under one kernel there is one clock, so a heartbeat that is long past needs no waiting.
  const sameClock = holder !== undefined && holder.boot === processes.self().boot;
  const silentMs = sameClock && first !== undefined ? Date.now() - first : 0;
  for (let waited = silentMs; waited < silenceMs; waited += heartbeatMs / 2) {
    await sleep(heartbeatMs / 2);
    const beat = beatOf(path);
    if (beat === undefined) return false;
    if (beat !== first) return true;
  }
  return false;
}

function keepAlive(path: string, text: string, heartbeatMs: number): WriterLock {
  let lost = false;
  const timer = setInterval(() => {
    const said = readText(path);
    // A removed lock file is created again; one with another owner means that the lock is lost.
    lost ||= said === undefined ? !create(path, text) : said !== text;
    if (lost) clearInterval(timer);
    else utimesSync(path, new Date(), new Date());
  }, heartbeatMs);
  timer.unref();
  return {
    get lost() {
      return lost;
    },
    release: () => {
      clearInterval(timer);
      if (readText(path) === text) rmSync(path, { force: true });
    },
  };
}

/** The holder in a lock file; an earlier version wrote only its pid, which identifies nothing. */
function holderOf(text: string): Holder | undefined {
  try {
    const { boot, namespace, pid, started, token } = JSON.parse(text) as Partial<Holder>;
    if (boot === undefined || namespace === undefined || started === undefined) return undefined;
    return pid === undefined || token === undefined
      ? undefined
      : { boot, namespace, pid, started, token };
  } catch {
    return undefined;
  }
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function beatOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}
