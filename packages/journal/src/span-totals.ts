/**
 * @module SpanTotals: spans of frames that cannot be read any more. Their own counts are gone with
 * them, but checkpoints and heads of segments hold the total up to a frame: the difference to what
 * was found is what was lost.
 */
import type { Checkpoint } from "./checkpoint-file.ts";
import type { SegmentHead } from "./segment-name.ts";

/** Spans that were found damaged when the journal was opened. */
export interface DamagedSpans {
  readonly spans: number;
  /** Lost frames after the last known total: how many spans they had is unknown. */
  readonly framesUncounted: number;
  /**
   * True where the process before did not stop cleanly and the end of the journal is damaged:
   * frames that were acknowledged after the last note are in no count.
   */
  readonly isLowerBound: boolean;
}

/** Spans of all frames up to a sequence, since the directory was made. */
export interface KnownTotal {
  readonly sequence: number;
  readonly spans: number;
}

/** The latest total of a checkpoint or a head; undefined in files of earlier versions. */
export function knownTotal(
  checkpoint: Checkpoint,
  segments: readonly { readonly base: number; readonly head: SegmentHead | undefined }[],
  isNewest: boolean,
): KnownTotal | undefined {
  const totals: KnownTotal[] = segments.flatMap(({ head }) =>
    head?.spansBefore === undefined
      ? []
      : [{ sequence: head.previousEnd - 1, spans: head.spansBefore }],
  );
  const { acknowledgedSpans: spans, acknowledgedThrough: sequence, activeBase } = checkpoint;
  // As for its sequence: an older checkpoint of other segments does not apply to these.
  const applies = isNewest || segments.at(-1)?.base === activeBase;
  if (spans !== undefined && applies) totals.push({ sequence, spans });
  return totals.reduce<KnownTotal | undefined>(
    (best, one) => (best === undefined || one.sequence >= best.sequence ? one : best),
    undefined,
  );
}

/** What was lost by these numbers. */
export function damagedIn(of: {
  readonly isNew: boolean;
  readonly total: number;
  readonly uncounted: number;
  readonly isLowerBound: boolean;
}): DamagedSpans {
  const { isLowerBound } = of;
  if (!of.isNew) return { spans: 0, framesUncounted: 0, isLowerBound };
  return { spans: Math.max(0, of.total), framesUncounted: of.uncounted, isLowerBound };
}
