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

/** Acknowledged frames whose file is gone; they are in the totals of the frames after them. */
export interface LostRun {
  readonly first: number;
  readonly last: number;
  readonly totals: Totals;
}

const zero: Totals = { frames: 0, spans: 0, bytes: 0 };
const markEveryMs = 250;

/** Bookkeeping of one journal. */
export interface Backlog {
  readonly segments: Map<string, Segment>;
  /** Ascending and without overlap. */
  readonly runs: Run[];
  /** Lost frames behind pending ones. */
  lost: readonly LostRun[];
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
    lost: [],
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
function nothingPendingThrough(backlog: Backlog, sequence: number): number {
  const next = runAfter(backlog, sequence);
  if (next !== undefined) return Math.max(sequence, next.first - 1);
  return Math.max(sequence, backlog.acknowledgedThrough);
}

/** How far everything is drained once this position is, with the lost frames behind it. */
export function drainedAt(
  backlog: Backlog,
  position: Pick<JournalPosition, "sequence" | "totals">,
): { readonly through: number; readonly totals: Totals } {
  const through = nothingPendingThrough(backlog, position.sequence);
  // Frames of a run that were damaged later are not in the position's count.
  const ended = backlog.runs.find(({ last }) => last === position.sequence);
  const behind = backlog.lost.filter(
    ({ first, last }) => first > position.sequence && last <= through,
  );
  const own = ended?.after ?? position.totals;
  return { through, totals: behind.reduce((sum, { totals }) => plus(sum, totals), own) };
}

/** Removes everything up to the position from the backlog. */
export function advanceBacklog(backlog: Backlog, position: JournalPosition): void {
  if (position.sequence <= backlog.drainedThrough) return;
  const { through, totals } = drainedAt(backlog, position);
  backlog.drainedThrough = through;
  backlog.drained = totals;
  backlog.lost = backlog.lost.filter(({ last }) => last > through);
  while ((backlog.runs[0]?.last ?? Infinity) <= position.sequence) backlog.runs.shift();
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

/**
 * Takes the frames of a run after the position out of the backlog, because its file is gone. Those
 * up to the position were read. Undefined where there are none.
 */
export function loseRun(backlog: Backlog, run: Run, at: JournalPosition): LostRun | undefined {
  const index = backlog.runs.indexOf(run);
  if (index < 0 || run.last <= at.sequence) return undefined;
  const isRead = at.segment === run.segment.name && at.sequence >= run.first;
  const first = isRead ? at.sequence + 1 : run.first;
  const lost = { first, last: run.last, totals: minus(run.after, isRead ? at.totals : run.before) };
  if (isRead) Object.assign(run, { last: at.sequence, end: at.offset, after: at.totals });
  else backlog.runs.splice(index, 1);
  backlog.lost = [...backlog.lost, lost].toSorted((a, b) => a.first - b.first);
  // Nothing pending is before the first of them.
  const { drainedThrough: sequence, drained } = backlog;
  const { through, totals } = drainedAt(backlog, { sequence, totals: drained });
  backlog.drainedThrough = through;
  backlog.drained = totals;
  backlog.lost = backlog.lost.filter(({ last }) => last > through);
  return lost;
}

/** Acknowledged and neither drained nor lost. */
export function pendingTotals({ appended, drained, lost }: Backlog): Totals {
  return lost.reduce((sum, { totals }) => minus(sum, totals), minus(appended, drained));
}

function plus(a: Totals, b: Totals): Totals {
  return { frames: a.frames + b.frames, spans: a.spans + b.spans, bytes: a.bytes + b.bytes };
}

function minus(a: Totals, b: Totals): Totals {
  return { frames: a.frames - b.frames, spans: a.spans - b.spans, bytes: a.bytes - b.bytes };
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
