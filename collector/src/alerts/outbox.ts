/**
 * @module Outbox: messages in the document of alerts: how they get in, and what leaves after an
 * attempt to send them.
 */
import type { AlertTarget } from "../config/alert-rules.ts";
import { bodyEnded, messageBody } from "./alert-message.ts";
import type { AlertEvent } from "./alert-message.ts";
import { messageId } from "./alert-state.ts";
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
      about: JSON.stringify([rule.name, alert.group]),
      body: messageBody(target, event),
      made_ms: atMs,
      attempts: 0,
      next_ms: 0,
    }))
    .filter(({ id }) => !document.outbox.some((one) => one.id === id));
  const before =
    kind === "firing"
      ? document.outbox
      : document.outbox.map((one) =>
          one.alert_id === alert.id ? endedBy(one, targets, atMs) : one,
        );
  const outbox = [...before, ...fresh];
  const over = Math.max(0, outbox.length - outboxMax);
  return { ...document, outbox: outbox.slice(over), given_up: document.given_up + over };
}

/** False where its start was given up, or never made: the end alone is not sent. */
function hasStart({ kind, name }: AlertTarget, { started }: ActiveAlert): boolean {
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
    const key = JSON.stringify([one.target, one.about ?? one.alert_id]);
    if (one.next_ms > now) waiting.add(key);
    return !waiting.has(key);
  });
}

/** The document after an attempt; messages of a target that is gone, or of days ago, are given up. */
export function afterAttempt(
  document: AlertDocument,
  { taken, failed }: Omit<DeliveryResult, "gone">,
  targets: readonly AlertTarget[],
  now: number,
): AlertDocument {
  const names = new Set(targets.map(({ name }) => name));
  const answered = new Set(document.outbox.flatMap((one) => (taken.has(one.id) ? one.target : [])));
  const about = ({ alert_id, target }: Pick<AlertMessage, "alert_id" | "target">): string =>
    JSON.stringify([alert_id, target]);
  const lost = new Set<string>();
  const left = document.outbox.flatMap((one) => {
    if (taken.has(one.id)) return [];
    // An end whose start was given up goes with it.
    if (lost.has(about(one)) || now - one.made_ms > giveUpMs || !names.has(one.target)) {
      lost.add(about(one));
      return [];
    }
    const attempts = one.attempts + 1;
    if (failed.has(one.id)) return [{ ...one, attempts, next_ms: now + pauseMs(attempts) }];
    // Its target is back: what it missed does not wait for an hour.
    const soon = answered.has(one.target) ? Math.min(one.next_ms, now + againMs) : one.next_ms;
    return [soon === one.next_ms ? one : { ...one, next_ms: soon }];
  });
  const sent = document.outbox.filter(({ id }) => taken.has(id)).length;
  const given = document.outbox.length - left.length - sent;
  const active = document.active.map((alert) => {
    const { id: alert_id, started } = alert;
    const kept = started?.filter((target) => !lost.has(about({ alert_id, target })));
    return kept === undefined || kept.length === started?.length
      ? alert
      : { ...alert, started: kept };
  });
  return { ...document, active, outbox: left, given_up: document.given_up + given };
}
