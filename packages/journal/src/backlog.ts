/**
 * @module Backlog: acknowledged frames that are not checkpointed yet, as runs of consecutive sound
 * frames in segments, with counts. Pure bookkeeping in memory, a few numbers per run; it does no
 * I/O.
 */

/** A file of frames. */
export interface Segment {
  readonly name: string;
  /** Sequence of its first frame. */
  readonly base: number;
  /** Bytes that it occupies. */
  bytes: number;
}

/** Totals since this process opened the journal; the difference of two is an amount. */
export interface Totals {
  readonly frames: number;
  readonly spans: number;
  readonly bytes: number;
}

/** The frame after which reading continues. Opaque outside the journal, except for `sequence`. */
export interface JournalPosition {
  readonly sequence: number;
  readonly segment: string;
  readonly offset: number;
  readonly totals: Totals;
}

/** Consecutive sequences that are adjacent in one segment. */
export interface Run {
  readonly segment: Segment;
  first: number;
  last: number;
  offset: number;
  /** First byte after the last frame. */
  end: number;
  /** Totals before its first and after its last frame. */
  before: Totals;
  after: Totals;
  /** Approximate times at which frames were appended, by ascending sequence. */
  readonly marks: { readonly sequence: number; readonly appendedAtMs: number }[];
}

/** Adjacent frames. */
export interface Extension {
  readonly offset: number;
  readonly end: number;
  readonly first: number;
  readonly last: number;
  readonly frames: number;
  readonly spans: number;
  readonly appendedAtMs: number;
}

const zero: Totals = { frames: 0, spans: 0, bytes: 0 };
const markEveryMs = 250;

/** Bookkeeping of one journal. */
export interface Backlog {
  readonly segments: Map<string, Segment>;
  /** Ascending and without overlap. */
  readonly runs: Run[];
  drainedThrough: number;
  acknowledgedThrough: number;
  drained: Totals;
  appended: Totals;
}

/** A backlog without frames, after this sequence. */
export function emptyBacklog(drainedThrough: number): Backlog {
  return {
    segments: new Map(),
    runs: [],
    drainedThrough,
    acknowledgedThrough: drainedThrough,
    drained: zero,
    appended: zero,
  };
}

/** Adds frames after the newest ones. */
export function extendBacklog(backlog: Backlog, segment: Segment, added: Extension): void {
  const after: Totals = {
    frames: backlog.appended.frames + added.frames,
    spans: backlog.appended.spans + added.spans,
    bytes: backlog.appended.bytes + (added.end - added.offset),
  };
  const mark = { sequence: added.first, appendedAtMs: added.appendedAtMs };
  const run = backlog.runs.at(-1);
  if (run !== undefined && run.segment === segment && continues(run, added)) {
    run.last = added.last;
    run.end = added.end;
    run.after = after;
    const newest = run.marks.at(-1);
    if (newest === undefined || added.appendedAtMs - newest.appendedAtMs >= markEveryMs) {
      run.marks.push(mark);
    }
  } else {
    const { first, last, offset, end } = added;
    const before = backlog.appended;
    backlog.runs.push({ segment, first, last, offset, end, before, after, marks: [mark] });
  }
  backlog.appended = after;
  backlog.acknowledgedThrough = Math.max(backlog.acknowledgedThrough, added.last);
}

function continues(run: Run, added: Extension): boolean {
  return run.end === added.offset && run.last + 1 === added.first;
}

/** The run with the first frame after the sequence. */
export function runAfter(backlog: Backlog, sequence: number): Run | undefined {
  return backlog.runs.find((run) => run.last > sequence);
}

/** Start of reading: after the newest checkpointed frame. */
export function headOf(backlog: Backlog): JournalPosition {
  return { sequence: backlog.drainedThrough, segment: "", offset: 0, totals: backlog.drained };
}

/**
 * Last sequence before the next pending frame, once everything up to this one is stored. What is
 * between them was lost and is counted, or was never acknowledged.
 */
export function nothingPendingThrough(backlog: Backlog, sequence: number): number {
  const next = runAfter(backlog, sequence);
  if (next !== undefined) return Math.max(sequence, next.first - 1);
  return Math.max(sequence, backlog.acknowledgedThrough);
}

/** Removes everything up to the position from the backlog. */
export function advanceBacklog(backlog: Backlog, position: JournalPosition): void {
  if (position.sequence <= backlog.drainedThrough) return;
  backlog.drainedThrough = nothingPendingThrough(backlog, position.sequence);
  backlog.drained = position.totals;
  while ((backlog.runs[0]?.last ?? Infinity) <= position.sequence) {
    const ended = backlog.runs.shift();
    // Frames of it that were damaged later are not in the position's count.
    if (ended?.last === position.sequence) backlog.drained = ended.after;
  }
  const run = backlog.runs[0];
  if (run?.segment.name === position.segment && position.sequence >= run.first) {
    run.first = position.sequence + 1;
    run.offset = position.offset;
    run.before = position.totals;
  }
  const marks = run?.marks;
  while (marks !== undefined && (marks[1]?.sequence ?? Infinity) <= position.sequence + 1) {
    marks.shift();
  }
}

/** Segments without pending frames; the active one may be among them. */
export function drainedSegments(backlog: Backlog): readonly Segment[] {
  const needed = new Set(backlog.runs.map((run) => run.segment));
  return [...backlog.segments.values()].filter((segment) => !needed.has(segment));
}

/** Bytes of all segments on the disk. */
export function backlogBytes(backlog: Backlog): number {
  let bytes = 0;
  for (const segment of backlog.segments.values()) bytes += segment.bytes;
  return bytes;
}

/** When the oldest pending frame was appended, within a quarter of a second, or undefined. */
export function oldestPendingAtMs(backlog: Backlog): number | undefined {
  return backlog.runs[0]?.marks[0]?.appendedAtMs;
}
