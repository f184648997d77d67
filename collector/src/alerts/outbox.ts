/**
 * @module Outbox: messages in the document of alerts: how they get in, and what leaves after an
 * attempt to send them.
 */
import type { AlertTarget } from "../config/alert-rules.ts";
import { messageBody } from "./alert-message.ts";
import type { AlertEvent } from "./alert-message.ts";
import { messageId } from "./alert-state.ts";
import type { AlertDocument } from "./alert-state.ts";
import { pauseMs } from "./deliver.ts";
import type { DeliveryResult } from "./deliver.ts";

const giveUpMs = 3 * 86_400_000;
const outboxMax = 10_000;

/** The document with the messages of an event, one for each target of its rule. */
export function withMessages(
  document: AlertDocument,
  targets: readonly AlertTarget[],
  event: AlertEvent,
): AlertDocument {
  const { kind, rule, alert, atMs } = event;
  const fresh = targets
    .filter(({ name }) => rule.to === undefined || rule.to.includes(name))
    .map((target) => ({
      id: messageId(alert.id, kind, target.name),
      target: target.name,
      alert_id: alert.id,
      body: messageBody(target, event),
      made_ms: atMs,
      attempts: 0,
      next_ms: 0,
    }))
    .filter(({ id }) => !document.outbox.some((one) => one.id === id));
  const outbox = [...document.outbox, ...fresh];
  const over = Math.max(0, outbox.length - outboxMax);
  return { ...document, outbox: outbox.slice(over), given_up: document.given_up + over };
}

/** The document after an attempt; messages of a target that is gone, or of days ago, are given up. */
export function afterAttempt(
  document: AlertDocument,
  { taken, failed }: DeliveryResult,
  targets: readonly AlertTarget[],
  now: number,
): AlertDocument {
  const names = new Set(targets.map(({ name }) => name));
  const left = document.outbox.flatMap((one) => {
    if (taken.has(one.id)) return [];
    if (now - one.made_ms > giveUpMs || !names.has(one.target)) return [];
    const attempts = one.attempts + 1;
    return failed.has(one.id) ? [{ ...one, attempts, next_ms: now + pauseMs(attempts) }] : [one];
  });
  const given = document.outbox.length - left.length - taken.size;
  return { ...document, outbox: left, given_up: document.given_up + given };
}
