/**
 * @module Alerts: looks at the rules every few seconds, keeps what changed with its messages, then
 * sends them. After a time without a process the windows in between are looked at first, so that
 * an outage of the collector hides no alarm. Of the collectors of one store one does so.
 */
import { setImmediate as nextTask } from "node:timers/promises";

import { serialQueue } from "@turnproof/journal";

import type { AlertRule, AlertTarget, RefusedRules } from "../config/alert-rules.ts";
import type { Alerts } from "../parts.ts";
import { fileStorage, ordersSoon, shareSilences, withOrders } from "./alert-storage.ts";
import type { AlertStorage, RuleValues, SharedAlerts } from "./alert-storage.ts";
import { AlertMessages } from "./alert-messages.ts";
import {
  closeMs,
  defaultEveryMs,
  lateBudgetMs,
  lateMs,
  leastMs,
  rulesBudgetMs,
} from "./alert-times.ts";
import type { AlertOptions } from "./alert-options.ts";
import type { JudgedGroup } from "./rule-change.ts";
import { noAlerts, resolvedBy, withSilence } from "./alert-state.ts";
import { lookTimes } from "./look-times.ts";
import type { AlertDocument } from "./alert-state.ts";
import { DueRules } from "./due-rules.ts";
import { KeptAlerts } from "./kept-alerts.ts";
import { lookAt } from "./rule-look.ts";
import {
  handedOver,
  hasLate,
  isOfTurns,
  nextLateEnd,
  passedTurns,
  settledTo,
} from "./late-windows.ts";
import { RuleScheduler } from "./rule-scheduler.ts";
import { OthersTurns } from "./late-turn-notices.ts";
import type { DeliveryResult } from "./deliver.ts";
import { afterAttempt } from "./outbox.ts";
import { beganMs, withBeginnings } from "./rule-beginnings.ts";
import type { MeasureParts } from "./rule-query.ts";
import { Sending } from "./sending.ts";
import type { Outgoing } from "./sending.ts";

/** Starts the alerts. @throws CodedError `store_corrupt` for a document that is not ours */
export async function startAlerts(parts: MeasureParts, options: AlertOptions): Promise<Alerts> {
  const keep = options.keep ?? fileStorage(undefined);
  // A shared store may be away yet; its document is read before the first look.
  const document = keep.shared === undefined ? await keep.load() : noAlerts;
  const running = new RunningAlerts(parts, { ...options, keep }, document);
  running.start();
  return running;
}

class RunningAlerts implements Alerts {
  rules: readonly AlertRule[];
  refused: RefusedRules | null = null;
  readonly targets: readonly AlertTarget[];
  values: RuleValues = new Map();
  document: AlertDocument;
  readonly #parts: MeasureParts;
  readonly #options: AlertOptions;
  readonly #keep: AlertStorage;
  readonly #kept: KeptAlerts;
  readonly #sending: Sending;
  /** Receipt of the first turn that was written or judged since the last look. */
  #touchedMs = Infinity;
  readonly #others = new OthersTurns();
  readonly #messages: AlertMessages;
  readonly #due: DueRules;
  readonly #beganMs: number;
  #leading: boolean;
  #looking: RuleScheduler | undefined;
  #ended = false;
  /** Looks and changes by operators follow each other. */
  readonly #sequential = serialQueue();

  constructor(
    parts: MeasureParts,
    options: AlertOptions & { readonly keep: AlertStorage },
    document: AlertDocument,
  ) {
    this.rules = options.rules;
    this.targets = options.targets;
    this.#parts = parts;
    this.#options = options;
    this.#keep = options.keep;
    this.#sending = new Sending(options, parts.log);
    this.#messages = new AlertMessages({ sending: this.#sending, base: options.base });
    this.#due = new DueRules({ everyMs: options.everyMs ?? defaultEveryMs, leastMs });
    this.document = document;
    this.#kept = new KeptAlerts(options.keep, document);
    this.#leading = options.keep.shared === undefined;
    this.#beganMs = parts.now();
  }

