/**
 * @module AlertState: what is firing, what was, and what is still to be sent: one document, so that a
 * change and its messages are kept together or not at all.
 */
import { createHash } from "node:crypto";

import { z } from "zod";

import type { AlertRule } from "../config/alert-rules.ts";
import type { Measured } from "./measure.ts";

const activeAlert = z.object({
  /** The same for every collector that sees the same evidence. */
  id: z.string(),
  rule: z.string(),
  group: z.string().nullable(),
  /** When it was found to fire, ISO 8601. */
  since: z.string(),
  value: z.number().nullable(),
  /** Some roots of its evidence, newest first. */
  roots: z.array(z.string()),
  /** Last time at which its rule was broken, epoch milliseconds. */
  broken_ms: z.number(),
  /** Whether its targets have been told, or will be by the outbox. */
  notified: z.boolean(),
  /** Resolved by an operator: quiet until its condition ends. */
  resolved: z.boolean(),
});

const closedAlert = z.object({
  id: z.string(),
  rule: z.string(),
  group: z.string().nullable(),
  since: z.string(),
  ended: z.string(),
  reason: z.enum(["value", "not_established", "operator", "rule_removed"]),
  value: z.number().nullable(),
  roots: z.array(z.string()),
});

const message = z.object({
  /** `webhook-id`: the same at every attempt and from every collector. */
  id: z.string(),
  target: z.string(),
  alert_id: z.string(),
  body: z.string(),
  made_ms: z.number(),
  attempts: z.number(),
  next_ms: z.number(),
});

const silence = z.object({
  rule: z.string(),
  /** Null: every group of the rule. */
  group: z.string().nullable(),
  until: z.string(),
  by: z.string(),
});

/** The document. */
export const alertDocument = z.object({
  version: z.literal(1),
  /** Evidence was looked at up to here, epoch milliseconds; null before the first time. */
  looked_ms: z.number().nullable(),
  active: z.array(activeAlert),
  closed: z.array(closedAlert),
  outbox: z.array(message),
  silences: z.array(silence),
  /** Messages that no target took for three days. */
  given_up: z.number(),
});

/** The document. */
export type AlertDocument = z.infer<typeof alertDocument>;
/** An alert that fires. */
export type ActiveAlert = z.infer<typeof activeAlert>;
/** An alert that has ended. */
export type ClosedAlert = z.infer<typeof closedAlert>;
/** A message that no target has taken yet. */
export type AlertMessage = z.infer<typeof message>;
/** Alerts of a rule that are not sent. */
export type AlertSilence = z.infer<typeof silence>;

/** Nothing fires, and nothing did. */
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

const hash = (parts: readonly unknown[]): string =>
  createHash("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 32);

/** Id of an alert: of deployment, rule, group and the first evidence of this episode. */
export function alertId(of: {
  readonly scope: string;
  readonly rule: string;
  readonly group: string | null;
  readonly onset: string;
}): string {
  return `alert_${hash([of.scope, of.rule, of.group, of.onset])}`;
}

/** Id of a message: of alert, event and target. */
export function messageId(alert: string, event: string, target: string): string {
  return `msg_${hash([alert, event, target])}`;
}

/** True where an alert is this rule's and group's. */
export function isOf(
  of: { readonly rule: string; readonly group: string | null },
  rule: string,
  group: string | null,
): boolean {
  return of.rule === rule && of.group === group;
}

/** A measured value and whether it breaks the rule; null: not established. */
export interface Judged extends Measured {
  readonly broken: boolean | null;
}

/** What a look changes about one rule. */
export interface Change {
  readonly fresh: readonly Judged[];
  readonly ended: readonly {
    readonly alert: ActiveAlert;
    readonly reason: ClosedAlert["reason"];
  }[];
  readonly kept: readonly ActiveAlert[];
}

/** Compares what fires of a rule with what was measured at a time. */
export function changeOf(
  rule: AlertRule,
  active: readonly ActiveAlert[],
  judged: readonly Judged[],
  atMs: number,
): Change {
  const own = active.filter((alert) => alert.rule === rule.name);
  const fresh = judged.filter(
    ({ group, broken }) => broken === true && !own.some((alert) => alert.group === group),
  );
  const ended: { alert: ActiveAlert; reason: ClosedAlert["reason"] }[] = [];
  const kept: ActiveAlert[] = [];
  for (const alert of own) {
    const found = judged.find(({ group }) => group === alert.group);
    if (found?.broken === true) kept.push({ ...alert, value: found.value, broken_ms: atMs });
    else if (found?.broken === false) ended.push({ alert, reason: "value" });
    // Nothing says that it is over; without evidence for a whole window it is no alarm any more.
    else if (atMs - alert.broken_ms >= rule.window_ms)
      ended.push({ alert, reason: "not_established" });
    else kept.push(alert);
  }
  return { fresh, ended, kept };
}

/** The document with one alert ended. */
export function closed(
  document: AlertDocument,
  alert: ActiveAlert,
  reason: ClosedAlert["reason"],
  atMs: number,
): AlertDocument {
  const { id, rule, group, since, value, roots } = alert;
  const ended = new Date(atMs).toISOString();
  const row: ClosedAlert = { id, rule, group, since, ended, reason, value, roots };
  // An operator's resolution closed it already.
  const known = document.closed.some((one) => one.id === id);
  return {
    ...document,
    active: document.active.filter((one) => one.id !== id),
    closed: known ? document.closed : [row, ...document.closed].slice(0, closedMax),
  };
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
