/** @module Sending: attempts of the messages that are due, and alerts that are sent again. */
import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import type { Log } from "../log.ts";
import { messageBody } from "./alert-message.ts";
import { valueOf } from "./alert-state.ts";
import type { AlertDocument } from "./alert-state.ts";
import { deliver, isTaken } from "./deliver.ts";
import { afterAttempt, dueMessages } from "./outbox.ts";

/** Where messages are sent, and how. */
export interface SendingOptions {
  readonly targets: readonly AlertTarget[];
  readonly secret: string | undefined;
  /** Address of the collector for people. */
  readonly base: string;
}

/** Alertmanager forgets an alert that is not sent again. */
const repeatMs = 60_000;

/** Sends the messages of one collector. */
export class Sending {
  readonly #options: SendingOptions;
  readonly #log: Log;
  #repeatedAt = 0;
  /** Names of webhooks that answered 410, until the process ends. */
  readonly #gone = new Set<string>();

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

  /** Sends what is due; returns the document after that, the same where nothing was. */
  async attempt(document: AlertDocument, now: number): Promise<AlertDocument> {
    const due = dueMessages(document.outbox, now);
    if (due.length === 0) return document;
    const result = await deliver(due, this.#options);
    if (result.failed.size > 0) this.#log.warn("alert_not_taken", { count: result.failed.size });
    for (const target of result.gone) {
      this.#gone.add(target);
      this.#log.warn("alert_target_gone", { target });
    }
    return this.withDisabled(afterAttempt(document, result, this.targets, now));
  }

  /** Sends what fires to Alertmanager again, now and then. */
  async repeat({ active }: AlertDocument, rules: readonly AlertRule[], now: number): Promise<void> {
    const { targets, base } = this.#options;
    const managers = targets.filter(({ kind }) => kind === "alertmanager");
    if (managers.length === 0 || now - this.#repeatedAt < repeatMs) return;
    this.#repeatedAt = now;
    for (const target of managers) {
      for (const alert of active) {
        const rule = rules.find(({ name }) => name === alert.rule);
        if (rule === undefined || !alert.notified || alert.resolved) continue;
        if (rule.to !== undefined && !rule.to.includes(target.name)) continue;
        const { id } = alert;
        const event = { kind: "firing", rule, alert, ...valueOf(alert), atMs: now, base } as const;
        const body = messageBody(target, event);
        if (!(await isTaken(target, { id, body }, this.#options))) return;
      }
    }
  }
}
