/**
 * @module RecoverySurvey: the first phase of a recovery, which only reads: the frames of all
 * segments, the bytes between them, and up to where anything records an acknowledgement. Swapped
 * and copied segments are ordered by sequence.
 */
import { join } from "node:path";

import { emptyBacklog, extendBacklog } from "./backlog.ts";
import type { Backlog, Segment } from "./backlog.ts";
import type { Checkpoint } from "./checkpoint-file.ts";
import type { JournalFileSystem } from "./file-system.ts";
import { frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";
import type { ScannedFrame } from "./scan.ts";
import { decodeHead, segmentBase } from "./segment-name.ts";
import type { SegmentHead } from "./segment-name.ts";
import { SequenceSet } from "./sequence-set.ts";

/** The directory of a journal, with the checkpoint that applies to the segments that are there. */
export interface SurveyOptions {
  readonly fileSystem: JournalFileSystem;
  readonly directory: string;
  readonly names: readonly string[];
  readonly checkpoint: Checkpoint;
  /** Test seam, see `scanFrames`. */
  readonly verifyChecksums: boolean;
}

/** A segment as found. */
export interface FoundSegment {
  readonly name: string;
  readonly base: number;
  readonly head: SegmentHead | undefined;
  readonly size: number;
  gaps: FoundGap[];
  lastFound: number;
  /** When its last frame, or the one before it, was appended. */
  lastMs: number | null;
}

/** Bytes without frames between two sequences of one segment. */
export interface FoundGap {
  readonly from: number;
  readonly to: number;
  readonly afterSequence: number;
  /** The next sequence in the file, or undefined at its end. */
  readonly beforeSequence: number | undefined;
  /** When the frame before it was appended, in any segment; null where there is none. */
  readonly afterMs: number | null;
}

/** What the segments hold. */
export interface Survey {
  readonly backlog: Backlog;
  readonly segments: readonly FoundSegment[];
  /** Sequences that were found. */
  readonly seen: SequenceSet;
  /** Sequences between two segments that were never acknowledged. */
  readonly voids: SequenceSet;
  /** Highest sequence that any file records as acknowledged. */
  acknowledged: number;
  duplicateFrames: number;
  /** When the last read frame was appended. */
  lastMs: number | null;
  /** Spans of pending frames up to the one whose total is known. */
  foundSpans: number;
  /** Sequences that a found segment contains or contained. */
  readonly placed: SequenceSet;
}

/**
 * Reads all segments, in order. Nothing is changed: a newer version must be refused with every
 * byte in place.
 *
 * @param countedTo sequence of the known total of spans
 */
export async function surveySegments(
  options: SurveyOptions,
  segments: readonly FoundSegment[],
  countedTo: number,
): Promise<Survey> {
  const survey: Survey = {
    backlog: emptyBacklog(options.checkpoint.drainedThrough),
    segments,
    seen: new SequenceSet(),
    voids: new SequenceSet(),
    placed: new SequenceSet(),
    acknowledged: options.checkpoint.drainedThrough,
    duplicateFrames: 0,
    lastMs: null,
    foundSpans: 0,
  };
  for (const { head, base } of segments) {
    if (head === undefined) continue;
    survey.voids.add(head.previousEnd, base - 1);
    survey.acknowledged = Math.max(survey.acknowledged, head.previousEnd - 1);
  }
  for (const segment of segments) await scanSegment(options, survey, segment, countedTo);
  orderRuns(survey.backlog);
  return survey;
}

/** Frames that exist only in a copy are found after later ones; totals follow the sequence. */
function orderRuns(backlog: Backlog): void {
  backlog.runs.sort((a, b) => a.first - b.first);
  let before = backlog.drained;
  for (const run of backlog.runs) {
    const after = {
      frames: before.frames + run.after.frames - run.before.frames,
      spans: before.spans + run.after.spans - run.before.spans,
      bytes: before.bytes + run.after.bytes - run.before.bytes,
    };
    run.before = before;
    run.after = after;
    before = after;
  }
}

/** The segments of the directory by their heads, in order. */
export async function readHeads(
  options: Pick<SurveyOptions, "fileSystem" | "directory" | "names">,
): Promise<FoundSegment[]> {
  const { fileSystem, directory } = options;
  const segments: FoundSegment[] = [];
  for (const name of options.names) {
    const named = segmentBase(name);
    if (named === undefined) continue;
    const file = await fileSystem.open(join(directory, name), "read");
    try {
      const size = await file.size();
      const to = Math.min(size, 256);
      let base = named;
      let head: SegmentHead | undefined;
      for await (const items of scanFrames(file, { from: 0, to })) {
        const first = items[0];
        if (first === undefined || !isFrame(first) || first.kind !== frameKind.segment) break;
        base = first.sequence;
        head = decodeHead(first.payload);
        break;
      }
      segments.push({ name, base, head, size, gaps: [], lastFound: base - 1, lastMs: null });
    } finally {
      await file.close();
    }
  }
  return segments.sort((a, b) => a.base - b.base || (a.name < b.name ? -1 : 1));
}

async function scanSegment(
  options: SurveyOptions,
  survey: Survey,
  found: FoundSegment,
  countedTo: number,
): Promise<void> {
  const { fileSystem, directory, checkpoint } = options;
  const { backlog, seen, voids } = survey;
  const segment: Segment = { name: found.name, base: found.base, bytes: found.size };
  backlog.segments.set(found.name, segment);
  const file = await fileSystem.open(join(directory, found.name), "read");
  let gap: { readonly from: number; readonly to: number } | undefined;
  const closeGap = (beforeSequence: number | undefined): void => {
    if (gap === undefined) return;
    const afterMs = found.lastMs;
    found.gaps.push({ ...gap, afterSequence: found.lastFound, beforeSequence, afterMs });
    gap = undefined;
  };
  found.lastMs = survey.lastMs;
  const take = (frame: ScannedFrame): void => {
    closeGap(frame.sequence);
    survey.lastMs = frame.appendedAtMs;
    found.lastMs = frame.appendedAtMs;
    found.lastFound = Math.max(found.lastFound, frame.sequence);
    survey.acknowledged = Math.max(survey.acknowledged, frame.sequence - frame.lag);
    if (seen.has(frame.sequence)) {
      survey.duplicateFrames += 1;
      return;
    }
    seen.add(frame.sequence, frame.sequence);
    if (frame.sequence <= checkpoint.drainedThrough || voids.has(frame.sequence)) return;
    const { offset, end, sequence, spans, appendedAtMs } = frame;
    if (sequence <= countedTo) survey.foundSpans += spans;
    const place = { offset, end, first: sequence, last: sequence };
    extendBacklog(backlog, segment, { ...place, frames: 1, spans, appendedAtMs });
  };
  try {
    const range = { from: 0, to: found.size, reuseWindow: true, verify: options.verifyChecksums };
    for await (const items of scanFrames(file, range)) {
      for (const item of items) {
        if (!isFrame(item)) gap = item;
        else if (item.kind === frameKind.data) take(item);
      }
    }
    closeGap(undefined);
  } finally {
    await file.close();
  }
}

/** Number of lost frames between two sequences, both included. */
export function lostBetween({ seen, voids }: Survey, from: number, to: number): number {
  let lost = 0;
  for (const hole of seen.holes(from, to)) {
    for (const [first, last] of voids.holes(hole[0], hole[1])) lost += last - first + 1;
  }
  return lost;
}
