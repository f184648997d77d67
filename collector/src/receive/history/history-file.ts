/**
 * @module HistoryFile: the minutes of the receiving side on the disk, a file for each day of UTC
 * and a line for each minute. A line that a power cut left unfinished is no minute.
 */
import { appendFile, readFile, readdir, rm } from "node:fs/promises";
import { join } from "node:path";

import { isoTime } from "@turnproof/semconv";

import type { IngestMinute } from "./minute.ts";

const dayMs = 86_400_000;
/** End of the year 9999: names of files are in the order of their days up to here. */
const lastMs = Date.parse("9999-12-31T23:59:59.999Z");
/** Days that are kept; older files are removed. */
export const historyDays = 35;

/** Adds a minute; it survives a power cut once resolved. @throws the system call's error */
export async function appendMinute(folder: string, minute: IngestMinute): Promise<void> {
  // The break before it ends a line that was left unfinished.
  const line = `\n${JSON.stringify(minute)}\n`;
  await appendFile(join(folder, fileOf(minute.from_ms)), line, { flush: true, mode: 0o600 });
}

/** The minutes that overlap a range, oldest first; `toMs` is exclusive. */
export async function readMinutes(
  folder: string,
  fromMs: number,
  toMs: number,
): Promise<readonly IngestMinute[]> {
  const first = fileOf(fromMs - 60_000);
  const last = fileOf(toMs);
  const minutes: IngestMinute[] = [];
  for (const name of await filesIn(folder)) {
    if (name < first || name > last) continue;
    const text = await readFile(join(folder, name), "utf8").catch(noText);
    for (const line of text.split("\n")) {
      const minute = line === "" ? undefined : parsed(line);
      if (minute !== undefined && minute.to_ms > fromMs && minute.from_ms < toMs) {
        minutes.push(minute);
      }
    }
  }
  return minutes.toSorted((a, b) => a.from_ms - b.from_ms);
}

/** Removes the files of days that are older than the kept ones. */
export async function removeOldDays(folder: string, nowMs: number): Promise<void> {
  const oldest = fileOf(nowMs - historyDays * dayMs);
  for (const name of await filesIn(folder)) {
    if (name < oldest) await rm(join(folder, name), { force: true });
  }
}

function fileOf(atMs: number): string {
  const day = isoTime(Math.min(Math.max(atMs, 0), lastMs));
  return `minutes-${day.slice(0, 10)}.jsonl`;
}

async function filesIn(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder).catch((): string[] => []);
  return names.filter((name) => /^minutes-\d{4}-\d{2}-\d{2}\.jsonl$/.test(name)).toSorted();
}

/** The file of a day may be removed while it is read. */
function noText(error: unknown): string {
  if ((error as NodeJS.ErrnoException).code === "ENOENT") return "";
  throw error;
}

function parsed(line: string): IngestMinute | undefined {
  try {
    const parsed = JSON.parse(line) as Partial<IngestMinute> | null;
    const { from_ms: from, to_ms: to, counts, peaks } = parsed ?? {};
    const isWhole =
      Number.isFinite(from) &&
      Number.isFinite(to) &&
      typeof counts === "object" &&
      typeof peaks === "object";
    return isWhole ? (parsed as IngestMinute) : undefined;
  } catch {
    return undefined;
  }
}
