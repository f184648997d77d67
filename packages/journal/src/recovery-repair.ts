/**
 * @module RecoveryRepair: the second phase of a recovery: unfinished tails are cut off, damaged
 * ranges set aside and counted, and so are the frames of segments that are missing.
 */
import { join } from "node:path";

import { isNewest } from "./checkpoint-file.ts";
import type { FoundCheckpoint } from "./checkpoint-file.ts";
import type { DamagedRange, DamageRecord } from "./damage.ts";
import { missingFrames } from "./missing-segments.ts";
import type { SurveyOptions, Survey, FoundSegment, FoundGap } from "./recovery-survey.ts";
import { lostBetween } from "./recovery-survey.ts";

/** What was repaired, and what could not be. */
export interface Repairs {
  newRanges: number;
  newLostFrames: number;
  tornBytes: number;
  missingSegments: number;
}

/** A surveyed directory that may be changed. */
export interface RepairOptions extends SurveyOptions {
  readonly found: FoundCheckpoint;
  readonly damage: DamageRecord;
}

/** Repairs each segment, then counts the frames of missing ones. */
export async function repairSegments(options: RepairOptions, survey: Survey): Promise<Repairs> {
  const repairs = { newRanges: 0, newLostFrames: 0, tornBytes: 0, missingSegments: 0 };
  for (const [index, segment] of survey.segments.entries()) {
    await repair(options, survey, segment, survey.segments[index + 1], repairs);
  }
  for (const range of missingFrames({ ...survey, checkpoint: options.checkpoint })) {
    await addRange(options, range, repairs);
  }
  return repairs;
}

/**
 * Classifies the gaps of one segment and repairs what can be repaired; a disk that refuses does
 * not stop it.
 */
async function repair(
  options: RepairOptions,
  survey: Survey,
  found: FoundSegment,
  following: FoundSegment | undefined,
  repairs: Repairs,
): Promise<void> {
  const expectedEnd = endOf(options, survey, { found, following }, repairs);
  survey.placed.add(found.base, expectedEnd - 1);
  const drained = options.checkpoint.drainedThrough;
  for (const gap of gapsOf(found)) {
    const last = (gap.beforeSequence ?? expectedEnd) - 1;
    const first = Math.max(gap.afterSequence, drained) + 1;
    const lostFrames = lostBetween(survey, first, Math.min(last, survey.acknowledged));
    const isTail = gap.beforeSequence === undefined;
    if (isTail && lostFrames === 0) {
      if (gap.to > gap.from) await cutOff(options, survey, found, gap.from);
      repairs.tornBytes += gap.to - gap.from;
      continue;
    }
    if (!isTail && last <= drained && gap.from > 0) continue;
    const { from, to, afterMs } = gap;
    await addRange(options, { segment: found.name, from, to, lostFrames, afterMs }, repairs);
  }
}

/** The gaps of a segment, with the one at its end, which may be empty. */
function gapsOf({ gaps, size, lastFound, lastMs }: FoundSegment): readonly FoundGap[] {
  if (gaps.some((gap) => gap.beforeSequence === undefined)) return gaps;
  const end = { afterSequence: lastFound, beforeSequence: undefined, afterMs: lastMs };
  return [...gaps, { from: size, to: size, ...end }];
}

/** First sequence that the segment cannot contain, from its neighbours. */
function endOf(
  { found: of, checkpoint }: RepairOptions,
  survey: Survey,
  {
    found,
    following,
  }: { readonly found: FoundSegment; readonly following: FoundSegment | undefined },
  repairs: Repairs,
): number {
  const seenEnd = found.lastFound + 1;
  if (following === undefined) {
    const isLast = !isNewest(of) || found.base >= checkpoint.activeBase;
    if (isLast) return Math.max(seenEnd, survey.acknowledged + 1);
    if (survey.acknowledged > Math.max(found.lastFound, checkpoint.drainedThrough)) {
      repairs.missingSegments += 1;
    }
    return seenEnd;
  }
  // Its name holds the sequence of its first frame; what was never acknowledged before it is
  // unknown then.
  if (following.head === undefined) return Math.max(seenEnd, following.base);
  if (following.head.previousBase === found.base) {
    return Math.max(seenEnd, following.head.previousEnd);
  }
  if (following.base !== found.base) repairs.missingSegments += 1;
  return seenEnd;
}

/** Records a damaged range, and counts it unless an earlier start did. */
async function addRange(
  options: RepairOptions,
  range: DamagedRange,
  repairs: Repairs,
): Promise<void> {
  if (!(await recordRange(options, range))) return;
  repairs.newRanges += 1;
  repairs.newLostFrames += range.lostFrames;
}

async function recordRange(options: RepairOptions, range: DamagedRange): Promise<boolean> {
  if (options.damage.known(range.segment, range.from)) return false;
  const path = join(options.directory, range.segment);
  // The range is recorded without its bytes where they cannot be read.
  const file = await options.fileSystem.open(path, "read").catch(() => undefined);
  try {
    return await options.damage.record(range, file);
  } finally {
    await file?.close();
  }
}

async function cutOff(
  options: RepairOptions,
  survey: Survey,
  found: FoundSegment,
  length: number,
): Promise<void> {
  try {
    const file = await options.fileSystem.open(join(options.directory, found.name), "write");
    try {
      await file.truncate(length);
      await file.sync();
    } finally {
      await file.close();
    }
    const segment = survey.backlog.segments.get(found.name);
    if (segment !== undefined) segment.bytes = length;
  } catch {
    // The tail stays; the next start finds and ignores it again.
  }
}
