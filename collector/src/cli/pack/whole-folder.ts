/**
 * @module WholeFolder: a folder that has all its files or none, so that a failure does not block
 * the next try. Files are written into a folder inside of it and moved up at the end; a sibling
 * would not do, because a mounted folder cannot be replaced.
 */
import { mkdir, readdir, rename, rm, rmdir } from "node:fs/promises";
import { join } from "node:path";

import { CodedError } from "@turnproof/semconv";

const unfinishedName = ".unfinished";

/**
 * Fills a new or empty folder. What a killed command left is removed first.
 *
 * @param last the file that makes the folder complete, moved after all others
 * @throws CodedError `parameter_invalid` for a folder that has files
 */
export async function wholeFolder<T>(
  out: string,
  last: string,
  fill: (folder: string) => Promise<T>,
): Promise<T> {
  const made = await mkdir(out, { recursive: true });
  if ((await readdir(out)).some((name) => name !== unfinishedName)) {
    throw new CodedError("parameter_invalid", { field: "out" });
  }
  const unfinished = join(out, unfinishedName);
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished);
  try {
    const result = await fill(unfinished);
    const names = (await readdir(unfinished)).filter((name) => name !== last);
    for (const name of [...names, last]) await rename(join(unfinished, name), join(out, name));
    await rmdir(unfinished);
    return result;
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    // One that is not empty has files that were moved up already.
    if (made !== undefined && (await readdir(out)).length === 0) await rmdir(out);
    throw error;
  }
}
