/**
 * @module RuleLook: evaluates one rule at one time, and puts what begins, goes on and ends into the
 * document.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import type { AlertMessages } from "./alert-messages.ts";
import { isOf } from "./alert-state.ts";
import type { ActiveAlert, AlertDocument } from "./alert-state.ts";
import { judgeRule, raise } from "./evaluate.ts";
import { isLeftToLate } from "./late-windows.ts";
import { changeOf } from "./rule-change.ts";
import type { JudgedGroup } from "./rule-change.ts";
import type { MeasureParts } from "./rule-query.ts";

/** When a rule is evaluated, and what for. */
export interface RuleLookOptions {
  /** End of the window, epoch milliseconds. */
  readonly atMs: number;
  /** True for a window that had ended when its turns were written or judged. */
  readonly isLate: boolean;
  /** Names the deployment in ids. */
  readonly scope: string;
  readonly messages: Pick<AlertMessages, "end">;
  /** Called with the values before anything is raised. */
  readonly onFound: (found: readonly JudgedGroup[]) => void;
}

/** Returns the changed document. */
export async function lookAt(
  parts: MeasureParts,
  before: AlertDocument,
  rule: AlertRule,
  { atMs, isLate, scope, messages, onFound }: RuleLookOptions,
): Promise<AlertDocument> {
  // A late window changes nothing about an alert that was found to last beyond it.
  const isOpen = (one: ActiveAlert): boolean =>
    one.rule === rule.name &&
    (isLate ? one.broken_ms <= atMs : !isLeftToLate(before, rule, one, atMs));
  const open = before.active.filter(isOpen);
  const others = before.active.filter((one) => !isOpen(one));
  const { looked_ms: lookedMs, closed } = before;
  const found = await judgeRule(parts, rule, { atMs, open, lookedMs });
  onFound(found);
  const judged = found.filter(({ group }) => !others.some((one) => isOf(one, rule.name, group)));
  const { fresh, ended, kept } = changeOf(rule, open, judged, atMs);
  const how = { atMs, isLate, scope, closed, lookedMs };
  const raised = await Promise.all(fresh.map((one) => raise(parts, rule, one, how)));
  let document: AlertDocument = {
    ...before,
    active: [
      ...others,
      ...(isLate ? kept.map((one) => ({ ...one, late: true as const })) : kept),
      ...ended.map(({ alert }) => alert),
      ...raised.filter((one) => one !== undefined),
    ],
  };
  for (const one of ended) document = messages.end(document, rule, one, atMs);
  return document;
}
