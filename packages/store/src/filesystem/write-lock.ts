/**
 * @module WriteLock: one writer at a time over all processes of the directory. A holder is the
 * *name* of a file, so a lock is complete as soon as it exists, and the file of a dead holder can
 * be removed without ever removing a living one's. A writer first creates its own file and then
 * reads the others: of two concurrent writers at least one sees the other and withdraws.
 */
import { randomBytes } from "node:crypto";

import { ownerText, parseOwner, systemProcesses } from "@turnproof/journal/process-lock";
import type { Owner } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

import type { Disk, DiskPlace } from "./disk.ts";

/** File name of a new holder in a process; its random end makes those of one process different. */
export function holderName(owner: Owner): string {
  return `owner-${ownerText(owner)}-${randomBytes(8).toString("hex")}`;
}

/** The process of the holder that a file name names. */
function holderOf(name: string): Owner | undefined {
  const match = /^owner-(.+)-[0-9a-f]{16}$/.exec(name);
  return match === null ? undefined : parseOwner(match[1] ?? "");
}

/** Times of a lock, in milliseconds. */
export interface LockTimes {
  /** Interval of a holder's heartbeat, at most. */
  readonly heartbeatMs: number;
  /** After this time without a heartbeat, a holder that cannot be checked counts as dead. */
  readonly silenceMs: number;
  /** How long a writer waits for others. */
  readonly patienceMs: number;
  /** Waiting writers of one process keep the lock for this long. */
  readonly turnMs: number;
}

const usual: LockTimes = { heartbeatMs: 1_000, silenceMs: 15_000, patienceMs: 30_000, turnMs: 50 };

/** A held lock, for the work. */
export interface Held {
  /** Throws `store_busy` when the lock was taken over because its heartbeat had stopped. */
  confirm(): Promise<void>;
}

/** One writer at a time. */
export interface WriteLock {
  /**
   * Runs the work under the lock. Rejects with `store_busy` when others do not release it in time.
   */
  run<T>(work: (held: Held) => Promise<T>): Promise<T>;
  /** Resolves when no work waits and the lock is released. */
  idle(): Promise<void>;
}

/** A lock in this folder, which is created on first use. */
export function writeLock(
  disk: Disk,
  folder: DiskPlace,
  times: Partial<LockTimes> = {},
): WriteLock {
  const bounds = { ...usual, ...times };
  const owner = holderName(systemProcesses.self());
  const own = [...folder, owner];
  const held: Held = {
    async confirm() {
      if ((await disk.stat(own)) === undefined) throw new CodedError("store_busy");
    },
  };
  const waiting: (() => Promise<void>)[] = [];
  let running: Promise<void> | undefined;
  /** Takes the lock, runs the waiting work, releases the lock, until none waits. */
  const drain = async (): Promise<void> => {
    while (waiting.length > 0) {
      const release = await take(disk, folder, owner, bounds).catch((error: unknown) => error);
      if (typeof release !== "function") {
        // All callers that waited for this attempt are rejected; later ones try again.
        const refused = waiting.splice(0);
        failure = release;
        for (const job of refused) await job();
        failure = undefined;
        continue;
      }
      const end = Date.now() + bounds.turnMs;
      do await waiting.shift()?.();
      while (waiting.length > 0 && Date.now() < end);
      await (release as () => Promise<void>)();
    }
    running = undefined;
  };
  let failure: unknown;
  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        waiting.push(async () => {
          if (failure !== undefined) reject(failure);
          else await work(held).then(resolve, reject);
        });
        running ??= drain();
      }),
    async idle() {
      await running;
    },
  };
}

/** Creates our file until it is the only living one. */
async function take(
  disk: Disk,
  folder: DiskPlace,
  owner: string,
  times: LockTimes,
): Promise<() => Promise<void>> {
  await disk.ensure(folder);
  const own = [...folder, owner];
  const seen = new Map<string, { readonly beat: number; readonly since: number }>();
  const end = Date.now() + times.patienceMs;
  for (let round = 0; ; round += 1) {
    await disk.mark(own);
    if (!(await otherLiving(disk, folder, owner, times, seen))) break;
    await disk.remove(own);
    if (Date.now() > end) throw new CodedError("store_busy");
    // Two that were created at the same moment wait for different times.
    await sleep(1 + Math.random() * Math.min(40, 2 + round));
  }
  const beat = setInterval(() => void disk.touch(own).catch(() => undefined), times.heartbeatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    // Where it remains, others find its heartbeat silent and remove it.
    await disk.remove(own).catch(() => undefined);
  };
}

/** True while another owner holds the lock; files of dead owners are removed. */
async function otherLiving(
  disk: Disk,
  folder: DiskPlace,
  owner: string,
  times: LockTimes,
  seen: Map<string, { readonly beat: number; readonly since: number }>,
): Promise<boolean> {
  let living = false;
  for (const name of await disk.list(folder)) {
    const other = name === owner ? undefined : holderOf(name);
    if (other === undefined) continue;
    const liveness = systemProcesses.liveness(other);
    const beat = (await disk.stat([...folder, name]))?.changedMs;
    if (beat === undefined) continue;
    const before = seen.get(name);
    if (before?.beat !== beat) seen.set(name, { beat, since: Date.now() });
    const silent = before?.beat === beat && Date.now() - before.since > times.silenceMs;
    if (liveness === "dead" || (liveness === "unknown" && silent)) {
      await disk.remove([...folder, name]);
    } else {
      living = true;
    }
  }
  return living;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
