/**
 * @module DataFiles: reads of files and folders that may not be there, and what the system permits
 * on them. Only a missing one counts as none: what cannot be read may hold keys or evidence.
 */
import { accessSync, constants } from "node:fs";

import { systemField } from "@turnproof/journal/process-lock";
import { CodedError } from "@turnproof/semconv";

/**
 * What a read answers; undefined where the file or folder is not there.
 *
 * @param field its name in the data directory
 * @throws CodedError file_unreadable naming it, for any other failure
 */
export async function ifThere<T>(reading: Promise<T>, field: string): Promise<T | undefined> {
  try {
    return await reading;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw new CodedError("file_unreadable", { field, cause });
  }
}

/** What a file or folder has to permit to the user of this process. */
export interface NeededAccess {
  readonly isFolder: boolean;
  readonly isWritten: boolean;
}

/**
 * The permission that is missing: `file_unreadable` or `file_unwritable` with path and reason.
 * Undefined where all are given, or where the path does not exist.
 */
export function missingAccess(
  path: string,
  { isFolder, isWritten }: NeededAccess,
): CodedError | undefined {
  const read = constants.R_OK | (isFolder ? constants.X_OK : 0);
  const unreadable = refusal(path, read);
  if (unreadable !== undefined) return denied("file_unreadable", path, unreadable);
  const unwritable = isWritten ? refusal(path, constants.W_OK) : undefined;
  return unwritable === undefined ? undefined : denied("file_unwritable", path, unwritable);
}

function denied(
  code: "file_unreadable" | "file_unwritable",
  path: string,
  cause: unknown,
): CodedError {
  return new CodedError(code, { field: systemField(cause, path) ?? path, cause });
}

/** The system's error; undefined where it permits this, or where the path does not exist. */
function refusal(path: string, mode: number): unknown {
  try {
    accessSync(path, mode);
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ENOENT" ? undefined : error;
  }
}
