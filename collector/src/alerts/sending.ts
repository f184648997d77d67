/**
 * @module Sending: attempts of the messages that are due, and alerts that are sent again. Each
 * target has its own: one that is slow or away delays no other target and no look at the rules.
 */
import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import type { Log } from "../log.ts";
import { messageBody } from "./alert-message.ts";
import { isSilenced, valueOf } from "./alert-state.ts";
import type { AlertDocument } from "./alert-state.ts";
import { deliver, isTaken } from "./deliver.ts";
import type { DeliveryResult } from "./deliver.ts";
import { dueMessages } from "./outbox.ts";

/** Where messages are sent, and how. */
export interface SendingOptions {
  readonly targets: readonly AlertTarget[];
  readonly secret: string | undefined;
  /** Address of the collector for people. */
  readonly base: string;
}

/** Alerts whose messages are sent, as they are at the time of the call. */
export interface Outgoing {
  document(): AlertDocument;
  rules(): readonly AlertRule[];
  now(): number;
  /** Keeps what became of an attempt. */
  ended(result: DeliveryResult): Promise<void>;
}

/** Alertmanager forgets an alert that is not sent again. */
const repeatMs = 60_000;

/** Sends the messages of one collector. */
export class Sending {
  readonly #options: SendingOptions;
  readonly #log: Log;
  /** Targets that something is being sent to. */
  readonly #busy = new Map<string, Promise<void>>();
  readonly #repeatedAt = new Map<string, number>();
  /** End of the `Retry-After` of each target. */
  readonly #restsUntil = new Map<string, number>();
  /** Names of webhooks that answered 410, until the process ends. */
  readonly #gone = new Set<string>();
  #closed = false;

  constructor(options: SendingOptions, log: Log) {
    this.#options = options;
    this.#log = log;
  }

  /** The targets that get messages. */
  get targets(): readonly AlertTarget[] {
    return this.#options.targets.filter(({ name }) => !this.#gone.has(name));
  }

  /** Those of a rule. */
  targetsOf({ to }: Pick<AlertRule, "to">): readonly AlertTarget[] {
    return this.targets.filter(({ name }) => to === undefined || to.includes(name));
  }

  /** The document with the webhooks that this process disabled, and no others. */
  withDisabled(document: AlertDocument): AlertDocument {
    const { disabled: known = [], ...rest } = document;
    const disabled = [...this.#gone];
    if (known.join() === disabled.join()) return document;
    return disabled.length === 0 ? rest : { ...rest, disabled };
  }

  /** Sends what is due to each target that nothing is being sent to, and returns at once. */
  begin(outgoing: Outgoing): void {
    for (const target of this.targets) this.#beginAt(target, outgoing);
  }

  /** Begins nothing more; waits at most so long for what is being sent. */
  async close(waitMs: number): Promise<void> {
    this.#closed = true;
    if (this.#busy.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, waitMs);
    await Promise.race([Promise.all(this.#busy.values()), promise]);
    clearTimeout(timer);
  }

  #beginAt(target: AlertTarget, outgoing: Outgoing): void {
    const { name } = target;
    if (this.#closed || this.#busy.has(name)) return;
    const work = this.#workAt(target, outgoing);
    if (work === undefined) return;
    const done = work().then((more) => {
      this.#busy.delete(name);
      if (more) this.#beginAt(target, outgoing);
    });
    this.#busy.set(name, done);
  }

  /** What is to be sent to a target, if anything; it returns whether more may follow at once. */
  #workAt(target: AlertTarget, outgoing: Outgoing): (() => Promise<boolean>) | undefined {
    const now = outgoing.now();
    if (now < (this.#restsUntil.get(target.name) ?? -Infinity)) return undefined;
    const due = dueMessages(outgoing.document().outbox, now).filter(
      (message) => message.target === target.name,
    );
    if (due.length > 0) return () => this.#attempt(target, due, outgoing);
    const repeatedAt = this.#repeatedAt.get(target.name) ?? -Infinity;
    if (target.kind !== "alertmanager" || now - repeatedAt < repeatMs) return undefined;
    this.#repeatedAt.set(target.name, now);
    return () => this.#repeat(target, outgoing);
  }

  async #attempt(
    target: AlertTarget,
    due: Parameters<typeof deliver>[1],
    outgoing: Outgoing,
  ): Promise<boolean> {
    const result = await deliver(target, due, this.#options);
    if (result.failed.size > 0) {
      const status = result.status ?? "no_answer";
      const of = { target: target.name, status, count: result.failed.size };
      this.#log.warn("alert_not_taken", of);
    }
    if (result.waitMs > 0) this.#restsUntil.set(target.name, outgoing.now() + result.waitMs);
    if (result.gone) {
      this.#gone.add(target.name);
      this.#log.warn("alert_target_gone", { target: target.name });
    }
    try {
      await outgoing.ended(result);
    } catch {
      // The document could not be kept: the messages are sent again, and the next look fails, too.
      return false;
    }
    return result.taken.size > 0;
  }

  /** Sends what fires to Alertmanager again; what is silenced ends there at its `endsAt`. */
  async #repeat(target: AlertTarget, outgoing: Outgoing): Promise<boolean> {
    const { base } = this.#options;
    for (const { id } of outgoing.document().active) {
      // It may have ended while another one was sent.
      const alert = outgoing.document().active.find((one) => one.id === id);
      const rule = outgoing.rules().find(({ name }) => name === alert?.rule);
      if (rule === undefined || alert === undefined || !alert.notified || alert.resolved) continue;
      if (rule.to !== undefined && !rule.to.includes(target.name)) continue;
      const atMs = outgoing.now();
      if (isSilenced(outgoing.document().silences, alert, atMs)) continue;
      const event = { kind: "firing", rule, alert, ...valueOf(alert), atMs, base } as const;
      const body = messageBody(target, event);
      if (!(await isTaken(target, { id, body }, this.#options))) return false;
    }
    return true;
  }
}
