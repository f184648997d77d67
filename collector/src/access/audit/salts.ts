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
import { basename, dirname } from "node:path";

import { CodedError } from "@turnproof/semconv";

/** The salts of one log. */
export interface Salts {
  /**
   * The salt of a subject's record with this number; undefined once it was removed, also where the
   * subject has another salt for later records, or when there never was one.
   */
  of(subject: string, seq: number): Buffer | undefined;
  /** The salt for a new record, made when there is none. It is durable before it is returned. */
  take(subject: string, seq: number): Buffer;
  /** Reads what another process has added. */
  reread(): void;
  /** There was no file when it was opened; a removal of the last salt leaves an empty one. */
  readonly missing: boolean;
}

/** Subject of lines that no operator and no user caused. */
export const noSubject = "-";

/** The file of salts beside an audit log. */
export function saltsFile(auditFile: string): string {
  return `${auditFile}.salts`;
}

/** A salt, and the first record that it is for: a user who was deleted may return. */
interface Salt {
  readonly salt: Buffer;
  readonly from: number;
}

/** Opens the salts in a file, which may be missing. */
export function openSalts(file: string): Salts {
  const missing = !existsSync(file);
  let salts = readSalts(file);
  let isTorn = !endsWhole(file);
  const add = (subject: string, added: Salt): void => {
    // A line that was not written whole must not become the beginning of this one.
    const start = isTorn ? "\n" : "";
    isTorn = true;
    appendFileSync(file, `${start}${linesOf(subject, added)}`, { mode: 0o600 });
    sync(file);
    isTorn = false;
    salts.set(subject, added);
  };
  return {
    missing,
    of: (subject, seq) => {
      const known = salts.get(subject);
      return known === undefined || known.from > seq ? undefined : known.salt;
    },
    take: (subject, seq) => {
      const known = salts.get(subject);
      if (known !== undefined && known.from <= seq) return known.salt;
      // After a cut of the log numbers are given again.
      const salt = known?.salt ?? randomBytes(32);
      add(subject, { salt, from: seq });
      return salt;
    },
    reread: () => (salts = readSalts(file)),
  };
}

/** Earlier versions read the first of the two lines, and pass over the other. */
function linesOf(subject: string, { salt, from }: Salt): string {
  return `${subject} ${salt.toString("base64url")}\nfrom ${subject} ${from}\n`;
}

/** Removes a subject's salt; false when there was none. */
export function removeSalt(file: string, subject: string): boolean {
  const salts = readSalts(file);
  if (!salts.delete(subject)) return false;
  const lines = [...salts].map(([name, salt]) => linesOf(name, salt));
  writeFileSync(`${file}.next`, lines.join(""), { mode: 0o600, flush: true });
  renameSync(`${file}.next`, file);
  sync(dirname(file), "r");
  return true;
}

/** Data of a line's leaf: 32 bytes. */
export function commit(salt: Buffer, line: string): Buffer {
  return createHmac("sha256", salt).update(line).digest();
}

function readSalts(file: string): Map<string, Salt> {
  const salts = new Map<string, Salt>();
  for (const line of textOf(file).split("\n")) {
    const [, subject, salt = ""] = /^(\S+) ([A-Za-z0-9_-]{43})$/.exec(line) ?? [];
    const [, of = "", from] = /^from (\S+) (\d+)$/.exec(line) ?? [];
    const known = salts.get(of);
    // A torn last line is the salt of a line that was never written.
    if (subject !== undefined)
      salts.set(subject, { salt: Buffer.from(salt, "base64url"), from: 0 });
    else if (known !== undefined) salts.set(of, { ...known, from: Number(from) });
  }
  return salts;
}

function endsWhole(file: string): boolean {
  const text = textOf(file);
  return text === "" || text.endsWith("\n");
}

/** @throws CodedError audit_unavailable naming the file, which is such as a folder */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return "";
    throw new CodedError("audit_unavailable", { field: basename(file), cause });
  }
}

function sync(path: string, flags = "r+"): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
