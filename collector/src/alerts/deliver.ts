/**
 * @module Deliver: sends the messages of the outbox. A message leaves it only when its target has
 * taken it, so a kill in between repeats it under the same id. Requests go to configured addresses
 * only: a redirect is a failure, and no answer is read.
 */
import { Webhook } from "standardwebhooks";

import type { AlertTarget } from "../config/alert-rules.ts";
import type { AlertMessage } from "./alert-state.ts";

/** How messages are sent. */
export interface DeliverOptions {
  readonly targets: readonly AlertTarget[];
  /** Signs webhooks; without it they are not signed. */
  readonly secret: string | undefined;
  readonly timeoutMs?: number;
}

/** What became of the messages that were due. */
export interface DeliveryResult {
  /** Ids of messages that were taken. */
  readonly taken: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** Names of webhooks that are disabled: they answered 410. */
  readonly gone: ReadonlySet<string>;
}

const timeoutMsDefault = 10_000;
const retryMs = 1_000;
const retryMsMax = 3_600_000;
/** Messages to one target at a time. */
const batchMax = 50;

/** Pause after so many failed attempts. */
export function pauseMs(attempts: number): number {
  return Math.min(retryMsMax, retryMs * 2 ** Math.max(0, attempts - 1));
}

/** Sends what is due, in order for each target; a target that fails waits with its others. */
export async function deliver(
  due: readonly AlertMessage[],
  options: DeliverOptions,
): Promise<DeliveryResult> {
  const taken = new Set<string>();
  const failed = new Set<string>();
  const gone = new Set<string>();
  await Promise.all(
    options.targets.map(async (target) => {
      const own = due.filter((message) => message.target === target.name).slice(0, batchMax);
      for (const [index, message] of own.entries()) {
        const status = await answerOf(target, message, options);
        if (isSuccess(status)) taken.add(message.id);
        else {
          // Standard Webhooks: the endpoint is to be disabled and gets no more messages.
          if (status === 410 && target.kind === "webhook") gone.add(target.name);
          for (const one of own.slice(index)) failed.add(one.id);
          return;
        }
      }
    }),
  );
  return { taken, failed, gone };
}

/** Sends one message; true for an answer of 2xx. */
export async function isTaken(...sent: Parameters<typeof answerOf>): Promise<boolean> {
  return isSuccess(await answerOf(...sent));
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Sends one message; the status of the answer, 0 without one. */
async function answerOf(
  target: AlertTarget,
  message: Pick<AlertMessage, "id" | "body">,
  { secret, timeoutMs = timeoutMsDefault }: Omit<DeliverOptions, "targets">,
): Promise<number> {
  try {
    const response = await fetch(addressOf(target), {
      method: "POST",
      body: message.body,
      redirect: "error",
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        "content-type": "application/json",
        "user-agent": "turnproof",
        ...(target.kind === "webhook" ? signatureOf(message, secret) : {}),
      },
    });
    await response.body?.cancel();
    return response.status;
  } catch {
    // Away, too slow, or a redirect: it is tried again.
    return 0;
  }
}

/** Headers of Standard Webhooks; the time is that of the attempt. */
function signatureOf(
  { id, body }: Pick<AlertMessage, "id" | "body">,
  secret: string | undefined,
): Record<string, string> {
  const at = new Date();
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1_000)),
    ...(secret === undefined
      ? {}
      : { "webhook-signature": new Webhook(secret).sign(id, at, body) }),
  };
}

function addressOf({ kind, url }: AlertTarget): string {
  if (kind !== "alertmanager" || url.endsWith("/api/v2/alerts")) return url;
  return `${url.replace(/\/$/, "")}/api/v2/alerts`;
}
