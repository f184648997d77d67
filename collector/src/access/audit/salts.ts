/**
 * @module Salts: a random salt for each subject of the audit log, in a file beside it. A leaf of
 * the tree is a keyed hash of its line under the salt of the line's subject. Without the salt a
 * leaf reveals nothing, and proofs over it still verify.
 */
import { createHmac, randomBytes } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";

/** The salts of one log. */
export interface Salts {
  /** The salt of a subject; undefined once it was removed or when there never was one. */
  of(subject: string): Buffer | undefined;
  /** The salt of a subject, made when there is none. It is durable before it is returned. */
  take(subject: string): Buffer;
  /** There was no file when it was opened; a removal of the last salt leaves an empty one. */
  readonly missing: boolean;
}

/** Subject of lines that no operator and no user caused. */
export const noSubject = "-";

/** The file of salts beside an audit log. */
export function saltsFile(auditFile: string): string {
  return `${auditFile}.salts`;
}

/** Opens the salts in a file, which may be missing. */
export function openSalts(file: string): Salts {
  const missing = !existsSync(file);
  const salts = readSalts(file);
  return {
    missing,
    of: (subject) => salts.get(subject),
    take: (subject) => {
      const known = salts.get(subject);
      if (known !== undefined) return known;
      const salt = randomBytes(32);
      appendFileSync(file, `${subject} ${salt.toString("base64url")}\n`, { mode: 0o600 });
      sync(file);
      salts.set(subject, salt);
      return salt;
    },
  };
}

/** Removes a subject's salt; false when there was none. */
export function removeSalt(file: string, subject: string): boolean {
  const salts = readSalts(file);
  if (!salts.delete(subject)) return false;
  const lines = [...salts].map(([name, salt]) => `${name} ${salt.toString("base64url")}\n`);
  writeFileSync(`${file}.next`, lines.join(""), { mode: 0o600, flush: true });
  renameSync(`${file}.next`, file);
  sync(dirname(file), "r");
  return true;
}

/** Data of a line's leaf: 32 bytes. */
export function commit(salt: Buffer, line: string): Buffer {
  return createHmac("sha256", salt).update(line).digest();
}

function readSalts(file: string): Map<string, Buffer> {
  const salts = new Map<string, Buffer>();
  let text = "";
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  for (const line of text.split("\n")) {
    const [, subject, salt = ""] = /^(\S+) ([A-Za-z0-9_-]{43})$/.exec(line) ?? [];
    // A torn last line is the salt of a line that was never written.
    if (subject !== undefined) salts.set(subject, Buffer.from(salt, "base64url"));
  }
  return salts;
}

function sync(path: string, flags = "r+"): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
