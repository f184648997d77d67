/**
 * @module Writer lock: one writer per audit file. A lock whose process is gone is taken over.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";

const held = new Set<string>();

/**
 * Takes the lock; the returned function gives it back.
 *
 * @throws CodedError `audit_unavailable` while a living process holds it
 */
export function holdLock(path: string): () => void {
  if (held.has(path)) throw new CodedError("audit_unavailable");
  const take = (): boolean => {
    try {
      writeFileSync(path, String(process.pid), { flag: "wx", mode: 0o600 });
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      return false;
    }
  };
  if (!take()) {
    if (isAlive(Number(readFileSync(path, "utf8")))) throw new CodedError("audit_unavailable");
    rmSync(path, { force: true });
    if (!take()) throw new CodedError("audit_unavailable");
  }
  held.add(path);
  return () => {
    held.delete(path);
    rmSync(path, { force: true });
  };
}

function isAlive(pid: number): boolean {
  // A container's collector has the same pid after every restart: a lock of our own pid that this
  // process does not hold is a stale one.
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
