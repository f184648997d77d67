/**
 * @module LateWindows: windows that had ended when their turns were written or judged, because the
 * collector was stopped, its journal was read again, or the judge was behind. They begin every half
 * a window, in whole steps since the epoch: the same for each process, so that ids are the same.
 */
import { isoTime } from "@turnproof/semconv";
import type { TurnCondition } from "@turnproof/store";

import { collectorScope } from "../access/grants.ts";
import type { AlertRule } from "../config/alert-rules.ts";
import { markOf } from "../judge/judge-windows.ts";
import { readTerms } from "../ui/display/filter-terms.ts";
import type { ActiveAlert, AlertDocument } from "./alert-state.ts";
import { beganMs } from "./rule-beginnings.ts";
import { longestTurnMs, ruleQuery } from "./rule-query.ts";
import type { MeasureParts } from "./rule-query.ts";

const notOfTurns: ReadonlySet<AlertRule["measure"]> = new Set([
  "silence",
  "judge_lag_ms",
  "lost_events",
]);
const ofVerdicts: ReadonlySet<AlertRule["measure"]> = new Set([
  "verdict_share",
  "findings",
  "insights",
  "contract_share",
]);
const verdictTerms: ReadonlySet<string> = new Set(["verdict", "finding", "insight", "contract"]);
/** A verdict that is replaced, or a turn that is not in the ledger yet, is no older than this. */
const trailMs = 10_000;
/** Late windows are up with those of now when the next one ends later than this ago. */
const upToDateMs = 2 * trailMs;
/** A turn that no judge settles for this long is not waited for. */
const waitMs = 10 * 60_000;

/** True for a rule over the turns that were received in its window. */
export function isOfTurns({ measure }: AlertRule): boolean {
  return !notOfTurns.has(measure);
}

/** True where the value depends on verdicts. */
function isOfVerdicts({ measure, where = "" }: AlertRule): boolean {
  return ofVerdicts.has(measure) || readTerms(where).terms.some(({ key }) => verdictTerms.has(key));
}

/**
 * Receipts up to which rules have passed their turns, by name. @param touchedMs receipt of the
 * first turn that was written or judged since
 */
export function passedTurns(
  document: AlertDocument,
  rules: readonly AlertRule[],
  touchedMs: number,
): Map<string, number> {
  const { looked_ms, passed_ms } = document;
  const known = new Map<string, number>();
  for (const { name, window_ms: size } of rules.filter(isOfTurns)) {
    // A version without late windows kept no more than its last look.
    const at = (passed_ms === undefined ? looked_ms : passed_ms[name]) ?? Infinity;
    // Earlier turns are in no window of the rule.
    const passed = Math.max(beganMs(document, name) - size, Math.min(at, touchedMs - 1));
    if (Number.isFinite(passed)) known.set(name, passed);
  }
  return known;
}

/** True where the rule has an alert that windows which had ended showed, and did not end. */
export function hasLate({ active }: AlertDocument, rule: AlertRule): boolean {
  return active.some((one) => one.rule === rule.name && one.late === true);
}

/** True where not the window of now, but one that had ended, is to show how an alert goes on. */
export function isLeftToLate(
  { passed_ms }: AlertDocument,
  rule: AlertRule,
  alert: ActiveAlert,
  now: number,
): boolean {
  if (!isOfTurns(rule)) return false;
  if (alert.late === true) return true;
  const liveFrom = now - rule.window_ms;
  return (passed_ms?.[rule.name] ?? liveFrom) < liveFrom && alert.broken_ms <= liveFrom;
}

/** The document with the rule's late alerts left to the windows of now, once these are next. */
export function handedOver(
  document: AlertDocument,
  rule: AlertRule,
  { passed, to, now }: { readonly passed: number; readonly to: number; readonly now: number },
): AlertDocument {
  const next = lateEndAfter(rule, Math.max(passed, beganMs(document, rule.name)));
  if (!hasLate(document, rule) || next <= to || next <= now - upToDateMs) return document;
  const active = document.active.map((alert) => {
    const { late: _late, ...live } = alert;
    return alert.rule === rule.name ? live : alert;
  });
  return { ...document, active };
}

function lateEndAfter({ window_ms }: AlertRule, after: number): number {
  const step = window_ms / 2;
  return (Math.floor(after / step) + 1) * step;
}

/** For each rule the receipt up to which turns are written, and judged where it depends on that. */
export async function settledTo(
  parts: MeasureParts,
  rules: readonly AlertRule[],
  at: {
    readonly now: number;
    /** When this process began to wait for the judge. */
    readonly began: number;
    /** Receipts up to which rules have passed, by name. */
    readonly known: ReadonlyMap<string, number>;
  },
): Promise<ReadonlyMap<AlertRule, number>> {
  const { now, began, known } = at;
  const written = Math.min(Date.parse(markOf(parts)), now - trailMs);
  const judged = rules.filter(isOfVerdicts);
  const passed = judged.map(({ name }) => known.get(name) ?? written);
  const from = now - began < waitMs ? Math.min(written, ...passed) : now - waitMs;
  const unjudged = [{ text: "verdict", is: "unjudged" }] as const;
  const oldest = judged.length === 0 ? undefined : await firstReceipt(parts, unjudged, from);
  const settled = Math.min(written, (oldest ?? now) - 1);
  return new Map(rules.map((rule) => [rule, isOfVerdicts(rule) ? settled : written]));
}

/**
 * End of the next window after this time that has a turn; undefined without one. @param of `began`:
 * the rule did, and has no window before; `lasts`: an alert of the rule fires, so that a window
 * without turns counts as well
 */
export async function nextLateEnd(
  parts: MeasureParts,
  rule: AlertRule,
  of: { readonly after: number; readonly began: number; readonly lasts: boolean },
): Promise<number | undefined> {
  const next = lateEndAfter(rule, Math.max(of.after, of.began));
  if (of.lasts) return next;
  const { where } = await ruleQuery(parts.store.ledger, rule);
  const first = await firstReceipt(parts, where, next - rule.window_ms);
  if (first === undefined) return undefined;
  return Math.max(next, lateEndAfter(rule, first));
}

/** Receipt of the first turn since then, epoch milliseconds. */
async function firstReceipt(
  { store }: MeasureParts,
  where: readonly TurnCondition[],
  fromMs: number,
): Promise<number | undefined> {
  const query = {
    scope: collectorScope(),
    where: [
      ...where,
      // The order of the ledger; without it the whole history is read.
      { time: "first_received", from: isoTime(fromMs - longestTurnMs) } as const,
      { time: "received_at", from: isoTime(fromMs) } as const,
    ],
  };
  const order = { by: "received_at", ascending: true } as const;
  const { records } = await store.ledger.listTurns(query, { order, limit: 1 });
  const at = records[0]?.row.received_at;
  return at === undefined || at === null ? undefined : Date.parse(at);
}
