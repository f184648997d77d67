/**
 * @module AlertMessages: puts the messages of alerts that begin and end into the outbox of a
 * document. Nothing is sent here.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import type { AlertEvent, ValuedAlert } from "./alert-message.ts";
import {
  closed,
  isSilenced,
  noAlerts,
  resolvedBy,
  standingSilences,
  valueOf,
} from "./alert-state.ts";
import type { ActiveAlert, AlertDocument } from "./alert-state.ts";
import type { EndedEpisode } from "./rule-change.ts";
import { Folding } from "./message-groups.ts";
import type { Sending } from "./sending.ts";

/** The messages of one collector; each method returns the changed document. */
export class AlertMessages {
  readonly #sending: Pick<Sending, "targetsOf">;
  readonly #base: AlertEvent["base"];
  readonly #groups = new Folding();
  /** The document that a method changes. */
  #document: AlertDocument = noAlerts;

  constructor(of: {
    readonly sending: Pick<Sending, "targetsOf">;
    readonly base: AlertEvent["base"];
  }) {
    this.#sending = of.sending;
    this.#base = of.base;
  }

  /** Ends an episode of a rule. */
  end(
    document: AlertDocument,
    rule: AlertRule,
    { alert, reason, ...found }: EndedEpisode,
    atMs: number,
  ): AlertDocument {
    this.#document = document;
    // An alert that began and ended in a time without a process is sent as both.
    const reported = alert.notified || alert.resolved ? alert : this.#reported(rule, alert, atMs);
    this.#document = closed(this.#document, reported, reason, atMs);
    if (reported.notified && !reported.resolved) {
      const isRemoved = reason === "rule_removed";
      this.#enqueue("resolved", rule, { alert: reported, ...valueOf(found), isRemoved }, atMs);
    }
    return this.#document;
  }

  /** Ends alerts of rules that the file no longer has. */
  removed(document: AlertDocument, rules: readonly AlertRule[], now: number): AlertDocument {
    let after = document;
    for (const alert of document.active) {
      if (rules.some(({ name }) => name === alert.rule)) continue;
      const ended = { alert, reason: "rule_removed", value: null } as const;
      // A receiver that was sent the start is sent the end, too.
      after =
        alert.sent === undefined
          ? closed(after, alert, ended.reason, now)
          : this.end(after, alert.sent, ended, now);
    }
    return after;
  }

  /** Adds the message of each alert that fires and has none. */
  notify(document: AlertDocument, rules: readonly AlertRule[], now: number): AlertDocument {
    const silences = standingSilences(document.silences, now);
    this.#document = { ...document, silences };
    for (const alert of this.#document.active) {
      const rule = rules.find(({ name }) => name === alert.rule);
      if (rule === undefined || alert.notified || alert.resolved) continue;
      const reported = this.#reported(rule, alert, now);
      const active = this.#document.active.map((one) => (one.id === alert.id ? reported : one));
      this.#document = { ...this.#document, active };
    }
    return this.#document;
  }

  /** Resolves an alert by an operator; undefined where it does not fire or its rule is gone. */
  resolve(
    document: AlertDocument,
    rules: readonly AlertRule[],
    id: string,
    now: number,
  ): AlertDocument | undefined {
    const alert = document.active.find((one) => one.id === id && !one.resolved);
    const rule = rules.find(({ name }) => name === alert?.rule);
    if (alert === undefined || rule === undefined) return undefined;
    this.#document = document;
    if (alert.notified) {
      this.#enqueue("resolved", rule, { alert, ...valueOf(alert), byOperator: true }, now);
    }
    return resolvedBy(this.#document, id, now);
  }

  /** The document with what is one message in one message. */
  grouped(document: AlertDocument): AlertDocument {
    return this.#groups.into(document);
  }

  /** Puts its message into the outbox, unless a silence covers it. */
  #reported(rule: AlertRule, alert: ActiveAlert, now: number): ActiveAlert {
    if (isSilenced(this.#document.silences, alert, now)) return alert;
    this.#enqueue("firing", rule, { alert, ...valueOf(alert) }, now);
    const started = this.#sending.targetsOf(rule).map(({ name }) => name);
    return { ...alert, notified: true, sent: rule, started };
  }

  #enqueue(kind: AlertEvent["kind"], rule: AlertRule, of: ValuedAlert, atMs: number): void {
    const event = { kind, rule, ...of, atMs, base: this.#base };
    this.#document = this.#groups.add(this.#document, this.#sending.targetsOf(rule), event);
  }
}
