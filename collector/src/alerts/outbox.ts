/**
 * @module Outbox: messages in the document of alerts: how they get in, and what leaves after an
 * attempt to send them.
 */
import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import { bodyEnded, messageBody } from "./alert-message.ts";
import type { AlertEvent } from "./alert-message.ts";
import { messageId } from "./alert-ids.ts";
import type { ActiveAlert, AlertDocument, AlertMessage } from "./alert-state.ts";
import { pauseMs } from "./deliver.ts";
import type { DeliveryResult } from "./deliver.ts";

const giveUpMs = 3 * 86_400_000;
const outboxMax = 10_000;
/** Longest wait of a message whose target took another one. */
const againMs = 10_000;

/** The document with the messages of an event. @param targets those of its rule */
export function withMessages(
  document: AlertDocument,
  targets: readonly AlertTarget[],
  event: AlertEvent,
): AlertDocument {
  const { kind, rule, alert, atMs } = event;
  const fresh = targets
    .filter((target) => kind === "firing" || hasStart(target, alert))
    .map((target) => ({
      id: messageId(alert.id, kind, target.name),
      target: target.name,
      alert_id: alert.id,
      about: aboutOf(rule, alert),
      body: messageBody(target, event),
      made_ms: atMs,
      attempts: 0,
      next_ms: 0,
    }));
  const before =
    kind === "firing"
      ? document.outbox
      : document.outbox.map((one) =>
          one.alert_id === alert.id ? endedBy(one, targets, atMs) : one,
        );
  return withOutbox(document, before, fresh);
}

/** Rule and group of an alert, as messages have them. */
export function aboutOf({ name }: Pick<AlertRule, "name">, { group }: ActiveAlert): string {
  return JSON.stringify([name, group]);
}

/** The document with new messages behind the others; the oldest are given up beyond a bound. */
export function withOutbox(
  document: AlertDocument,
  before: readonly AlertMessage[],
  made: readonly AlertMessage[],
): AlertDocument {
  const fresh = made.filter(({ id }) => !document.outbox.some((one) => one.id === id));
  const outbox = [...before, ...fresh];
  const over = Math.max(0, outbox.length - outboxMax);
  return { ...document, outbox: outbox.slice(over), given_up: document.given_up + over };
}

/** False where its start was given up, or never made: the end alone is not sent. */
export function hasStart({ kind, name }: AlertTarget, { started }: ActiveAlert): boolean {
  // Alertmanager gets what fires again and again.
  return kind === "alertmanager" || started === undefined || started.includes(name);
}

/** A start that Alertmanager has not taken lasts no longer than its alert. */
function endedBy(
  message: AlertMessage,
  targets: readonly AlertTarget[],
  atMs: number,
): AlertMessage {
  const target = targets.find(({ name }) => name === message.target);
  return target?.kind === "alertmanager"
    ? { ...message, body: bodyEnded(message.body, atMs) }
    : message;
}

/**
 * Messages that may be sent now. One about a rule and group waits for those before it, so that the
 * last one a target takes is how things are.
 */
export function dueMessages(outbox: readonly AlertMessage[], now: number): readonly AlertMessage[] {
  const waiting = new Set<string>();
  return outbox.filter((one) => {
    const keys = aboutsOf(one).map((about) => JSON.stringify([one.target, about]));
    const waits = one.next_ms > now || keys.some((key) => waiting.has(key));
    // One about several alerts holds back the next ones about each of them.
    if (waits) for (const key of keys) waiting.add(key);
    return !waits;
  });
}

function aboutsOf({ about, alert_id, members }: AlertMessage): readonly string[] {
  return members?.map((one) => one.about) ?? [about ?? alert_id];
}

/** Its alerts at its target. */
function alertsOf({ alert_id, members, target }: AlertMessage): readonly string[] {
  const ids = members?.map((one) => one.alert_id) ?? [alert_id];
  return ids.map((id) => JSON.stringify([id, target]));
}

/**
 * The document after an attempt; messages of a target that is gone, or of days ago, are given up.
 */
export function afterAttempt(
  document: AlertDocument,
  { taken, failed, status, waitMs }: Omit<DeliveryResult, "gone">,
  targets: readonly AlertTarget[],
  now: number,
): AlertDocument {
  const names = new Set(targets.map(({ name }) => name));
  const answered = new Set(document.outbox.flatMap((one) => (taken.has(one.id) ? one.target : [])));
  const lost = new Set<string>();
  const left = document.outbox.flatMap((one) => {
    if (taken.has(one.id)) return [];
    // An end whose starts were given up goes with them.
    const own = alertsOf(one);
    const isLost = own.every((alert) => lost.has(alert));
    if (isLost || now - one.made_ms > giveUpMs || !names.has(one.target)) {
      for (const alert of own) lost.add(alert);
      return [];
    }
    const attempts = one.attempts + 1;
    if (failed.has(one.id)) {
      const next_ms = now + Math.max(pauseMs(attempts), waitMs);
      return [{ ...one, attempts, status, next_ms }];
    }
    // Its target is back: what it missed does not wait for an hour.
    const soon = answered.has(one.target) ? Math.min(one.next_ms, now + againMs) : one.next_ms;
    return [soon === one.next_ms ? one : { ...one, next_ms: soon }];
  });
  const sent = document.outbox.filter(({ id }) => taken.has(id)).length;
  const given = document.outbox.length - left.length - sent;
  const active = document.active.map((alert) => {
    const { id, started } = alert;
    const kept = started?.filter((target) => !lost.has(JSON.stringify([id, target])));
    return kept === undefined || kept.length === started?.length
      ? alert
      : { ...alert, started: kept };
  });
  return { ...document, active, outbox: left, given_up: document.given_up + given };
}
