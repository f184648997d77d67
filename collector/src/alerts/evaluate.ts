/**
 * @module Evaluate: a rule at the end of one window: which groups break it, and the alert of one
 * that did not fire.
 */
import { isoTime } from "@turnproof/semconv";

import { alertId } from "./alert-ids.ts";
import { isOf, valueOf } from "./alert-state.ts";
import { selectsIn } from "./rule-change.ts";
import type { ActiveAlert, ClosedAlert } from "./alert-state.ts";
import type { JudgedGroup } from "./rule-change.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { breaks, countsTurns } from "./breach.ts";
import { evidenceOf } from "./evidence.ts";
import { measureRule } from "./measure.ts";
import type { MeasureParts } from "./rule-query.ts";
import type { LookedBefore } from "./silent.ts";

const weekMs = 7 * 86_400_000;

/** Groups of a rule in the window that ends then. */
export async function judgeRule(
  parts: MeasureParts,
  rule: AlertRule,
  { atMs, ...looked }: LookedBefore & { readonly atMs: number },
): Promise<readonly JudgedGroup[]> {
  const measured = await measureRule(parts, rule, atMs, looked);
  const before = rule.change === undefined ? undefined : await weekBefore(parts, rule, atMs);
  const judged = measured.map((one) => {
    return { ...one, broken: breaks(rule, one.value, before?.get(one.group) ?? null) };
  });
  // Where turns are required, none of them is no result.
  if (!countsTurns(rule) || rule.min_count > 1) return judged;
  // A group without such a turn has none of them: that is a result.
  const gone = looked.open.filter(({ group }) => !measured.some((one) => one.group === group));
  const broken = breaks(rule, 0, null) ?? false;
  return [...judged, ...gone.map(({ group }) => ({ group, value: 0, count: 0, broken }))];
}

/** Values of a rule a week before a time. */
interface PastValues {
  readonly atMs: number;
  readonly values: ReadonlyMap<string | null, number | null>;
}

const pastOf = new WeakMap<AlertRule, PastValues>();

/**
 * Values a week earlier. They hardly change from one look to the next, and reading them costs as
 * much as those of now: they are read again after a sixtieth of the window, at most a minute.
 */
async function weekBefore(
  parts: MeasureParts,
  rule: AlertRule,
  atMs: number,
): Promise<PastValues["values"]> {
  const held = pastOf.get(rule);
  const holdsMs = Math.min(rule.window_ms / 60, 60_000);
  if (held !== undefined && atMs > held.atMs && atMs - held.atMs < holdsMs) return held.values;
  const measured = await measureRule(parts, rule, atMs - weekMs);
  const values = new Map(measured.map(({ group, value }) => [group, value]));
  if (held === undefined || atMs >= held.atMs) pastOf.set(rule, { atMs, values });
  return values;
}

/** Where and when an alert is raised. */
interface RaisedAt {
  /** End of the window, epoch milliseconds. */
  readonly atMs: number;
  /** The window had ended before its turns were written or judged. */
  readonly isLate: boolean;
  /** Names the deployment in ids. */
  readonly scope: string;
  readonly closed: readonly ClosedAlert[];
  /** The look before, epoch milliseconds; null before the first one. */
  readonly lookedMs: number | null;
}

/**
 * The alert of a group that breaks its rule. Undefined where an earlier one was about the same
 * turns of a late window.
 */
export async function raise(
  parts: MeasureParts,
  rule: AlertRule,
  { group, ...found }: JudgedGroup,
  { atMs, isLate, scope, closed, lookedMs }: RaisedAt,
): Promise<ActiveAlert | undefined> {
  const ends = closed.flatMap((one) => {
    const began = Date.parse(one.since) - rule.window_ms;
    return isOf(one, rule.name, group) && began < atMs ? [Date.parse(one.ended)] : [];
  });
  const afterMs = Math.max(0, ...ends);
  const of = { group, endMs: atMs, afterMs, lookedMs };
  const { onset, roots, isNew } = await evidenceOf(parts, rule, of);
  if (isLate && !isNew && afterMs > atMs - rule.window_ms) return undefined;
  return {
    id: alertId({ scope, rule: rule.name, group, onset }),
    rule: rule.name,
    group,
    since: isoTime(atMs),
    ...valueOf(found),
    roots: [...roots],
    ...selectsIn(rule),
    ...(isLate ? { late: true as const } : {}),
    broken_ms: atMs,
    notified: false,
    resolved: false,
  };
}
