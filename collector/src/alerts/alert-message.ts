/**
 * @module AlertMessage: an alert in the form of each kind of target. Names of rules, groups and
 * roots, counts and times: no content.
 */
import { isoTime } from "@turnproof/semconv";

import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import { durationText } from "../ui/display/figures.ts";
import { readTerms, termText, valuesOf } from "../ui/display/filter-terms.ts";
import { limitText, measureText, valueText } from "./breach.ts";
import type { ActiveAlert, CostBounds } from "./alert-state.ts";
import { idOfSegment, pageAddress } from "../ui/display/page-address.ts";

/** An event of an alert. */
export interface AlertEvent {
  readonly kind: "firing" | "resolved";
  readonly rule: AlertRule;
  readonly alert: ActiveAlert;
  /** Its value now: at an end that of the look that ended it. */
  readonly value: number | null;
  /** True where an operator ended the alert: its value was not read then. */
  readonly byOperator?: boolean;
  /** True where the rule is gone: whether its condition has ended is not known. */
  readonly isRemoved?: boolean;
  /** Only of `cost_usd`. */
  readonly cost?: CostBounds;
  /** When its message was made, epoch milliseconds. */
  readonly atMs: number;
  /** Address of the collector for people, without a slash at its end. */
  readonly base: string;
}

/** An alert with its value now. */
export type ValuedAlert = Pick<AlertEvent, "alert" | "value" | "cost" | "byOperator" | "isRemoved">;

/** One sentence about the alert; that of its end has the value that ended it. */
export function alertSentence(event: AlertEvent): string {
  const { kind, rule, alert, value, cost, atMs, byOperator = false } = event;
  const where = rule.by === undefined ? "" : ` of ${rule.by} ${alert.group ?? "not recorded"}`;
  const what = `${measureText(rule)}${where}`;
  if (kind === "resolved") {
    const took = durationText(Math.max(0, atMs - Date.parse(alert.since)));
    const fired = `${valueText(rule, alert.value, alert.cost)} when it last fired`;
    if (byOperator)
      return `${rule.name} is resolved by an operator after ${took}. ${what}: ${fired}.`;
    if (event.isRemoved === true)
      return `${rule.name} is no longer evaluated: the rule was removed after ${took}. ${what}: ${fired}.`;
    return `${rule.name} is resolved after ${took}. ${what}: ${valueText(rule, value, cost)}, ${fired}.`;
  }
  return `${rule.name} fires. ${what}: ${valueText(rule, alert.value, alert.cost)}, ${limitText(rule)}.`;
}

/** Measures whose value is not of the turns that were received in the window. */
const notOfWindow: ReadonlySet<AlertRule["measure"]> = new Set(["silence", "judge_lag_ms"]);

/** Term of the turns of a group; null is the group of those without a value. */
function groupTerm(by: string, group: string | null): string {
  if (group === null) return `-has:${by}`;
  return `${by}:${/^[\w.:@/-]+$/.test(group) ? group : `"${group}"`}`;
}

/** The rule's filter without a list that has the group: its own term is one of that list. */
function withoutList({ where = "", by }: AlertRule, group: string | null): string {
  const { terms } = readTerms(where);
  const kept = terms.filter(
    (term) =>
      term.key !== by ||
      term.negated ||
      term.others === undefined ||
      group === null ||
      !valuesOf(term).includes(group),
  );
  return kept.length === terms.length ? where : kept.map(termText).join(" ");
}

/**
 * Query string of the list of turns behind an alert. @param group undefined for turns of all groups
 * @param endMs end of the window, which is by last receipt; without it turns of any time
 */
export function turnsQuery(rule: AlertRule, group?: string | null, endMs?: number): string {
  const query = new URLSearchParams();
  const { by } = rule;
  const isStated = readTerms(rule.where ?? "").terms.some(
    ({ key, value, others, negated }) =>
      key === by && value === group && others === undefined && !negated,
  );
  const own = by === undefined || group === undefined || isStated ? "" : groupTerm(by, group);
  const window =
    endMs === undefined || notOfWindow.has(rule.measure)
      ? []
      : [`received:>=${isoTime(endMs - rule.window_ms)}`, `received:<${isoTime(endMs)}`];
  const slow = rule.measure === "p95_ms" && rule.above !== undefined;
  const terms = [
    group === undefined ? (rule.where ?? "") : withoutList(rule, group),
    own,
    rule.measure === "error_share" ? "has:error" : "",
    rule.insight === undefined ? "" : `insight:${rule.insight}`,
    rule.measure === "contract_share" ? `contract:${rule.contract ?? ""}=violated` : "",
    slow ? `latency:>${rule.above}ms` : "",
    ...window,
  ];
  const q = terms.filter((term) => term !== "").join(" ");
  if (q !== "") query.set("q", q);
  if (rule.verdict !== undefined) query.set("verdict", rule.verdict);
  if (rule.finding !== undefined) query.set("finding", rule.finding);
  if (window.length > 0) query.set("sort", "first_received");
  return query.size === 0 ? "" : `?${query.toString()}`;
}

