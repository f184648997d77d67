/**
 * @module Recovery: builds a backlog from the files of the directory, unattended. It reads
 * everything before it changes anything: a newer version must be refused with every byte in place.
 * Then unfinished tails are cut off, damaged ranges set aside and counted. A segment is unlinked
 * after the checkpoint that covers it, so a missing one was lost, unless the newest checkpoint is
 * missing as well. Swapped and copied segments are ordered by sequence.
 */
import { join } from "node:path";

import { drainedSegments, emptyBacklog, extendBacklog } from "./backlog.ts";
import type { Backlog, Segment } from "./backlog.ts";
import { isNewest } from "./checkpoint-file.ts";
import type { Checkpoint, FoundCheckpoint } from "./checkpoint-file.ts";
import type { DamageRecord } from "./damage.ts";
import type { JournalFileSystem } from "./file-system.ts";
import { frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";
import type { ScannedFrame } from "./scan.ts";
import { missingAtStart, missingFrames } from "./missing-segments.ts";
import { decodeHead, segmentBase } from "./segment-name.ts";
import type { SegmentHead } from "./segment-name.ts";
import { SequenceSet } from "./sequence-set.ts";
import { damagedIn, knownTotal } from "./span-totals.ts";
import type { DamagedSpans } from "./span-totals.ts";

/** Content of the directory by names and checkpoint. */
export interface RecoveryOptions {
  readonly fileSystem: JournalFileSystem;
  readonly directory: string;
  readonly names: readonly string[];
  readonly found: FoundCheckpoint;
  readonly damage: DamageRecord;
  /** Runs after everything was read and before anything is changed. */
  readonly beforeChanges: () => Promise<void>;
  /** Test seam, see `scanFrames`. */
  readonly verifyChecksums: boolean;
}

/** Findings, for events and statistics. */
export interface Recovered {
  /** The found one, after what was drained or lost with whole segments. */
  readonly checkpoint: Checkpoint;
  readonly backlog: Backlog;
  readonly nextSequence: number;
  readonly newestBase: number;
  readonly newRanges: number;
  readonly newLostFrames: number;
  readonly tornBytes: number;
  readonly duplicateFrames: number;
  readonly missingSegments: number;
  readonly damaged: DamagedSpans;
}

/** A segment as found. */
interface FoundSegment {
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
interface FoundGap {
  readonly from: number;
  readonly to: number;
  readonly afterSequence: number;
  /** The next sequence in the file, or undefined at its end. */
  readonly beforeSequence: number | undefined;
  /** When the frame before it was appended, in any segment; null where there is none. */
  readonly afterMs: number | null;
}

interface Survey {
  readonly backlog: Backlog;
  readonly segments: FoundSegment[];
  readonly seen: SequenceSet;
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

/** Options with the checkpoint that applies to the segments that are there. */
type Applied = RecoveryOptions & { readonly checkpoint: Checkpoint };

/** Rejects with `store_version_newer` only; anything else is repaired. */
export async function recover(given: RecoveryOptions): Promise<Recovered> {
  const segments = await readHeads(given);
  const options: Applied = { ...given, checkpoint: missingAtStart(given.found, segments) };
  const trusted = isNewest(given.found);
  const survey: Survey = {
    backlog: emptyBacklog(options.checkpoint.drainedThrough),
    segments,
    seen: new SequenceSet(),
    placed: new SequenceSet(),
    acknowledged: options.checkpoint.drainedThrough,
    duplicateFrames: 0,
    lastMs: null,
    foundSpans: 0,
  };
  const known = knownTotal(options.checkpoint, segments, trusted);
  const voids = new SequenceSet();
  for (const { head, base } of segments) {
    if (head === undefined) continue;
    voids.add(head.previousEnd, base - 1);
    survey.acknowledged = Math.max(survey.acknowledged, head.previousEnd - 1);
  }
  for (const segment of segments) {
    await scanSegment(options, survey, { segment, voids, countedTo: known?.sequence ?? 0 });
  }
  orderRuns(survey.backlog);
  await options.beforeChanges();
  const newest = segments.at(-1);
  if (trusted || newest?.base === options.checkpoint.activeBase) {
    survey.acknowledged = Math.max(survey.acknowledged, options.checkpoint.acknowledgedThrough);
  }
  const outcome = { newRanges: 0, newLostFrames: 0, tornBytes: 0, missingSegments: 0 };
  for (const [index, segment] of segments.entries()) {
    await repair(options, survey, segment, segments[index + 1], voids, outcome);
  }
  for (const range of missingFrames({ ...survey, voids, checkpoint: options.checkpoint })) {
    if (await recordRange(options, range)) {
      outcome.newRanges += 1;
      outcome.newLostFrames += range.lostFrames;
    }
  }
  const { backlog } = survey;
  backlog.acknowledgedThrough = Math.max(survey.acknowledged, backlog.acknowledgedThrough);
  // Frames of segments that go are pending no more: the next start counts none of them again.
  const first = Math.min(...backlog.runs.map(({ segment }) => segment.base));
  const goneThrough = Math.min(first - 1, backlog.acknowledgedThrough);
  backlog.drainedThrough = Math.max(backlog.drainedThrough, goneThrough);
  const lastFound = Math.max(options.checkpoint.drainedThrough, survey.seen.last());
  const isTailLost = outcome.tornBytes > 0 || survey.acknowledged > lastFound;
  const countedTo = known?.sequence ?? options.checkpoint.drainedThrough;
  const newestBase = Math.max(newest?.base ?? 0, trusted ? options.checkpoint.activeBase : 0);
  return {
    ...outcome,
    checkpoint: { ...options.checkpoint, drainedThrough: backlog.drainedThrough },
    backlog,
    damaged: damagedIn({
      // A loss that an earlier start found is in no later total.
      isNew: outcome.newLostFrames > 0,
      total: (known?.spans ?? 0) - options.checkpoint.drainedSpans - survey.foundSpans,
      uncounted: lostAfter(survey, voids, countedTo),
      isLowerBound: isTailLost && !(trusted && options.checkpoint.closed),
    }),
    duplicateFrames: survey.duplicateFrames,
    newestBase,
    nextSequence:
      Math.max(backlog.acknowledgedThrough, newestBase, voids.last(), survey.seen.last()) + 1,
  };
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

async function readHeads(options: RecoveryOptions): Promise<FoundSegment[]> {
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
  options: Applied,
  survey: Survey,
  of: { readonly segment: FoundSegment; readonly voids: SequenceSet; readonly countedTo: number },
): Promise<void> {
  const { segment: found, voids, countedTo } = of;
  const { fileSystem, directory, checkpoint } = options;
  const { backlog, seen } = survey;
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

/**
 * Classifies the gaps of one segment and repairs what can be repaired; a disk that refuses does
 * not stop it.
 */
async function repair(
  options: Applied,
  survey: Survey,
  found: FoundSegment,
  following: FoundSegment | undefined,
  voids: SequenceSet,
  outcome: { newRanges: number; newLostFrames: number; tornBytes: number; missingSegments: number },
): Promise<void> {
  const expectedEnd = endOf(options, survey, { found, following }, outcome);
  survey.placed.add(found.base, expectedEnd - 1);
  const lostIn = (from: number, to: number): number => {
    const start = Math.max(from, options.checkpoint.drainedThrough + 1);
    let lost = 0;
    for (const hole of survey.seen.holes(start, Math.min(to, survey.acknowledged))) {
      for (const [first, last] of voids.holes(hole[0], hole[1])) lost += last - first + 1;
    }
    return lost;
  };
  const tail = found.gaps.find((gap) => gap.beforeSequence === undefined);
  const gaps = [...found.gaps];
  if (tail === undefined) {
    const afterSequence = found.lastFound;
    const afterMs = found.lastMs;
    const end = { from: found.size, to: found.size };
    gaps.push({ ...end, afterSequence, beforeSequence: undefined, afterMs });
  }
  for (const gap of gaps) {
    const last = (gap.beforeSequence ?? expectedEnd) - 1;
    const lostFrames = lostIn(gap.afterSequence + 1, last);
    const isTail = gap.beforeSequence === undefined;
    if (isTail && lostFrames === 0) {
      if (gap.to > gap.from) await cutOff(options, survey, found, gap.from);
      outcome.tornBytes += gap.to - gap.from;
      continue;
    }
    const drained = !isTail && last <= options.checkpoint.drainedThrough && gap.from > 0;
    if (drained) continue;
    const { from, to, afterMs } = gap;
    const range = { segment: found.name, from, to, lostFrames, afterMs };
    if (await recordRange(options, range)) {
      outcome.newRanges += 1;
      outcome.newLostFrames += lostFrames;
    }
  }
}

/** Lost frames after a sequence. */
function lostAfter(survey: Survey, voids: SequenceSet, sequence: number): number {
  let lost = 0;
  for (const hole of survey.seen.holes(sequence + 1, survey.acknowledged)) {
    for (const [first, last] of voids.holes(hole[0], hole[1])) lost += last - first + 1;
  }
  return lost;
}

/** First sequence that the segment cannot contain, from its neighbours. */
function endOf(
  { found: of, checkpoint }: Applied,
  survey: Survey,
  {
    found,
    following,
  }: { readonly found: FoundSegment; readonly following: FoundSegment | undefined },
  outcome: { missingSegments: number },
): number {
  const seenEnd = found.lastFound + 1;
  if (following === undefined) {
    const isLast = !isNewest(of) || found.base >= checkpoint.activeBase;
    if (isLast) return Math.max(seenEnd, survey.acknowledged + 1);
    if (survey.acknowledged > Math.max(found.lastFound, checkpoint.drainedThrough)) {
      outcome.missingSegments += 1;
    }
    return seenEnd;
  }
  // Its name holds the sequence of its first frame; what was never acknowledged before it is
  // unknown then.
  if (following.head === undefined) return Math.max(seenEnd, following.base);
  if (following.head.previousBase === found.base) {
    return Math.max(seenEnd, following.head.previousEnd);
  }
  if (following.base !== found.base) outcome.missingSegments += 1;
  return seenEnd;
}

async function recordRange(
  options: RecoveryOptions,
  range: Parameters<DamageRecord["record"]>[0],
): Promise<boolean> {
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
  options: RecoveryOptions,
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

/**
 * Removes files without pending frames. Only after the checkpoint that covers them: a process that
 * is killed in between would count what was lost in them again.
 */
export async function removeDrained(
  options: Pick<RecoveryOptions, "fileSystem" | "directory">,
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
