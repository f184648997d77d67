/** @module LookTimes: when a rule is evaluated, after a time without a process as well. */
import type { AlertRule } from "../config/alert-rules.ts";

/** Windows of a rule over other than turns that are looked at after a time without a process. */
const missedMax = 200;

/** The ends of the windows that were missed since a look, then now. */
export function lookTimes(
  { window_ms: size }: Pick<AlertRule, "window_ms">,
  lookedMs: number | null,
  now: number,
): readonly number[] {
  if (lookedMs === null || now - lookedMs <= size) return [now];
  const missed = Math.min(missedMax, Math.floor((now - lookedMs) / size));
  return [...Array.from({ length: missed }, (_, index) => now - (missed - index) * size), now];
}