/** Path of what is behind an alert: its turns, or the losses of producers, which are of no turn. */
export function evidencePath(
  rule: AlertRule,
  { group, broken_ms: endMs }: Pick<ActiveAlert, "group" | "broken_ms">,
): string {
  if (rule.measure === "lost_events") return "/traces/health#losses";
  return `/traces${turnsQuery(rule, group, endMs)}`;
}

/** Body of a message, JSON. */
export function messageBody(target: AlertTarget, event: AlertEvent): string {
  if (target.kind === "slack") return JSON.stringify(slackBody(event));
  if (target.kind === "alertmanager") return JSON.stringify([alertmanagerBody(event)]);
  return JSON.stringify(webhookBody(event));
}

function webhookBody(event: AlertEvent): object {
  const { kind, rule, alert, value, cost, atMs, base } = event;
  return {
    type: `turnproof.alert.${kind}`,
    timestamp: isoTime(atMs),
    data: {
      alert_id: alert.id,
      rule: rule.name,
      severity: rule.severity,
      measure: rule.measure,
      by: rule.by ?? null,
      group: alert.group,
      value,
      ...(cost === undefined ? {} : { cost }),
      sentence: alertSentence(event),
      window_ms: rule.window_ms,
      since: alert.since,
      root_trace_ids: alert.roots,
      turns: `${base}${evidencePath(rule, alert)}`,
      alerts: `${base}/alerts`,
    },
  };
}

/** The body without these roots; a body that names none of them is returned as it is. */
export function bodyWithout(body: string, roots: ReadonlySet<string>): string {
  const parsed: unknown = JSON.parse(body);
  const left = without(parsed, roots);
  return left === parsed ? body : JSON.stringify(left);
}

const linkBreak = " · ";

/** The same value where nothing is removed. */
function without(value: unknown, roots: ReadonlySet<string>): unknown {
  if (typeof value === "string") {
    const parts = value.split(linkBreak);
    const left = parts.filter((part) => {
      const root = /^<[^|>]*\/traces\/([^/?|>]+)\|[^>]*>$/.exec(part)?.[1];
      return root === undefined || !roots.has(idOfSegment(decodeURIComponent(root)));
    });
    return left.length === parts.length ? value : left.join(linkBreak);
  }
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const left = value.filter((one) => !roots.has(one as string)).map((one) => without(one, roots));
    const same = left.length === value.length && left.every((one, at) => one === value[at]);
    return same ? value : left;
  }
  const entries = Object.entries(value);
  const left = entries.map(([name, one]) => [name, without(one, roots)] as const);
  return left.every(([, one], at) => one === entries[at]?.[1]) ? value : Object.fromEntries(left);
}

/** Emoji of a severity. */
export const slackSign = {
  critical: ":rotating_light:",
  warning: ":warning:",
  info: ":information_source:",
};

/** Emoji of an end; a rule that was removed is no recovery. */
export function slackEnd({ isRemoved = false }: Pick<AlertEvent, "isRemoved">): string {
  return isRemoved ? ":heavy_minus_sign:" : ":white_check_mark:";
}

/** A text of Slack without its marks. */
export function slackText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function slackBody(event: AlertEvent): object {
  const { kind, rule, alert, base } = event;
  const sign = kind === "resolved" ? slackEnd(event) : slackSign[rule.severity];
  const text = `${sign} ${slackText(alertSentence(event))}`;
  const links = [
    `<${base}${evidencePath(rule, alert)}|${rule.measure === "lost_events" ? "Losses" : "Turns"}>`,
    ...alert.roots.map(
      (root) => `<${base}${pageAddress("traces", root)}|${slackText(root.slice(0, 12))}>`,
    ),
  ];
  return {
    text,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text: `${text}\n${links.join(linkBreak)}` } },
    ],
  };
}

/** Body of Alertmanager whose alert ends no later than that. */
export function bodyEnded(body: string, atMs: number): string {
  const alerts = JSON.parse(body) as { readonly endsAt: string }[];
  const end = (at: string): string => (Date.parse(at) > atMs ? isoTime(atMs) : at);
  return JSON.stringify(alerts.map((alert) => ({ ...alert, endsAt: end(alert.endsAt) })));
}

/** A firing alert lasts this long without being sent again. */
const lastsMs = 10 * 60_000;

function alertmanagerBody(event: AlertEvent): object {
  const { kind, rule, alert, atMs, base } = event;
  const ends = kind === "resolved" ? atMs : atMs + lastsMs;
  const turns = `${base}${evidencePath(rule, alert)}`;
  return {
    labels: {
      alertname: rule.name,
      severity: rule.severity,
      measure: rule.measure,
      ...(rule.by === undefined ? {} : { [rule.by]: alert.group ?? "" }),
    },
    annotations: { summary: alertSentence(event), alert_id: alert.id, turns },
    startsAt: alert.since,
    endsAt: isoTime(ends),
    generatorURL: turns,
  };
}
