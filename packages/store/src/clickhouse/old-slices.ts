/**
 * @module OldSlices: the old table of events in slices of some thousand events, newest first:
 * whole intervals of five minutes, or parts of one by the hash of the root, in table order. The
 * table does not change any more, so its slices are the same in each run.
 */
import type { Engine } from "./engine.ts";

/** Part of the old table. */
export interface OldSlice {
  readonly name: string;
  readonly events: number;
  /** The condition of its rows. */
  readonly where: string;
}

/** Target size of a slice, unless one interval has more. */
const eventsWanted = 20_000;
const hashes = 2 ** 32;
const weekSeconds = 604_800;
const firstMonday = 345_600;

interface Stretch {
  readonly from: number;
  readonly events: number;
}

/** All slices of the table. */
export async function oldSlices(engine: Engine, table: string): Promise<readonly OldSlice[]> {
  const answer = await engine.query(
    `SELECT toFloat64(toUInt32(toStartOfFiveMinutes(received_at))) AS start,
    toFloat64(count()) AS events FROM ${table} GROUP BY start ORDER BY start DESC`,
  );
  const counts = answer.columns.get("events") ?? [];
  const stretches = (answer.columns.get("start") ?? []).map((from, at): Stretch => ({
    from: Number(from),
    events: Number(counts[at]),
  }));
  const slices: OldSlice[] = [];
  let waiting: Stretch[] = [];
  const finish = (): void => {
    if (waiting.length > 0) slices.push(sliceOf(waiting));
    waiting = [];
  };
  for (const stretch of stretches) {
    const held = waiting.reduce((sum, { events }) => sum + events, 0);
    const [first] = waiting;
    const full = held + stretch.events > eventsWanted;
    // One insert contains one week.
    if (full || (first !== undefined && weekOf(first) !== weekOf(stretch))) finish();
    if (stretch.events > eventsWanted) slices.push(...partsOf(stretch));
    else waiting.push(stretch);
  }
  finish();
  return slices;
}

function weekOf({ from }: Stretch): number {
  return Math.floor((from - firstMonday) / weekSeconds);
}

function sliceOf(stretches: readonly Stretch[]): OldSlice {
  const last = Math.max(...stretches.map(({ from }) => from));
  const first = Math.min(...stretches.map(({ from }) => from));
  const events = stretches.reduce((sum, one) => sum + one.events, 0);
  return { name: `${first}/${last}`, events, where: between(first, last) };
}

function partsOf({ from, events }: Stretch): readonly OldSlice[] {
  const parts = Math.ceil(events / eventsWanted);
  const width = Math.ceil(hashes / parts);
  return Array.from({ length: parts }, (_, part) => {
    const [low, high] = [part * width, (part + 1) * width];
    const hash = "toUInt64(murmurHash3_32(root_trace_id))";
    const where = `${between(from, from)} AND ${hash} >= ${low} AND ${hash} < ${high}`;
    return { name: `${from}/${part}/${parts}`, events: Math.round(events / parts), where };
  });
}

function between(first: number, last: number): string {
  return `toStartOfFiveMinutes(received_at) >= toDateTime(${first})
    AND toStartOfFiveMinutes(received_at) <= toDateTime(${last})`;
}
