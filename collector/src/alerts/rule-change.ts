/** @module RuleChange: what the values of one look change about the alerts of a rule. */
import type { AlertRule } from "../config/alert-rules.ts";
import { valueOf } from "./alert-state.ts";
import type { ActiveAlert, MeasuredValue, AlertEnd } from "./alert-state.ts";

/** The turns that a rule counts, as a text: another filter or other groups are another text. */
export function selectsOf({ by, where = "" }: AlertRule): string {
  return JSON.stringify([by, where]);
}

/** That text in an alert of a rule that keeps it. */
export function selectsIn(rule: AlertRule): Pick<ActiveAlert, "selects"> {
  return rule.measure === "silence" ? { selects: selectsOf(rule) } : {};
}

/** The value of one group. */
export interface MeasuredGroup extends MeasuredValue {
  /** Null where the rule has no groups, or where the value is not recorded. */
  readonly group: string | null;
  /** Turns or calls behind it. */
  readonly count: number;
}

/** A measured value and whether it breaks the rule; null: not established. */
export interface JudgedGroup extends MeasuredGroup {
  readonly broken: boolean | null;
}

/** An episode that a look ended, with the value that ended it; null where there is none. */
export interface EndedEpisode extends MeasuredValue {
  readonly alert: ActiveAlert;
  readonly reason: AlertEnd;
}

/** What a look changes about one rule. */
export interface RuleChange {
  readonly fresh: readonly JudgedGroup[];
  readonly ended: readonly EndedEpisode[];
  readonly kept: readonly ActiveAlert[];
}

/** Compares what fires of a rule with what was measured at a time. */
export function changeOf(
  rule: AlertRule,
  active: readonly ActiveAlert[],
  judged: readonly JudgedGroup[],
  atMs: number,
): RuleChange {
  const own = active.filter((alert) => alert.rule === rule.name);
  const fresh = judged.filter(
    ({ group, broken }) => broken === true && !own.some((alert) => alert.group === group),
  );
  const ended: EndedEpisode[] = [];
  const kept: ActiveAlert[] = [];
  for (const alert of own) {
    const found = judged.find(({ group }) => group === alert.group);
    const now = found === undefined ? undefined : valueOf(found);
    if (found?.broken === true) {
      kept.push({ ...alert, ...now, ...selectsIn(rule), broken_ms: atMs });
    } else if (found?.broken === false) {
      ended.push({ alert, reason: "value", value: null, ...now });
    }
    // Nothing shows that it is over; without evidence for a whole window it is no alarm any more.
    else if (atMs - alert.broken_ms >= rule.window_ms) {
      ended.push({ alert, reason: "not_established", value: null });
    } else kept.push(alert);
  }
  return { fresh, ended, kept };
}
