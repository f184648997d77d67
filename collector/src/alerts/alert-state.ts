/**
 * @module AlertState: what is firing, what was, and what is still to be sent: one document, so that
 * a change and its messages are kept together or not at all.
 */
import { isoTime } from "@turnproof/semconv";
import { z } from "zod";

import type { AlertRule } from "../config/alert-rules.ts";

/** Why an alert ended. */
export type AlertEnd = "value" | "not_established" | "operator" | "rule_removed";

/** What is known of a cost. */
export interface CostBounds {
  /** US dollars of the calls with a price; null without one. */
  readonly low_usd: number | null;
  readonly high_usd: number | null;
  /** Calls without a price: they are in neither bound. */
  readonly unpriced_calls: number;
}

/** A measured value. */
export interface MeasuredValue {
  readonly value: number | null;
  /** Only of `cost_usd`. */
  readonly cost?: CostBounds;
}

/** What fired, from when, with what evidence. */
export interface AlertEpisode extends MeasuredValue {
  /** The same for every collector that sees the same evidence. */
  readonly id: string;
  readonly rule: string;
  readonly group: string | null;
  /** When it was found to fire, ISO 8601. */
  readonly since: string;
  /** Some roots of its evidence, newest first. */
  readonly roots: readonly string[];
}

/** An alert that fires. */
export interface ActiveAlert extends AlertEpisode {
  /** Last time at which its rule was broken, epoch milliseconds. */
  readonly broken_ms: number;
  /** Its messages are in the outbox, or were. */
  readonly notified: boolean;
  /** Resolved by an operator: quiet until its condition ends. */
  readonly resolved: boolean;
  /** Its rule when the start was sent, for the message of its end where the rule is removed. */
  readonly sent?: AlertRule;
  /** Names of targets whose start was not given up; absent in a document of an earlier version. */
  readonly started?: readonly string[];
  /** Only of `silence`: groups and filter of its rule, as a text. */
  readonly selects?: string;
  /** Found in a window that had ended: its end is found in such windows, too. */
  readonly late?: true;
}

/** An alert that has ended. */
export interface ClosedAlert extends AlertEpisode {
  readonly ended: string;
  readonly reason: AlertEnd;
}

/** One of the alerts of a message. */
export interface MessageMember {
  readonly alert_id: string;
  readonly about: string;
}

/** A message that its target has not taken yet. */
export interface AlertMessage {
  /** `webhook-id`: the same at every attempt and from every collector. */
  readonly id: string;
  readonly target: string;
  readonly alert_id: string;
  /** Rule and group: a target gets its messages about these in their order. */
  readonly about?: string;
  /** Only of a message about several alerts: these; `alert_id` is then of all of them. */
  readonly members?: readonly MessageMember[];
  readonly body: string;
  readonly made_ms: number;
  readonly attempts: number;
  /** HTTP status of the last attempt; null: no answer. Absent before the first one. */
  readonly status?: number | null;
  readonly next_ms: number;
}

/** Alerts of a rule that are not sent. */
export interface AlertSilence {
  readonly rule: string;
  /** Null: every group of the rule. */
  readonly group: string | null;
  readonly until: string;
  /** Name of the principal. */
  readonly by: string;
}

/** When a rule began. */
export interface RuleBeginning {
  /** What it measures, as a text: another text is another rule. */
  readonly of: string;
  /** Its first evaluation by any collector, epoch milliseconds. */
  readonly at_ms: number;
}

/** The document. */
export interface AlertDocument {
  readonly version: 1;
  /** Evidence was looked at up to here, epoch milliseconds; null before the first time. */
  readonly looked_ms: number | null;
  /**
   * By name of a rule over turns: those received up to here were counted with their verdicts, epoch
   * milliseconds. Absent in a document of an earlier version.
   */
  readonly passed_ms?: Readonly<Record<string, number>>;
  /** By name of a rule. Absent in a document of an earlier version. */
  readonly begun?: Readonly<Record<string, RuleBeginning>>;
  readonly active: readonly ActiveAlert[];
  readonly closed: readonly ClosedAlert[];
  readonly outbox: readonly AlertMessage[];
  readonly silences: readonly AlertSilence[];
  /** Messages that their target did not take in three days, or disabled itself before. */
  readonly given_up: number;
  /** Names of webhooks that answered 410 to the collector that sends. */
  readonly disabled?: readonly string[];
}

const alert = {
  id: z.string(),
  rule: z.string(),
  group: z.string().nullable(),
  since: z.string(),
  value: z.number().nullable(),
  cost: z
    .object({
      low_usd: z.number().nullable(),
      high_usd: z.number().nullable(),
      unpriced_calls: z.number(),
    })
    .exactOptional(),
  roots: z.array(z.string()),
};

