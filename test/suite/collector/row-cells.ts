/** @module Row cells: the durations of some rows of turns over time, counted one by one. */
import { nearestRank } from "@turnproof/semconv";
import { durationClass } from "@turnproof/evidence";
import type { TurnRow } from "@turnproof/evidence";

import { cellsOf } from "../../../collector/src/ui/display/duration-cells.ts";
import type { DurationCells } from "../../../collector/src/ui/display/duration-cells.ts";
import { binned, lastedMs } from "../../../collector/src/ui/display/turn-figures.ts";

/** One turn at its time; null is an unknown duration. */
interface Lasting {
  readonly atMs: number;
  readonly durationMs: number | null;
}

/** The last event of each turn, and how long it took. */
export function lastingOf(rows: readonly TurnRow[]): readonly Lasting[] {
  return rows
    .map((row) => ({ atMs: Date.parse(row.ended_at), durationMs: lastedMs(row) }))
    .filter(({ atMs }) => !Number.isNaN(atMs));
}

/** The cells of some turns, from the first of them to the last. */
export function durationCells(turns: readonly Lasting[]): DurationCells {
  return cellsOf(
    binned(turns).map(({ fromMs, toMs, members }) => {
      const own = members.flatMap(({ durationMs }) => durationMs ?? []);
      const classes = new Map<number, number>();
      for (const ms of own) {
        const at = durationClass(ms);
        classes.set(at, (classes.get(at) ?? 0) + 1);
      }
      const [turns, unknown] = [members.length, members.length - own.length];
      const [p50, p95] = [nearestRank(own, 0.5), nearestRank(own, 0.95)];
      return { fromMs, toMs, turns, unknown, p50, p95, classes };
    }),
  );
}