  async shown(): Promise<AlertDocument> {
    const { shared } = this.#keep;
    if (shared === undefined) return this.document;
    const found = await ordersSoon(shared);
    return found === undefined
      ? this.document
      : withOrders(this.document, found, this.#parts.now());
  }

  start(): void {
    const { active, outbox } = this.document;
    const { everyMs = defaultEveryMs, rulesChange = false } = this.#options;
    if (!rulesChange && this.rules.length + active.length + outbox.length === 0) return;
    const look = (): Promise<number> => this.#sequential(() => this.#advance());
    const failed = (code: string): void => this.#parts.log.warn("alerts_failed", { code });
    this.#looking = new RuleScheduler({ look, failed }, { everyMs, leastMs });
    this.#looking.start();
  }

  wake(sinceMs: number): void {
    this.#touchedMs = Math.min(this.#touchedMs, sinceMs);
    this.#due.touched(performance.now());
    // A collector that only shows what another one finds reads it by its timer.
    if (this.#leading) this.#looking?.wake();
  }

  replaceRules(rules: readonly AlertRule[]): void {
    this.rules = rules;
  }

  refuseRules(refused: RefusedRules | null): void {
    this.refused = refused;
  }

  /** Resolves with the time until a rule is due again, in milliseconds. */
  async #advance(): Promise<number> {
    if (!this.#keep.leads()) {
      this.#leading = false;
      await this.#follow();
      return Infinity;
    }
    if (!this.#leading) {
      // What the leader before had kept: its messages are sent by this collector.
      const { moved, ...document } = await this.#keep.load();
      if (moved === true) await shareSilences(this.#keep, document, this.#parts.now());
      this.document = document;
      this.#kept.replace(document);
      this.#leading = true;
      this.#due.forget();
    }
    await this.#evaluateDue();
    return this.#due.restMs(this.rules, performance.now());
  }

  /** Shows what the leading collector found, with what operators did since. */
  async #follow(): Promise<void> {
    const { shared } = this.#keep;
    if (shared === undefined) return;
    await this.#shareLateTurns(shared);
    const { moved: _moved, ...document } = await this.#keep.load();
    this.document = document;
    this.values = await shared.values();
    this.document = withOrders(this.document, await shared.orders(), this.#parts.now());
  }

  /** The collector that evaluates sees turns of others by its timer; earlier ones by a notice. */
  async #shareLateTurns(shared: SharedAlerts): Promise<void> {
    const sinceMs = this.#touchedMs;
    this.#touchedMs = Infinity;
    if (sinceMs >= this.#parts.now() - lateMs) return;
    try {
      await shared.late(sinceMs);
    } catch (error) {
      // The store is away: the next look passes it on.
      this.#touchedMs = Math.min(this.#touchedMs, sinceMs);
      throw error;
    }
  }

  /** Does what operators requested at other collectors. */
  async #applyOperatorActions(now: number): Promise<void> {
    const { shared } = this.#keep;
    if (shared === undefined) return;
    const orders = await shared.orders();
    this.document = { ...this.document, silences: orders.silences };
    for (const id of orders.resolved) this.#resolve(id, now);
    const othersMs = this.#others.next(await shared.lateTurns());
    this.#touchedMs = Math.min(this.#touchedMs, othersMs);
  }

  async #evaluateDue(): Promise<void> {
    const now = this.#parts.now();
    await this.#applyOperatorActions(now);
    this.document = this.#messages.removed(this.document, this.rules, now);
    this.document = withBeginnings(this.document, this.rules, now);
    await this.#evaluateLateWindows(now);
    const until = performance.now() + rulesBudgetMs;
    for (const rule of this.#due.due(this.rules, performance.now())) {
      const beganMs = performance.now();
      if (beganMs > until) break;
      const { active, closed: before } = this.document;
      for (const atMs of lookTimes(rule, this.#lookedFrom(rule), now)) {
        if (this.#ended) return;
        await this.#lookAt(rule, atMs);
        await nextTask();
      }
      this.#due.looked({ of: rule, beganMs, endedMs: performance.now(), atMs: now });
      // What one rule found does not wait for the others.
      if (before !== this.document.closed || active.length !== this.document.active.length) {
        await this.#publish(now);
      }
    }
    const lookedMs = this.#due.lookedMs(this.rules);
    // Until each rule had its first look, what was missed since the one before is still to come.
    if (lookedMs !== null) {
      this.document = { ...this.document, looked_ms: Math.min(lookedMs, now) };
    }
    await this.#publish(now);
    await this.#saveValues(now);
  }

  /** Makes the messages of what was found, keeps them, and sends them. */
  async #publish(now: number): Promise<void> {
    this.document = this.#messages.notify(this.document, this.rules, now);
    this.document = this.#sending.withDisabled(this.document);
    await this.#save(now);
    // Another collector may have taken over during a long look.
    if (this.#keep.leads()) this.#sending.begin(this.#outgoing());
  }

  /** From where windows of a rule over other than turns may have been missed. */
  #lookedFrom(rule: AlertRule): number | null {
    const lookedMs = this.#due.lookedMs([rule]) ?? this.document.looked_ms;
    if (lookedMs === null || isOfTurns(rule)) return null;
    return Math.max(lookedMs, beganMs(this.document, rule.name));
  }

  /** Windows that had ended when their turns were written or judged, before those of now. */
  async #evaluateLateWindows(now: number): Promise<void> {
    const until = performance.now() + lateBudgetMs;
    const known = passedTurns(this.document, this.rules, this.#touchedMs);
    this.document = { ...this.document, passed_ms: Object.fromEntries(known) };
    this.#touchedMs = Infinity;
    const at = { now, began: this.#beganMs, known };
    const settled = await settledTo(this.#parts, this.rules.filter(isOfTurns), at);
    for (const [rule, to] of settled) {
      const began = beganMs(this.document, rule.name);
      let passed = known.get(rule.name) ?? Math.max(to, began - rule.window_ms);
      // An alert of such a window goes on in the next ones, up to now.
      const isBehind = (): boolean =>
        passed < (hasLate(this.document, rule) ? now : now - rule.window_ms);
      while (isBehind() && !this.#ended && performance.now() < until) {
        const lasts = this.document.active.some(
          ({ rule: name, broken_ms }) => name === rule.name && broken_ms <= passed,
        );
        const end = await nextLateEnd(this.#parts, rule, { after: passed, began, lasts });
        if (end === undefined) passed = Math.max(passed, to);
        if (end === undefined || end > to) break;
        await this.#lookAt(rule, end, true);
        passed = end;
        await nextTask();
      }
      this.document = handedOver(this.document, rule, { passed, to, now });
      known.set(rule.name, isBehind() ? passed : Math.max(passed, to));
      this.document = { ...this.document, passed_ms: Object.fromEntries(known) };
    }
  }

  async #lookAt(rule: AlertRule, atMs: number, isLate = false): Promise<void> {
    const { scope } = this.#options;
    const onFound = (found: readonly JudgedGroup[]): void => {
      if (!isLate) this.values = new Map(this.values).set(rule.name, found);
    };
    const how = { atMs, isLate, scope, messages: this.#messages, onFound };
    this.document = await lookAt(this.#parts, this.document, rule, how);
  }

  async #save(now: number): Promise<void> {
    this.document = this.#messages.grouped(this.document);
    await this.#kept.save(this.document, now);
  }

  /** Passes the values of present rules on to the other collectors, now and then. */
  async #saveValues(now: number): Promise<void> {
    if (!this.#kept.areValuesDue(now)) return;
    const { rules, values } = this;
    this.values = new Map([...values].filter(([name]) => rules.some((rule) => rule.name === name)));
    await this.#kept.saveValues(this.values, now);
  }

  /** What is sent beside the looks. */
  #outgoing(): Outgoing {
    return {
      document: () => this.document,
      rules: () => this.rules,
      now: () => this.#parts.now(),
      ended: (result) => this.#sequential(() => this.#sent(result)),
    };
  }

  /** Messages that were taken leave the outbox, unless another collector has taken over. */
  async #sent(result: DeliveryResult): Promise<void> {
    if (!this.#leading || !this.#keep.leads()) return;
    const now = this.#parts.now();
    const after = afterAttempt(this.document, result, this.#sending.targets, now);
    this.document = this.#sending.withDisabled(after);
    await this.#save(now);
  }

  silence(of: { rule: string; group: string | null; until: string; by: string }): Promise<void> {
    return this.#sequential(async () => {
      await this.#keep.shared?.silence(of);
      const now = this.#parts.now();
      this.document = withSilence(this.document, of, now);
      if (this.#leading) await this.#save(now);
    });
  }

  resolve(id: string): Promise<boolean> {
    return this.#sequential(async () => {
      if (!this.document.active.some((one) => one.id === id && !one.resolved)) return false;
      const now = this.#parts.now();
      await this.#keep.shared?.resolve(id);
      if (!this.#leading) {
        this.document = resolvedBy(this.document, id, now);
        return true;
      }
      const isResolved = this.#resolve(id, now);
      await this.#save(now);
      return isResolved;
    });
  }

  /** False where the alert does not fire, and where its rule is gone. */
  #resolve(id: string, now: number): boolean {
    const after = this.#messages.resolve(this.document, this.rules, id, now);
    this.document = after ?? this.document;
    return after !== undefined;
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#looking?.close();
    await this.#sequential(async () => {});
    await this.#sending.close(closeMs);
    await this.#sequential(async () => {});
    this.#kept.forceNext();
    try {
      if (this.#leading) await this.#save(this.#parts.now());
    } finally {
      await this.#keep.close();
    }
  }
}
