/**
 * @module TurnReading: rows of turns from the store, with the judge's verdicts. What only a row can
 * answer (verdict, finding, latency) is asked of each row that was read, and reading goes on until
 * a page is full, nothing is left or a budget is met.
 */
import {
  compareTimes,
  findingTexts,
  foldTurns,
  insightCodes,
  matches,
  turnKey,
} from "@turnproof/evidence";
import type { EventQuery, TurnEvent, TurnRow } from "@turnproof/evidence";
import { latestVerdicts } from "@turnproof/store";
import type { Judged, Keyset, TurnSlice, TurnVerdict } from "@turnproof/store";

import type { Reading } from "../auth/grants.ts";
import type { Parts } from "../parts.ts";

/** What a filtered page may cost: roots that are read, and how long a reader is kept waiting. */
const budget = { roots: 5_000, ms: 1_000 } as const;
/** A slice of a filtered reading; a page of a few rows may lie among very many. */
const rootsPerSlice = 250;

type Keep = (row: TurnRow) => boolean;

/** Which turns of a reading, and how many roots at once. */
export interface TurnsAsked {
  readonly limit: number;
  readonly after: Keyset | undefined;
  readonly signal: AbortSignal;
  /** Absent where every row is wanted. */
  readonly keep?: Keep;
  /** What `keep` asks of the judge, so that a store may leave out all else. */
  readonly judged?: Judged;
}

/** Rows of a page. */
export interface TurnsRead {
  readonly items: readonly TurnRow[];
  /** Roots that were read. */
  readonly roots: number;
  /** The root that was read last; undefined where none was. */
  readonly last_root: string | undefined;
  /** Turns that were read and that `keep` left out. */
  readonly left_out: number;
  readonly next: Keyset | null;
  /** A budget ended the reading before the filter was exhausted. */
  readonly bounded: boolean;
}

/** One page of turns, newest received first. */
export async function readTurns(
  parts: Parts,
  reading: Reading,
  asked: TurnsAsked,
): Promise<TurnsRead> {
  const { limit, after, keep } = asked;
  const size = keep === undefined ? limit : rootsPerSlice;
  const began = parts.now();
  const items: TurnRow[] = [];
  let roots = 0;
  let last: string | undefined;
  let leftOut = 0;
  let place = after;
  for (;;) {
    const room = limit - items.length;
    const long = await readSlice(parts, reading, { ...asked, limit: size, after: place });
    // More rows than there is room for: the slice ends with the last root that fits.
    const fitting = keep === undefined ? size : rootsThatFit(long, room);
    const slice =
      fitting >= long.roots.length
        ? long
        : await readSlice(parts, reading, { ...asked, limit: fitting, after: place });
    items.push(...slice.kept);
    roots += slice.roots.length;
    last = slice.roots.at(-1) ?? last;
    leftOut += slice.read - slice.kept.length;
    const { next } = slice;
    const full = keep === undefined || items.length >= limit || fitting < long.roots.length;
    const spent = roots >= budget.roots || parts.now() - began >= budget.ms;
    if (next === null || slice.bounded || spent || full) {
      const bounded = slice.bounded || (next !== null && !full);
      return { items, roots, last_root: last, left_out: leftOut, next, bounded };
    }
    place = next;
  }
}

interface Slice extends TurnSlice {
  readonly kept: readonly TurnRow[];
  /** Turns that were read, kept or not. */
  readonly read: number;
}

async function readSlice(
  parts: Parts,
  { scope, query }: Reading,
  { limit, after, signal, keep, judged }: TurnsAsked,
): Promise<Slice> {
  const options = {
    limit,
    signal,
    folded: true as const,
    ...(after === undefined ? {} : { after }),
    ...(judged === undefined ? {} : { judged }),
  };
  const slice = await parts.store.turns(scope, query, options);
  const verdicts = await parts.store.verdicts(scope, slice.roots);
  const rows = withVerdicts(rowsOf(slice.events, query, slice.roots), verdicts);
  return { ...slice, kept: keep === undefined ? rows : rows.filter(keep), read: rows.length };
}

/** So many roots of the slice hold at most `room` kept rows; one at least, or no page moves on. */
function rootsThatFit({ kept, roots }: Slice, room: number): number {
  const beyond = kept[room]?.root_trace_id;
  if (beyond === undefined) return roots.length;
  return Math.max(1, roots.indexOf(beyond));
}

/** Rows of the turns that hold a matching event, in the order of the roots. */
export function rowsOf(
  events: readonly TurnEvent[],
  query: EventQuery,
  roots: readonly string[],
): readonly TurnRow[] {
  const matching = new Set(events.filter((event) => matches(event, query)).map(turnKey));
  const place = new Map(roots.map((root, index) => [root, index]));
  return foldTurns(events)
    .filter((row) => matching.has(turnKey(row)))
    .toSorted(
      (a, b) => (place.get(a.root_trace_id ?? "") ?? 0) - (place.get(b.root_trace_id ?? "") ?? 0),
    );
}

/** The rows with what the background judge said; unjudged rows keep null. */
export function withVerdicts(
  rows: readonly TurnRow[],
  verdicts: readonly TurnVerdict[],
): readonly TurnRow[] {
  const byTurn = latestVerdicts(verdicts);
  return rows.map((row) => {
    const verdict = byTurn.get(turnKey(row));
    // A verdict that rests on less than the row shows is a verdict on another turn.
    if (verdict === undefined || isOlder(verdict.as_of, row.received_at)) return row;
    return { ...row, verdict: verdict.verdict, ...codesOf(verdict) };
  });
}

/** The judge keeps both kinds of codes in one list; a code that is both counts as a finding. */
function codesOf({
  finding_codes: codes,
}: TurnVerdict): Pick<TurnRow, "finding_codes" | "insight_codes"> {
  const isInsight = (code: string): boolean =>
    insights.has(code) && !Object.hasOwn(findingTexts, code);
  return {
    finding_codes: codes.filter((code) => !isInsight(code)),
    insight_codes: codes.filter(isInsight),
  };
}

const insights: ReadonlySet<string> = new Set(insightCodes);

/** Times of different stores have different numbers of digits; their texts do not compare. */
function isOlder(asOf: string, received: string | null): boolean {
  return received !== null && compareTimes(asOf, received) < 0;
}
