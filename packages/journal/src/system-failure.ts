/**
 * @module SystemFailure: the file or folder that a system call failed on, and the system's name of
 * the reason, from an error or from what caused it.
 */
import { CodedError } from "@turnproof/semconv";

import { systemCode } from "./file-system.ts";

/** What failed. */
interface SystemFailure {
  /** Undefined for a call on an open file. */
  readonly path: string | undefined;
  /** Such as `EACCES`. */
  readonly reason: string;
}

/** The failed system call behind an error; undefined where there is none. */
function systemFailureOf(error: unknown): SystemFailure | undefined {
  for (let of = error; of instanceof Error; of = of.cause) {
    const { path, syscall } = of as NodeJS.ErrnoException;
    if (syscall !== undefined || path !== undefined) return { path, reason: systemCode(of) };
  }
  return undefined;
}

/**
 * Path and reason in the form of a field, such as `/data/journal: EACCES`; undefined where no
 * system call failed.
 *
 * @param place named where the call was on an open file
 */
export function systemField(error: unknown, place: string): string | undefined {
  const failure = systemFailureOf(error);
  return failure && `${failure.path ?? place}: ${failure.reason}`;
}

/** Why a journal cannot be opened. @param directory of the journal */
export function journalFailed(cause: unknown, directory: string): CodedError {
  const field = systemField(cause, directory);
  return new CodedError("journal_failed", { ...(field !== undefined && { field }), cause });
}
