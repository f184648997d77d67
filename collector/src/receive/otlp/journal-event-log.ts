/**
 * @module JournalEventLog: lines of the log about the journal: code, counts, and files of
 * damage.
 */
import { join } from "node:path";

import type { JournalEvent } from "@turnproof/journal";
import { codes } from "@turnproof/semconv";

import type { Log } from "../../log.ts";

/** Writes an event of the journal into the log. */
export function logEvent(log: Log, directory: string, event: JournalEvent): void {
  const { code, count, files, lostFrames, atLeast } = event;
  const place = files === undefined ? {} : placeOf(directory, files);
  const lost = lostFrames === undefined ? {} : { lost_frames: lostFrames };
  const where = lostFrames === undefined && code !== "disk_full" ? {} : { path: directory };
  const bound = atLeast === undefined ? {} : { at_least: true };
  log.warn("journal_event", {
    code,
    count,
    ...lost,
    ...where,
    ...bound,
    sentence: codes[code].sentence,
    ...place,
  });
}

/** Files that a line of the log names; the count has all. */
const filesMax = 10;

function placeOf(
  directory: string,
  files: readonly string[],
): { readonly file: string; readonly command: string } {
  const paths = files.slice(0, filesMax).map((file) => join(directory, file));
  const unnamed = files.length > filesMax ? [`and ${files.length - filesMax} more`] : [];
  return { file: [...paths, ...unnamed].join(", "), command: "turnproof doctor" };
}
