/**
 * @module Deliver: sends the messages of the outbox. A message leaves it only when its target has
 * taken it, so a kill in between repeats it under the same id. Requests go to configured addresses
 * only: a redirect is a failure, and no answer is read.
 */
import { Webhook } from "standardwebhooks";

import type { AlertTarget } from "../config/alert-rules.ts";
import { retryAfter } from "../receive/forward/send-request.ts";
import type { AlertMessage } from "./alert-state.ts";

/** How messages are sent. */
interface DeliverOptions {
  /** Signs webhooks; without it they are not signed. */
  readonly secret: string | undefined;
  readonly timeoutMs?: number;
}

/** What became of messages to a target. */
export interface DeliveryResult {
  /** Ids of messages that were taken. */
  readonly taken: ReadonlySet<string>;
  readonly failed: ReadonlySet<string>;
  /** HTTP status of the attempt that failed; null without an answer, or where none failed. */
  readonly status: number | null;
  /** Time of its `Retry-After`, in milliseconds; 0 without one. */
  readonly waitMs: number;
  /** True for a webhook that answered 410 and gets no more messages. */
  readonly gone: boolean;
}

const timeoutMsDefault = 10_000;
const retryMs = 1_000;
const retryMsMax = 3_600_000;
/** Messages to a target before what it took is recorded. */
const batchMax = 50;
/** The same as a time: a slow target takes few, so that a kill repeats few. */
const batchMs = 1_000;

/** Pause after this number of failed attempts. */
export function pauseMs(attempts: number): number {
  return Math.min(retryMsMax, retryMs * 2 ** Math.max(0, attempts - 1));
}

/** Sends messages to a target, in order; after one that fails, the others wait with it. */
export async function deliver(
  target: AlertTarget,
  due: readonly AlertMessage[],
  options: DeliverOptions,
): Promise<DeliveryResult> {
  const taken = new Set<string>();
  const began = performance.now();
  const batch = due.slice(0, batchMax);
  for (const [index, message] of batch.entries()) {
    if (index > 0 && performance.now() - began > batchMs) break;
    const { status, waitMs } = await answerOf(target, message, options);
    if (isSuccess(status)) taken.add(message.id);
    else {
      // Standard Webhooks: the endpoint is to be disabled and gets no more messages.
      const gone = status === 410 && target.kind === "webhook";
      const failed = new Set(batch.slice(index).map(({ id }) => id));
      return { taken, failed, status, waitMs, gone };
    }
  }
  return { taken, failed: new Set(), status: null, waitMs: 0, gone: false };
}

/** Sends one message; true for an answer of 2xx. */
export async function isTaken(...sent: Parameters<typeof answerOf>): Promise<boolean> {
  return isSuccess((await answerOf(...sent)).status);
}

const isSuccess = (status: number | null): boolean =>
  status !== null && status >= 200 && status < 300;

/** Sends one message; the status of the answer and its wait. */
async function answerOf(
  target: AlertTarget,
  message: Pick<AlertMessage, "id" | "body">,
  { secret, timeoutMs = timeoutMsDefault }: DeliverOptions,
): Promise<Pick<DeliveryResult, "status" | "waitMs">> {
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
    return { status: response.status, waitMs: retryAfter(response.headers) ?? 0 };
  } catch {
    // Away, too slow, or a redirect: it is tried again.
    return { status: null, waitMs: 0 };
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
