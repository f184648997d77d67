/**
 * @module DirectoryLock: one process at a time over the directory of an embedded PostgreSQL, which
 * has no lock of its own: two engines over one directory damage it. The lock is a file beside the
 * directory that names its owner, created complete by a hard link; a dead owner's lock is taken
 * over.
 */
import { createHash } from "node:crypto";
import { link, mkdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { livenessOf, newOwner, ownerName, ownerOf } from "../filesystem/process-owner.ts";

/**
 * Milliseconds between two heartbeats, and without one until an owner that cannot be checked is
 * dead.
 */
const beatMs = 5_000;
const deadAfterMs = 30_000;

/**
 * Locks the directory; returns the function that releases it.
 * @throws CodedError store_locked when another process, or this one, uses it
 */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = `${resolve(path)}.lock`;
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const name = ownerName(newOwner());
  const own = `${lock}.${name}`;
  await writeFile(own, name, { mode: 0o600, flag: "wx" });
  try {
    if (!(await linked(own, lock)) && !(await takenOver(lock, own))) {
      throw new CodedError("store_locked");
    }
  } finally {
    await rm(own, { force: true });
  }
  const beat = setInterval(() => {
    // A directory that was removed needs no lock any more.
    utimes(lock, new Date(), new Date()).catch(() => {});
  }, beatMs);
  beat.unref();
  return async () => {
    clearInterval(beat);
    if ((await ownerIn(lock)) === name) await rm(lock, { force: true });
  };
}

async function linked(own: string, lock: string): Promise<boolean> {
  try {
    await link(own, lock);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/**
 * Takes over the lock of a dead owner. Only the first process to claim succession to this owner
 * may remove the lock: if several processes that found it dead removed it, the later ones would
 * remove the lock that the first has created meanwhile. A dead process's claim is claimed the same
 * way.
 */
async function takenOver(lock: string, own: string): Promise<boolean> {
  const dead = await ownerIn(lock);
  if (dead === undefined) return linked(own, lock);
  const claims: string[] = [];
  let holder: string | undefined = dead;
  for (let file = lock; holder !== undefined;) {
    if (!(await isDead(file, holder))) return false;
    const claim = `${lock}.after-${digestOf(holder)}`;
    claims.push(claim);
    if (await linked(own, claim)) break;
    file = claim;
    holder = await ownerIn(claim);
  }
  // A claim that vanished belonged to a process that has the lock by now.
  if (holder === undefined) return false;
  try {
    // Until the claim is removed no other process touches this owner's lock; another owner's is
    // left alone.
    if ((await ownerIn(lock)) === dead) await rm(lock, { force: true });
    return await linked(own, lock);
  } finally {
    for (const claim of claims.toReversed()) await rm(claim, { force: true });
  }
}

function digestOf(owner: string): string {
  return createHash("sha256").update(owner).digest("hex").slice(0, 16);
}

async function isDead(lock: string, name: string): Promise<boolean> {
  const owner = ownerOf(name);
  const liveness = owner === undefined ? "unknown" : livenessOf(owner);
  if (liveness !== "unknown") return liveness === "dead";
  const beaten = await stat(lock).catch(() => undefined);
  return beaten !== undefined && Date.now() - beaten.mtimeMs > deadAfterMs;
}

async function ownerIn(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch(() => undefined);
}
