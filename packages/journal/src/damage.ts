/**
 * @module Damage: bytes that are no valid frames. Each range is copied to a file of its own, whose
 * name holds its place and the number of acknowledged frames lost with it, so the count stays
 * exact over restarts and a range found again is not counted twice. The copied bytes are bounded;
 * the count is not.
 */
import { dirname, join } from "node:path";

import { nodeFileSystem } from "./file-system.ts";
import type { JournalFile, JournalFileSystem } from "./file-system.ts";
import { readThrough } from "./scan.ts";

/** A range of a segment. */
export interface DamagedRange {
  readonly segment: string;
  readonly from: number;
  readonly to: number;
  /** Frames that were acknowledged and are stored nowhere else. */
  readonly lostFrames: number;
  /** When the frame before it was appended, milliseconds since the epoch; null: unknown. */
  readonly afterMs: number | null;
}

/** Lost frames, and the earliest and latest time at which they were appended. */
export interface LostFrames {
  readonly frames: number;
  /** When the frame before them was appended, milliseconds since the epoch; null: unknown. */
  readonly fromMs: number | null;
  /** When the damage was found. */
  readonly toMs: number;
}

/** Counts of one directory. */
export interface DamageRecord {
  /**
   * Sets the range aside. False when it is recorded already. Never rejects: on a full disk it is
   * only counted.
   */
  record(range: DamagedRange, file: JournalFile | undefined): Promise<boolean>;
  known(segment: string, from: number): boolean;
  ranges(): number;
  lostFrames(): number;
  /** Ranges with lost frames. */
  losses(): readonly LostFrames[];
  /** Names of the files of the ranges that were recorded since the call before. */
  takeNew(): readonly string[];
}

const keptBytesMax = 16 * 1024 * 1024;
const chunkBytes = 256 * 1024;

/** Opens the record with what earlier runs have set aside. */
export function openDamageRecord(
  fileSystem: JournalFileSystem,
  directory: string,
  names: readonly string[],
  now: () => number,
): DamageRecord {
  const lost = new Map<string, LostFrames>();
  let keptBytes = 0;
  const recent: string[] = [];
  for (const name of names) {
    const found = parseName(name);
    if (found === undefined) continue;
    const { lostFrames: frames, afterMs: fromMs, foundMs } = found;
    // The file names of an earlier release have no time: some time before now.
    lost.set(`${found.segment}-${found.from}`, { frames, fromMs, toMs: foundMs ?? now() });
    keptBytes += found.to - found.from;
  }
  return {
    async record(range, file) {
      const key = `${range.segment}-${range.from}`;
      if (lost.has(key)) return false;
      const toMs = Math.round(now());
      lost.set(key, { frames: range.lostFrames, fromMs: range.afterMs, toMs });
      const bytes = range.to - range.from;
      const source = keptBytes + bytes <= keptBytesMax ? file : undefined;
      if (source !== undefined) keptBytes += bytes;
      const name = damageName(range, toMs);
      recent.push(name);
      // On a full disk it is only counted.
      await setAside(fileSystem, join(directory, name), range, source).catch(() => undefined);
      return true;
    },
    known: (segment, from) => lost.has(`${segment}-${from}`),
    ranges: () => lost.size,
    lostFrames: () => [...lost.values()].reduce((sum, { frames }) => sum + frames, 0),
    takeNew: () => recent.splice(0),
    losses: () => [...lost.values()].filter(({ frames }) => frames > 0),
  };
}

/** Ranges that starts have set aside. */
export interface SetAsideRanges {
  /** Names of their files in the journal's directory. */
  readonly files: readonly string[];
  /** Acknowledged frames that are stored nowhere else; a range counts once. */
  readonly lostFrames: number;
}

/** The ranges by the names in a journal's directory. */
export function setAsideRanges(names: readonly string[]): SetAsideRanges {
  const files = names.filter((name) => parseName(name) !== undefined);
  const record = openDamageRecord(nodeFileSystem, "", files, Date.now);
  return { files, lostFrames: record.lostFrames() };
}

async function setAside(
  fileSystem: JournalFileSystem,
  path: string,
  range: DamagedRange,
  source: JournalFile | undefined,
): Promise<void> {
  const target = await fileSystem.open(path, "create");
  try {
    if (source !== undefined) {
      const buffer = Buffer.allocUnsafe(Math.min(chunkBytes, range.to - range.from));
      for (let at = range.from; at < range.to; at += buffer.byteLength) {
        const wanted = Math.min(buffer.byteLength, range.to - at);
        const bytes = await readThrough(source, buffer.subarray(0, wanted), at);
        if (bytes === 0) break;
        await target.write(buffer.subarray(0, bytes), at - range.from);
      }
    }
    await target.sync();
  } finally {
    await target.close();
  }
  await fileSystem.syncDirectory(dirname(path));
}

function damageName({ segment, from, to, lostFrames, afterMs }: DamagedRange, now: number): string {
  return `${segment}-${from}-${to}-${lostFrames}-${afterMs ?? "x"}-${now}.corrupt`;
}

type NamedRange = DamagedRange & { readonly foundMs: number | undefined };

const namePattern = /^([0-9a-f]{16}\.segment)-(\d+)-(\d+)-(\d+)(?:-(\d+|x)-(\d+))?\.corrupt$/;

function parseName(name: string): NamedRange | undefined {
  const match = namePattern.exec(name);
  if (match === null) return undefined;
  const [, segment = "", from = "", to = "", lost = "", after = "x", found] = match;
  return {
    segment,
    from: Number(from),
    to: Number(to),
    lostFrames: Number(lost),
    afterMs: after === "x" ? null : Number(after),
    foundMs: found === undefined ? undefined : Number(found),
  };
}
