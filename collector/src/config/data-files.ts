/**
 * @module DataFiles: reads of files and folders that may not be there. Only a missing one counts as
 * none: what cannot be read may hold keys or evidence.
 */
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
