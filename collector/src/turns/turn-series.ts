/**
 * @module TurnSeries: the turns of a query over time, each at the time of its last event.
 * Over the selected range, or from the first turn to the last; without a range, turns with an
 * implausible clock are counted and not drawn.
 */
import { isoTime } from "@turnproof/semconv";
import type { CountGroup, TurnQuery } from "@turnproof/store";

import { isPlausibleTime, plausibleRange } from "../ui/display/plausible-time.ts";
import { binFrame } from "../ui/display/turn-figures.ts";
import type { BinFrame } from "../ui/display/turn-figures.ts";

/** Query of turns, in total or by interval: counts, or figures, which cost more. */
export type SeriesReader<G extends CountGroup> = (
  query: TurnQuery,
  options: { readonly everyMs?: number },
) => Promise<readonly G[]>;

/** Turns over time. */
export interface TurnSeries<G extends CountGroup> {
  /** All turns of the query; undefined without any. */
  readonly total: G | undefined;
  /** The query of the drawn turns. */
  readonly drawn: TurnQuery;
  /** Undefined where no turn is drawn. */
  readonly frame: BinFrame | undefined;
  /** Each bar, with its figures where it has turns. */
  readonly bars: readonly {
    readonly fromMs: number;
    readonly toMs: number;
    readonly figures: G | undefined;
  }[];
}

/** Time of the request, and the selected range. */
export interface SeriesOptions {
  readonly nowMs: number;
  /** First and last millisecond. */
  readonly within?: readonly [number, number] | undefined;
}

/** The intervals of the turns of a query. */
export async function turnSeries<G extends CountGroup>(
  read: SeriesReader<G>,
  query: TurnQuery,
  { nowMs, within }: SeriesOptions,
): Promise<TurnSeries<G>> {
  const [total] = await read(query, {});
  const { drawn, extent } =
    within === undefined
      ? await plausible(read, { query, total, nowMs })
      : { drawn: query, extent: within };
  if (total === undefined || extent === undefined) {
    return { total, drawn, frame: undefined, bars: [] };
  }
  const frame = binFrame(...extent);
  const groups = await read(drawn, { everyMs: frame.stepMs });
  const byStart = new Map(groups.map((group) => [group.from_ms, group]));
  const bars = Array.from({ length: frame.size }, (_, index) => {
    const fromMs = frame.fromMs + index * frame.stepMs;
    return { fromMs, toMs: fromMs + frame.stepMs, figures: byStart.get(fromMs) };
  });
  return { total, drawn, frame, bars };
}

/** The turns with a plausible clock, and their time range; all of them where none has one. */
async function plausible(
  read: SeriesReader<CountGroup>,
  of: {
    readonly query: TurnQuery;
    readonly total: CountGroup | undefined;
    readonly nowMs: number;
  },
): Promise<{ drawn: TurnQuery; extent: readonly [number, number] | undefined }> {
  const { query, total, nowMs } = of;
  const all = { drawn: query, extent: extentOf(total) };
  if (all.extent?.every((atMs) => isPlausibleTime(atMs, nowMs)) !== false) return all;
  const [from, to] = plausibleRange(nowMs);
  const right: TurnQuery = {
    ...query,
    where: [...query.where, { time: "ended_at", from: isoTime(from), to: isoTime(to + 1) }],
  };
  const [whole] = await read(right, {});
  const extent = extentOf(whole);
  return extent === undefined ? all : { drawn: right, extent };
}

function extentOf(counts: CountGroup | undefined): readonly [number, number] | undefined {
  const { first_at: first, last_at: last } = counts ?? {};
  if (typeof first !== "number" || typeof last !== "number") return undefined;
  return [Math.floor(first / 1_000), Math.floor(last / 1_000)];
}
