/**
 * @module LostSegment: a file of the journal that goes while it is open. Its frames are counted
 * once: they leave the backlog, and the file's name stays among the damaged ranges, as that of one
 * that a start finds missing.
 */
import { loseRun } from "./backlog.ts";
import type { JournalPosition, Run } from "./backlog.ts";
import type { DamageRecord } from "./damage.ts";
import type { JournalParts } from "./journal-parts.ts";

/** Names of the files that were set aside since the call before. */
export function filesOf(damage: DamageRecord): { readonly files?: readonly string[] } {
  const files = damage.takeNew();
  return files.length === 0 ? {} : { files };
}

/**
 * Counts what was not read of a run by the position.
 *
 * @returns true where nothing pending is before it, so that it is drained
 */
export async function loseSegment(
  parts: JournalParts,
  run: Run,
  at: JournalPosition,
): Promise<boolean> {
  const { backlog, damage, state, writer } = parts;
  const { segment, offset } = run;
  const afterMs = run.marks[0]?.appendedAtMs ?? null;
  const lost = loseRun(backlog, run, at);
  if (lost === undefined) return false;
  const { frames: lostFrames, spans: lostSpans } = lost.totals;
  state.lostSpans += lostSpans;
  // Further frames of the same file, which were written to it after it was gone.
  const from = damage.known(segment.name, 0) ? offset : 0;
  await damage.record({ segment: segment.name, from, to: from, lostFrames, afterMs }, undefined);
  const counts = { count: 1, lostFrames, lostSpans, ...filesOf(damage) };
  parts.options.onEvent?.({ code: "journal_segment_missing", ...counts });
  // What is written to a file without a name is lost as well.
  if (segment === writer.active()) writer.leave();
  return backlog.drainedThrough >= lost.last;
}
