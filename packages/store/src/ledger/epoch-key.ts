/** @module EpochKey: the name under which a root's epoch is kept; no id can be read from it. */
import { createHash } from "node:crypto";

/** The number of a root: 48 bits of SHA-256. Two roots of one number share their epoch. */
export function epochKey(root: string): number {
  return createHash("sha256").update(root).digest().readUIntBE(0, 6);
}
