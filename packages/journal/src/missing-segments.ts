/**
 * @module MissingSegments: acknowledged frames of segments that are gone as a whole. A segment is
 * unlinked only after the checkpoint that covers it, so that by the newest checkpoint each missing
 * one was lost. By an older one the segments before those that are there may have been drained
 * since.
 */
import { isNewest } from "./checkpoint-file.ts";
import type { Checkpoint, FoundCheckpoint } from "./checkpoint-file.ts";
import type { DamagedRange } from "./damage.ts";
import { segmentName } from "./segment-name.ts";
import type { SegmentHead } from "./segment-name.ts";
import type { SequenceSet } from "./sequence-set.ts";

interface Headed {
  readonly base: number;
  readonly head: SegmentHead | undefined;
}

/**
 * The checkpoint, with what an older one has to assume as drained: all before the first segment.
 */
export function missingAtStart(found: FoundCheckpoint, segments: readonly Headed[]): Checkpoint {
  const { checkpoint } = found;
  if (isNewest(found)) return checkpoint;
  const [first] = segments;
  const through = first === undefined ? checkpoint.acknowledgedThrough : first.base - 1;
  if (through <= checkpoint.drainedThrough) return checkpoint;
  const spans = first === undefined ? checkpoint.acknowledgedSpans : first.head?.spansBefore;
  return {
    ...checkpoint,
    drainedThrough: through,
    drainedSpans: spans ?? checkpoint.drainedSpans,
    acknowledgedThrough: Math.max(through, checkpoint.acknowledgedThrough),
  };
}

/** Ranges of lost frames that no found segment contained, each under the name of a missing one. */
export function missingFrames(of: {
  readonly checkpoint: Checkpoint;
  readonly segments: readonly Headed[];
  readonly acknowledged: number;
  /** Sequences that were found, those that were never acknowledged, and those of found segments. */
  readonly seen: SequenceSet;
  readonly voids: SequenceSet;
  readonly placed: SequenceSet;
}): readonly DamagedRange[] {
  const bases = [
    ...of.segments.flatMap(({ head }) => (head === undefined ? [] : [head.previousBase])),
    of.checkpoint.activeBase,
  ].toSorted((a, b) => a - b);
  const from = of.checkpoint.drainedThrough + 1;
  return of.seen.holes(from, of.acknowledged).flatMap(([first, last]) => {
    const lost = of.voids
      .holes(first, last)
      .flatMap((hole) => of.placed.holes(...hole))
      .reduce((sum, [start, end]) => sum + end - start + 1, 0);
    if (lost === 0) return [];
    const base = bases.find((each) => each >= first && each <= last) ?? first;
    return [{ segment: segmentName(base), from: 0, to: 0, lostFrames: lost, afterMs: null }];
  });
}
