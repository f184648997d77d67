/** @module RemoveDrained: unlinks segments without pending frames, at a start and later. */
import { join } from "node:path";

import { drainedSegments } from "./backlog.ts";
import type { Backlog } from "./backlog.ts";
import type { JournalParts } from "./journal-parts.ts";
import type { SurveyOptions } from "./recovery-survey.ts";

/**
 * Removes files without pending frames. Only after the checkpoint that covers them: a process that
 * is killed in between would count what was lost in them again.
 */
export async function removeDrained(
  options: Pick<SurveyOptions, "fileSystem" | "directory">,
  backlog: Backlog,
): Promise<void> {
  let removed = 0;
  for (const { name } of drainedSegments(backlog)) {
    try {
      await options.fileSystem.unlink(join(options.directory, name));
      backlog.segments.delete(name);
      removed += 1;
    } catch {
      // It holds no pending frame, so it may stay until the disk allows its removal.
    }
  }
  if (removed > 0) await options.fileSystem.syncDirectory(options.directory).catch(() => undefined);
}

/** Removes segments that were drained while the journal is open, after their checkpoint. */
export async function unlinkDrained(parts: JournalParts): Promise<void> {
  const { backlog, fileSystem, directory, writer } = parts;
  let removed = 0;
  for (const segment of drainedSegments(backlog)) {
    if (segment === writer.active() && !(await retireActive(parts, segment.bytes))) continue;
    // It may have been written to while the previous one was removed.
    if (!drainedSegments(backlog).includes(segment)) continue;
    await fileSystem.unlink(join(directory, segment.name)).catch(() => undefined);
    backlog.segments.delete(segment.name);
    removed += 1;
  }
  if (removed === 0) return;
  // Segments that come back after a power cut are drained again, under their tokens.
  await fileSystem.syncDirectory(directory).catch(() => undefined);
  await parts.reserve.refill();
}

/** A small drained segment stays active: a new file costs more than its space. */
async function retireActive(parts: JournalParts, bytes: number): Promise<boolean> {
  return bytes >= Math.min(1024 * 1024, parts.bytesMax / 8) && parts.writer.retire();
}
