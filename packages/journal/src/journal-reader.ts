/**
 * @module Journal reader: pending frames in the order of their sequences, streamed from the
 * segments with one window in memory. Damage since recovery is found here: the range is set aside,
 * the loss is counted, and reading continues.
 */
import { join } from "node:path";

import { headOf, runAfter } from "./backlog.ts";
import type { Backlog, JournalPosition, Run, Totals } from "./backlog.ts";
import type { DamageRecord } from "./damage.ts";
import { systemCode } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { frameKind } from "./frame.ts";
import { isFrame, scanFrames } from "./scan.ts";
import type { ScannedGap } from "./scan.ts";

/** A frame that was appended and acknowledged. */
export interface JournalFrame {
  readonly sequence: number;
  readonly payload: Uint8Array;
  readonly spans: number;
  /** Milliseconds since the epoch. */
  readonly appendedAtMs: number;
  /** Pass it to `checkpoint` or `read` to mean "through this frame". */
  readonly position: JournalPosition;
}

/** What is read, and the callbacks for damage. */
export interface JournalReadOptions {
  readonly fileSystem: JournalFileSystem;
  readonly directory: string;
  readonly backlog: Backlog;
  readonly damage: DamageRecord;
  readonly from?: JournalPosition;
  readonly verifyChecksums: boolean;
  readonly onDamage: (lostFrames: number, lostSpans: number) => void;
  /** The file of a run is gone: what was not read of it by this position is lost. */
  readonly onMissing: (run: Run, at: JournalPosition) => Promise<void>;
}

/**
 * Ends at the last frame acknowledged when it checked; start again from the last position for
 * more.
 */
export async function* readBacklog(
  options: JournalReadOptions,
): AsyncGenerator<JournalFrame, void, undefined> {
  const { backlog } = options;
  let at = options.from ?? headOf(backlog);
  if (at.sequence < backlog.drainedThrough) at = headOf(backlog);
  for (;;) {
    const run = runAfter(backlog, at.sequence);
    if (run === undefined) return;
    const { last, end, after } = run;
    yield* readRun(options, run, at, end, last);
    // Damaged frames are skipped by the run's own totals.
    at = { sequence: last, segment: run.segment.name, offset: end, totals: after };
  }
}

async function* readRun(
  options: JournalReadOptions,
  run: Run,
  at: JournalPosition,
  end: number,
  last: number,
): AsyncGenerator<JournalFrame, void, undefined> {
  const inside = at.segment === run.segment.name && at.offset >= run.offset && at.offset <= end;
  const from = inside ? at.offset : run.offset;
  const progress = {
    sequence: Math.max(at.sequence, run.first - 1),
    totals: inside ? at.totals : run.before,
    atMs: run.marks[0]?.appendedAtMs ?? (null as number | null),
  };
  const expected = run.after;
  const file = await openSegment(options, run);
  if (file === undefined) {
    await options.onMissing(run, at);
    return;
  }
  const gaps: ScannedGap[] = [];
  let fresh = false;
  try {
    const range = { from, to: end, verify: options.verifyChecksums, shared: true };
    for await (const items of scanFrames(file, range)) {
      for (const item of items) {
        if (!isFrame(item)) {
          gaps.push(item);
          continue;
        }
        if (item.kind !== frameKind.data || item.sequence > last) continue;
        const bytes = item.end - item.offset;
        progress.totals = add(progress.totals, { frames: 1, spans: item.spans, bytes });
        if (item.sequence <= progress.sequence) continue;
        const missing = item.sequence - progress.sequence - 1;
        const hole = { gaps, missing, afterMs: progress.atMs };
        fresh = (await settle(options, run, file, hole)) || fresh;
        const { sequence, payload, spans, appendedAtMs } = item;
        Object.assign(progress, { sequence, atMs: appendedAtMs });
        const { totals } = progress;
        const position = { sequence, segment: run.segment.name, offset: item.end, totals };
        yield { sequence, payload, spans, appendedAtMs, position };
      }
    }
    const rest = { gaps, missing: last - progress.sequence, afterMs: progress.atMs };
    fresh = (await settle(options, run, file, rest)) || fresh;
    const lostSpans = expected.spans - progress.totals.spans;
    if (fresh) options.onDamage(expected.frames - progress.totals.frames, lostSpans);
  } finally {
    await file.close();
  }
}

/** Bytes without frames, the number of frames lost, and when the frame before was appended. */
interface Hole {
  readonly gaps: ScannedGap[];
  readonly missing: number;
  readonly afterMs: number | null;
}

/** Sets the ranges of one hole aside; true when one is new. Missing frames are counted once. */
async function settle(
  options: JournalReadOptions,
  run: Run,
  file: JournalFile,
  { gaps, missing, afterMs }: Hole,
): Promise<boolean> {
  let lostFrames = missing;
  let fresh = false;
  for (const gap of gaps.splice(0)) {
    const { from, to } = gap;
    const range = { segment: run.segment.name, from, to, lostFrames, afterMs };
    fresh = (await options.damage.record(range, file)) || fresh;
    lostFrames = 0;
  }
  return fresh;
}

async function openSegment(
  options: JournalReadOptions,
  run: Run,
): Promise<JournalFile | undefined> {
  try {
    return await options.fileSystem.open(join(options.directory, run.segment.name), "read");
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function add(a: Totals, b: Totals): Totals {
  return { frames: a.frames + b.frames, spans: a.spans + b.spans, bytes: a.bytes + b.bytes };
}
