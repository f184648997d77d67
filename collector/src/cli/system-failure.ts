/**
 * @module SystemFailure: failed system calls of a command in our own words: whether a file could
 * not be read or not be written, and what helps, by the system's name of the reason.
 */
import { constants, accessSync } from "node:fs";

import { CodedError } from "@turnproof/semconv";

/** What helps, by reason. */
const advice: { readonly [reason: string]: string | undefined } = {
  EACCES: "This user lacks a permission on what is named, or on its folder.",
  EPERM: "This user lacks a permission on what is named, or on its folder.",
  EROFS: "Its file system is mounted read-only.",
  EIO: "Its disk returned an error; read the kernel's log.",
  EMFILE: "This process has no file descriptor left; raise its limit (`ulimit -n`).",
  ENFILE: "This machine has no file descriptor left.",
  EISDIR: "A folder is in place of a file.",
  ENOTDIR: "A file is in place of a folder.",
  ELOOP: "A link there leads to itself.",
};

/** What to do about a field that ends with the system's reason, such as `/data/journal: EACCES`. */
export function reasonAdvice(field: string): string | undefined {
  const [, reason = ""] = /: (E[A-Z0-9]+)$/.exec(field) ?? [];
  return Object.hasOwn(advice, reason) ? advice[reason] : undefined;
}

/** Why the system neither reads nor writes a file that was named. */
const refusals: ReadonlySet<string> = new Set([
  "EACCES",
  "EISDIR",
  "ELOOP",
  "ENAMETOOLONG",
  "ENOENT",
  "ENOTDIR",
  "EPERM",
  "EROFS",
]);

/** Calls that change nothing. */
const reads: ReadonlySet<string> = new Set(["access", "lstat", "read", "scandir", "stat"]);

/** A refused system call as `file_unreadable` or `file_unwritable`; undefined for another error. */
export function refusedCall(error: unknown): CodedError | undefined {
  const { code = "", path } = (error ?? {}) as NodeJS.ErrnoException;
  if (!refusals.has(code)) return undefined;
  const field = path === undefined ? {} : { field: `${path}: ${code}` };
  return new CodedError(
    isWrite(error as NodeJS.ErrnoException) ? "file_unwritable" : "file_unreadable",
    {
      ...field,
      cause: error,
    },
  );
}

function isWrite({ code, path, syscall = "open" }: NodeJS.ErrnoException): boolean {
  if (code === "EROFS") return true;
  if (code === "ENOENT" || reads.has(syscall)) return false;
  if (syscall !== "open" || path === undefined) return syscall !== "open";
  // An open for reading is not refused where the file can be read, or where there is none.
  return (code === "EACCES" || code === "EPERM") && isReadableOrGone(path);
}

function isReadableOrGone(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT";
  }
}
