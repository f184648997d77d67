/**
 * @module Recovery: builds a backlog from the files of the directory, unattended. It surveys
 * everything before it changes anything: a newer version must be refused with every byte in place.
 * Then it repairs. A segment is unlinked after the checkpoint that covers it, so a missing one was
 * lost, unless the newest checkpoint is missing as well.
 */
import type { Backlog } from "./backlog.ts";
import { isNewest } from "./checkpoint-file.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import { missingAtStart } from "./missing-segments.ts";
import { damagedIn, knownTotal } from "./span-totals.ts";
import type { DamagedSpans, KnownTotal } from "./span-totals.ts";
import type { RepairOptions, Repairs } from "./recovery-repair.ts";
import { readHeads, surveySegments, lostBetween } from "./recovery-survey.ts";
import { repairSegments } from "./recovery-repair.ts";
import type { SurveyOptions, Survey } from "./recovery-survey.ts";

/** Content of the directory by names and checkpoint. */
export interface RecoveryOptions extends Omit<RepairOptions, "checkpoint"> {
  /** Runs after everything was read and before anything is changed. */
  readonly beforeChanges: () => Promise<void>;
}

/** Findings, for events and statistics. */
export interface Recovered extends Readonly<Repairs> {
  /** The found one, after what was drained or lost with whole segments. */
  readonly checkpoint: Checkpoint;
  readonly backlog: Backlog;
  readonly nextSequence: number;
  readonly newestBase: number;
  readonly duplicateFrames: number;
  readonly damaged: DamagedSpans;
}

/** Rejects with `store_version_newer` only; anything else is repaired. */
export async function recover(given: RecoveryOptions): Promise<Recovered> {
  const segments = await readHeads(given);
  const options = { ...given, checkpoint: missingAtStart(given.found, segments) };
  const trusted = isNewest(given.found);
  const known = knownTotal(options.checkpoint, segments, trusted);
  const survey = await surveySegments(options, segments, known?.sequence ?? 0);
  await options.beforeChanges();
  const newest = segments.at(-1);
  if (trusted || newest?.base === options.checkpoint.activeBase) {
    survey.acknowledged = Math.max(survey.acknowledged, options.checkpoint.acknowledgedThrough);
  }
  const repairs = await repairSegments(options, survey);
  const checkpoint = settleBacklog(options, survey);
  const newestBase = Math.max(newest?.base ?? 0, trusted ? options.checkpoint.activeBase : 0);
  const { backlog, duplicateFrames, seen, voids } = survey;
  return {
    ...repairs,
    checkpoint,
    backlog,
    damaged: damagedSpans(options, survey, known, repairs),
    duplicateFrames,
    newestBase,
    nextSequence: Math.max(backlog.acknowledgedThrough, newestBase, voids.last(), seen.last()) + 1,
  };
}

/** Sets up to where the backlog is acknowledged and drained; returns the checkpoint with that. */
function settleBacklog({ checkpoint }: SurveyOptions, survey: Survey): Checkpoint {
  const { backlog } = survey;
  backlog.acknowledgedThrough = Math.max(survey.acknowledged, backlog.acknowledgedThrough);
  // Frames of segments that go are pending no more: the next start counts none of them again.
  const first = Math.min(...backlog.runs.map(({ segment }) => segment.base));
  const goneThrough = Math.min(first - 1, backlog.acknowledgedThrough);
  backlog.drainedThrough = Math.max(backlog.drainedThrough, goneThrough);
  return { ...checkpoint, drainedThrough: backlog.drainedThrough };
}

/** Spans that were lost, by the latest known total. */
function damagedSpans(
  { checkpoint, found }: RepairOptions,
  survey: Survey,
  known: KnownTotal | undefined,
  repairs: Repairs,
): DamagedSpans {
  const lastFound = Math.max(checkpoint.drainedThrough, survey.seen.last());
  const isTailLost = repairs.tornBytes > 0 || survey.acknowledged > lastFound;
  const countedTo = known?.sequence ?? checkpoint.drainedThrough;
  return damagedIn({
    // A loss that an earlier start found is in no later total.
    isNew: repairs.newLostFrames > 0,
    total: (known?.spans ?? 0) - checkpoint.drainedSpans - survey.foundSpans,
    uncounted: lostBetween(survey, countedTo + 1, survey.acknowledged),
    isLowerBound: isTailLost && !(isNewest(found) && checkpoint.closed),
  });
}
