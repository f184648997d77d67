/**
 * @module DirectoryLock: one process at a time over the directory of an embedded PostgreSQL, which
 * does not look by itself: two engines over one directory damage it. The lock is a file beside the
 * directory that names its owner, made by linking it whole; one of a dead owner is taken over.
 */
import { link, mkdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";

import { CodedError } from "@turnproof/semconv";

import { livenessOf, newOwner, ownerName, ownerOf } from "../filesystem/process-owner.ts";

/** Milliseconds between two signs of life, and without one until an owner out of sight is dead. */
const beatMs = 5_000;
const deadAfterMs = 30_000;

/**
 * Locks the directory; the answer releases it.
 * @throws CodedError store_locked when another process, or this one, uses it
 */
export async function lockDirectory(path: string): Promise<() => Promise<void>> {
  const lock = `${resolve(path)}.lock`;
  await mkdir(dirname(lock), { recursive: true, mode: 0o700 });
  const name = ownerName(newOwner());
  const own = `${lock}.${name}`;
  await writeFile(own, name, { mode: 0o600, flag: "wx" });
  try {
    if (!(await linked(own, lock))) {
      await removeDead(lock, own);
      if (!(await linked(own, lock))) throw new CodedError("store_locked");
    }
  } finally {
    await rm(own, { force: true });
  }
  const beat = setInterval(() => {
    // A directory that went away has nothing to lock any more.
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

/** Takes a dead owner's lock away. Moved first: what two found dead, one may have made anew. */
async function removeDead(lock: string, own: string): Promise<void> {
  const found = await ownerIn(lock);
  if (found === undefined) return;
  if (!(await isDead(lock, found))) throw new CodedError("store_locked");
  const aside = `${own}.dead`;
  await rename(lock, aside).catch(() => {});
  const moved = await ownerIn(aside);
  if (moved !== undefined && moved !== found) await linked(aside, lock);
  await rm(aside, { force: true });
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
