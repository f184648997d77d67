/**
 * @module Make directory: a directory with its missing parents. `mkdir` of Node with `recursive`
 * never returns where a file system answers a creation with ENOENT although the parent exists, as
 * `/proc` does; a wrong path in the settings would stop its host.
 */
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates `path` and its missing parents, each with mode 0700. Returns the topmost directory that
 * it created, undefined when the whole path existed.
 *
 * @throws the error of the system, such as EEXIST for a file, EACCES, EROFS or ENOENT
 */
export function makeDirectory(path: string): string | undefined {
  const missing: string[] = [];
  let level = resolve(path);
  while (!existsSync(level) && level !== dirname(level)) {
    missing.unshift(level);
    level = dirname(level);
  }
  if (missing.length === 0) makeLevel(level);
  return missing.filter((each) => makeLevel(each))[0];
}

/** Whether this call created the directory; false when it is there. */
function makeLevel(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    // `/` and `/proc` answer with other codes than EEXIST; what counts is that it is a directory.
    if (existsSync(path) && statSync(path).isDirectory()) return false;
    throw error;
  }
}