/** Reads the document. */
export const alertDocument: z.ZodType<AlertDocument> = z.object({
  version: z.literal(1),
  looked_ms: z.number().nullable(),
  passed_ms: z.record(z.string(), z.number()).exactOptional(),
  begun: z.record(z.string(), z.object({ of: z.string(), at_ms: z.number() })).exactOptional(),
  active: z.array(
    z.object({
      ...alert,
      broken_ms: z.number(),
      notified: z.boolean(),
      resolved: z.boolean(),
      sent: z.custom<AlertRule>((value) => typeof value === "object").exactOptional(),
      started: z.array(z.string()).exactOptional(),
      selects: z.string().exactOptional(),
      late: z.literal(true).exactOptional(),
    }),
  ),
  closed: z.array(
    z.object({
      ...alert,
      ended: z.string(),
      reason: z.enum(["value", "not_established", "operator", "rule_removed"]),
    }),
  ),
  outbox: z.array(
    z.object({
      id: z.string(),
      target: z.string(),
      alert_id: z.string(),
      about: z.string().exactOptional(),
      members: z.array(z.object({ alert_id: z.string(), about: z.string() })).exactOptional(),
      body: z.string(),
      made_ms: z.number(),
      attempts: z.number(),
      status: z.number().nullable().exactOptional(),
      next_ms: z.number(),
    }),
  ),
  silences: z.array(
    z.object({
      rule: z.string(),
      group: z.string().nullable(),
      until: z.string(),
      by: z.string(),
    }),
  ),
  given_up: z.number(),
  disabled: z.array(z.string()).exactOptional(),
});

/** No alert is or was firing. */
export const noAlerts: AlertDocument = {
  version: 1,
  looked_ms: null,
  active: [],
  closed: [],
  outbox: [],
  silences: [],
  given_up: 0,
};

/** Most ended alerts that are kept. */
const closedMax = 500;

/** True where an alert is this rule's and group's. */
export function isOf(
  of: { readonly rule: string; readonly group: string | null },
  rule: string,
  group: string | null,
): boolean {
  return of.rule === rule && of.group === group;
}

/** A value with what is known of its cost. */
export function valueOf({ value, cost }: MeasuredValue): MeasuredValue {
  return cost === undefined ? { value } : { value, cost };
}

/** The document with one alert ended. */
export function closed(
  document: AlertDocument,
  alert: ActiveAlert,
  reason: AlertEnd,
  atMs: number,
): AlertDocument {
  const { id, rule, group, since, roots } = alert;
  const ended = isoTime(atMs);
  const row: ClosedAlert = { id, rule, group, since, ended, reason, ...valueOf(alert), roots };
  // An operator's resolution closed it already.
  const known = document.closed.some((one) => one.id === id);
  return {
    ...document,
    active: document.active.filter((one) => one.id !== id),
    closed: known ? document.closed : [row, ...document.closed].slice(0, closedMax),
  };
}

/** The document with an alert resolved by an operator: quiet until its condition ends. */
export function resolvedBy(document: AlertDocument, id: string, atMs: number): AlertDocument {
  const alert = document.active.find((one) => one.id === id && !one.resolved);
  if (alert === undefined) return document;
  const ended = closed(document, alert, "operator", atMs);
  return { ...ended, active: [...ended.active, { ...alert, resolved: true }] };
}

/** The silences that have not ended, the one that ends first first. */
export function standingSilences(
  silences: readonly AlertSilence[],
  atMs: number,
): readonly AlertSilence[] {
  const key = ({ rule, group }: AlertSilence): string => JSON.stringify([rule, group]);
  return silences
    .filter(({ until }) => Date.parse(until) > atMs)
    .toSorted((a, b) => Date.parse(a.until) - Date.parse(b.until) || (key(a) < key(b) ? -1 : 1));
}

/** The document with a silence in place of that of the same rule and group; a past one ends it. */
export function withSilence(document: AlertDocument, of: AlertSilence, now: number): AlertDocument {
  const others = document.silences.filter((one) => !isOf(one, of.rule, of.group));
  return { ...document, silences: Date.parse(of.until) > now ? [...others, of] : others };
}

/** True while a silence covers the alert. */
export function isSilenced(
  silences: readonly AlertSilence[],
  alert: Pick<ActiveAlert, "rule" | "group">,
  atMs: number,
): boolean {
  return silences.some(
    ({ rule, group, until }) =>
      rule === alert.rule && (group === null || group === alert.group) && Date.parse(until) > atMs,
  );
}
