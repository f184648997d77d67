/**
 * @module Lines: the lines of an audit log over its rotated files, oldest first, a part at a time.
 */
import { createReadStream } from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

import { ifThere } from "../../config/data-files.ts";

/** Rotated files of an audit log, oldest first. */
export async function rotatedFiles(file: string): Promise<readonly string[]> {
  // Without a directory there is no rotated file.
  const names = (await ifThere(readdir(dirname(file)), basename(dirname(file)))) ?? [];
  const prefix = `${basename(file)}.`;
  return names
    .filter((name) => name.startsWith(prefix) && /^\d{12}$/.test(name.slice(prefix.length)))
    .toSorted()
    .map((name) => join(dirname(file), name));
}

/** Lines of one file; the last one is `torn` when no newline ends it. */
export interface LineBatch {
  readonly lines: readonly string[];
  readonly torn: boolean;
}

/** Small enough that a check beside requests never holds them up. */
const chunkBytes = 65_536;

/** The lines of a file that may be missing, without empty ones; of its first `bytes` only. */
export async function* linesOf(
  file: string,
  bytes: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<LineBatch> {
  if (bytes === 0) return;
  let rest = "";
  try {
    const part = { encoding: "utf8", highWaterMark: chunkBytes, end: bytes - 1 } as const;
    const text = createReadStream(file, part);
    for await (const chunk of text as AsyncIterable<string>) {
      const lines = `${rest}${chunk}`.split("\n");
      rest = lines.pop() ?? "";
      yield { lines: lines.filter((line) => line !== ""), torn: false };
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (rest !== "") yield { lines: [rest], torn: true };
}

/** The lines of a log, rotated files first. */
export async function* logLines(file: string): AsyncGenerator<LineBatch> {
  for (const path of [...(await rotatedFiles(file)), file]) yield* linesOf(path);
}
