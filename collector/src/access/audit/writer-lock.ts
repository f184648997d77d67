/**
 * @module Writer lock: one writer per audit file, by the lock of one process over the directory
 * `<file>.owners`.
 */
import { readFile, rm } from "node:fs/promises";

import { lockDirectory, makeDirectory, systemProcesses } from "@turnproof/journal/process-lock";
import type { DirectoryLock, DirectoryLockOptions, Owner } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

/** A held lock. */
export interface WriterLock extends DirectoryLock {
  /** True once another process holds the file: nothing may be written any more. */
  readonly lost: boolean;
}

/** When a holder counts as dead; times in milliseconds. */
export type WriterLockOptions = Pick<DirectoryLockOptions, "heartbeatMs" | "silenceMs">;

/**
 * Takes the lock of an audit file.
 *
 * @throws CodedError `audit_unavailable` while a living process holds it
 */
export async function holdLog(file: string, options: WriterLockOptions = {}): Promise<WriterLock> {
  const directory = `${file}.owners`;
  makeDirectory(directory);
  let lost = false;
  const lock = await lockDirectory({ directory, ...options, onLost: () => (lost = true) });
  if (lock === undefined) throw new CodedError("audit_unavailable");
  if (await heldByEarlier(`${file}.lock`)) {
    await lock.release();
    throw new CodedError("audit_unavailable");
  }
  return {
    get lost() {
      return lost;
    },
    release: () => lock.release(),
  };
}

/** Whether a running process of an earlier version holds its lock, a file that names the owner. */
async function heldByEarlier(file: string): Promise<boolean> {
  // Usually there is no such file.
  const owner = ownerIn(await readFile(file, "utf8").catch(() => ""));
  if (owner !== undefined && systemProcesses.liveness(owner) === "alive") return true;
  await rm(file, { force: true });
  return false;
}

function ownerIn(text: string): Owner | undefined {
  try {
    const { boot, namespace, pid, started } = JSON.parse(text) as Partial<Owner>;
    if (boot === undefined || namespace === undefined || pid === undefined) return undefined;
    return started === undefined ? undefined : { boot, namespace, pid, started };
  } catch {
    return undefined;
  }
}
