/** @module EpochKey: the key of a root's epoch; no id can be read from it. */
import { createHash } from "node:crypto";

/** The key of a root: 48 bits of SHA-256. Two roots with equal keys share their epoch. */
export function epochKey(root: string): number {
  return createHash("sha256").update(root).digest().readUIntBE(0, 6);
}
