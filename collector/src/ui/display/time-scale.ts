/**
 * @module TimeScale: maps times of a waterfall to places on the screen, with a zoom and,
 * optionally, without long idle times.
 */
import type { WaterfallRow } from "./waterfall-rows.ts";

/** A time interval. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Places between 0 and 1 for times; beyond these outside of the window. */
export interface TimeScale {
  /** The visible time range. */
  readonly window: Stretch;
  place(ms: number): number;
  /** The time at a place. */
  timeAt(place: number): number;
  /** Places of the removed gaps. */
  readonly tears: readonly number[];
}

const gapShareMin = 0.25;
const tornShare = 0.02;

/** Long intervals without activity in any innermost row. */
export function idleGaps(rows: readonly WaterfallRow[], extentMs: number): readonly Stretch[] {
  const busy = rows
    .filter((row) => row.kind === "node" && row.descendants === 0 && row.startMs !== null)
    .map((row) => ({ fromMs: row.startMs ?? 0, toMs: row.endMs ?? row.startMs ?? 0 }))
    .toSorted((a, b) => a.fromMs - b.fromMs);
  const gaps: Stretch[] = [];
  let reached = busy[0]?.fromMs ?? 0;
  for (const { fromMs, toMs } of busy) {
    if (fromMs - reached > extentMs * gapShareMin) gaps.push({ fromMs: reached, toMs: fromMs });
    if (toMs > reached) reached = toMs;
  }
  return gaps;
}

/** A scale over a time range, with gaps removed. */
export function timeScale(window: Stretch, gaps: readonly Stretch[] = []): TimeScale {
  const inside = gaps.filter((gap) => gap.fromMs >= window.fromMs && gap.toMs <= window.toMs);
  const lost = inside.reduce((sum, gap) => sum + gap.toMs - gap.fromMs, 0);
  const span = Math.max(window.toMs - window.fromMs - lost, 1e-6);
  const room = 1 - inside.length * tornShare;
  const place = (ms: number): number => {
    let at = ms - window.fromMs;
    let torn = 0;
    for (const gap of inside) {
      if (ms <= gap.fromMs) break;
      const within = Math.min(ms, gap.toMs) - gap.fromMs;
      at -= within;
      torn += tornShare * (within / (gap.toMs - gap.fromMs));
    }
    return (at / span) * room + torn;
  };
  const timeAt = (wanted: number): number => {
    let from = window.fromMs;
    let reached = 0;
    for (const gap of inside) {
      const width = ((gap.fromMs - from) / span) * room;
      if (wanted <= reached + width) break;
      reached += width + tornShare;
      from = gap.toMs;
      if (wanted <= reached) return from;
    }
    return from + ((wanted - reached) / room) * span;
  };
  return {
    window,
    place,
    timeAt,
    tears: inside.map((gap) => place(gap.fromMs) + tornShare / 2),
  };
}

/** Pixels from the start of a label to the next, and after the start of the last one. */
const tickPx = 44;
const lastPx = 18;

/** Round times for an axis of that width in pixels, at most five steps of them. */
export function ticks(window: Stretch, widthPx = 5 * tickPx): readonly number[] {
  const span = window.toMs - window.fromMs;
  if (!(span > 0)) return [];
  const rough = span / Math.min(5, Math.max(widthPx / tickPx, 1));
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 5, 10].find((size) => size * power >= rough) ?? 10) * power;
  const found: number[] = [];
  // A label at the very end would be cut.
  const last = window.toMs - span * Math.max(0.04, lastPx / Math.max(widthPx, lastPx));
  for (let at = Math.ceil(window.fromMs / step) * step; at <= last; at += step) {
    found.push(Number(at.toPrecision(12)));
  }
  return found;
}
