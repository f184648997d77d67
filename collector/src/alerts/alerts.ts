/**
 * @module Alerts: looks at the rules every few seconds, keeps what changed with its messages, then
 * sends them. After a time without a process the windows in between are looked at first, so that
 * an outage of the collector hides no alarm. Of the collectors of one store one does so.
 */
import { setImmediate as nextTask } from "node:timers/promises";
import { isoTime } from "@turnproof/semconv";

import type { AlertRule, AlertTarget } from "../config/alert-rules.ts";
import type { Alerts } from "../parts.ts";
import { fileKeep } from "./alert-keep.ts";
import type { AlertKeep, RuleValues } from "./alert-keep.ts";
import { messageBody } from "./alert-message.ts";
import type { AlertEvent } from "./alert-message.ts";
import {
  alertId,
  changeOf,
  closed,
  isOf,
  isSilenced,
  lookTimes,
  noAlerts,
  resolvedBy,
  standingSilences,
} from "./alert-state.ts";
import type { ActiveAlert, AlertDocument, EndedEpisode, JudgedGroup } from "./alert-state.ts";
import { breaks } from "./breach.ts";
import { deliver, isTaken } from "./deliver.ts";
import { evidenceOf } from "./evidence.ts";
import { Looking } from "./looking.ts";
import { measureRule } from "./measure.ts";
import type { MeasureParts } from "./measure.ts";
import { afterAttempt, withMessages } from "./outbox.ts";

/** Rules, targets and times of one collector. */
export interface AlertOptions {
  readonly rules: readonly AlertRule[];
  readonly targets: readonly AlertTarget[];
  readonly secret: string | undefined;
  /** Names the deployment in ids. */
  readonly scope: string;
  /** Address of the collector for people. */
  readonly base: string;
  /** Where the document is kept; in memory only without it. */
  readonly keep?: AlertKeep;
  /** True where rules may come later, from a file that changes. */
  readonly rulesChange?: boolean;
  readonly everyMs?: number;
}

const defaultEveryMs = 2_000;
/** Shortest pause between two looks, however often turns are written or judged. */
const leastMs = 500;
const weekMs = 7 * 86_400_000;
/** How often progress is kept where nothing else changes. */
const keepEveryMs = 30_000;
/** How often other collectors get the last values. */
const valuesEveryMs = 10_000;
/** Alertmanager forgets an alert that is not sent again. */
const repeatMs = 60_000;

/** Starts the alerts. @throws CodedError `store_corrupt` for a document that is not ours */
export async function startAlerts(parts: MeasureParts, options: AlertOptions): Promise<Alerts> {
  const keep = options.keep ?? fileKeep(undefined);
  // A shared store may be away yet; its document is read before the first look.
  const document = keep.shared === undefined ? await keep.load() : noAlerts;
  const running = new RunningAlerts(parts, { ...options, keep }, document);
  running.start();
  return running;
}

/** An alert with its value now. */
type Valued = Pick<AlertEvent, "alert" | "value">;

class RunningAlerts implements Alerts {
  rules: readonly AlertRule[];
  readonly targets: readonly AlertTarget[];
  values: RuleValues = new Map();
  document: AlertDocument;
  readonly #parts: MeasureParts;
  readonly #options: AlertOptions;
  readonly #keep: AlertKeep;
  #kept: AlertDocument;
  #keptAt = 0;
  #valuesAt = 0;
  #repeatedAt = 0;
  #leading: boolean;
  #looking: Looking | undefined;
  #ended = false;
  /** Looks and changes by operators follow each other. */
  #work: Promise<void> = Promise.resolve();

  constructor(
    parts: MeasureParts,
    options: AlertOptions & { readonly keep: AlertKeep },
    document: AlertDocument,
  ) {
    this.rules = options.rules;
    this.targets = options.targets;
    this.#parts = parts;
    this.#options = options;
    this.#keep = options.keep;
    this.document = document;
    this.#kept = document;
    this.#leading = options.keep.shared === undefined;
  }

  start(): void {
    const { active, outbox } = this.document;
    const { everyMs = defaultEveryMs, rulesChange = false } = this.#options;
    if (!rulesChange && this.rules.length + active.length + outbox.length === 0) return;
    const look = (): Promise<void> => this.#inTurn(() => this.#advance());
    const failed = (code: string): void => this.#parts.log.warn("alerts_failed", { code });
    this.#looking = new Looking({ look, failed }, { everyMs, leastMs });
    this.#looking.start();
  }

  wake(): void {
    // A collector that only shows what another one finds reads it by its timer.
    if (this.#leading) this.#looking?.wake();
  }

  replaceRules(rules: readonly AlertRule[]): void {
    this.rules = rules;
  }

  async #advance(): Promise<void> {
    if (!this.#keep.leads()) {
      this.#leading = false;
      return this.#follow();
    }
    if (!this.#leading) {
      // What the leader before had kept: its messages are sent by this collector.
      const { moved, ...document } = await this.#keep.load();
      if (moved === true) await this.#shareSilences(document);
      this.document = document;
      this.#kept = document;
      this.#leading = true;
    }
    await this.#look();
  }

  /** Shows what the leading collector found, with what operators did since. */
  async #follow(): Promise<void> {
    const { shared } = this.#keep;
    if (shared === undefined) return;
    const { moved: _moved, ...document } = await this.#keep.load();
    this.document = document;
    this.values = await shared.values();
    const { silences, resolved } = await shared.orders();
    const now = this.#parts.now();
    this.document = { ...this.document, silences: standingSilences(silences, now) };
    for (const id of resolved) this.document = resolvedBy(this.document, id, now);
  }

  /** Silences of the file of a version without shared alerts. */
  async #shareSilences({ silences }: AlertDocument): Promise<void> {
    const now = this.#parts.now();
    for (const silence of silences) {
      if (Date.parse(silence.until) > now) await this.#keep.shared?.silence(silence);
    }
  }

  /** Does what operators requested at other collectors. */
  async #obey(now: number): Promise<void> {
    const orders = await this.#keep.shared?.orders();
    if (orders === undefined) return;
    this.document = { ...this.document, silences: orders.silences };
    for (const id of orders.resolved) this.#resolve(id, now);
  }

  #inTurn<T>(task: () => Promise<T>): Promise<T> {
    const result = this.#work.then(task);
    this.#work = result.then(
      () => {},
      () => {},
    );
    return result;
  }

  async #look(): Promise<void> {
    const now = this.#parts.now();
    await this.#obey(now);
    this.#removed(now);
    for (const rule of this.rules) {
      for (const atMs of lookTimes(rule, this.document.looked_ms, now)) {
        if (this.#ended) return;
        await this.#lookAt(rule, atMs);
        await nextTask();
      }
    }
    this.#notify(now);
    this.document = { ...this.document, looked_ms: now };
    await this.#save(now);
    await this.#saveValues(now);
    // Another collector may have taken over during a long look.
    if (this.#keep.leads()) await this.#send(now);
  }

  async #lookAt(rule: AlertRule, atMs: number): Promise<void> {
    const judged = await this.#judge(rule, atMs);
    this.values = new Map(this.values).set(rule.name, judged);
    const { fresh, ended, kept } = changeOf(rule, this.document.active, judged, atMs);
    const others = this.document.active.filter((alert) => alert.rule !== rule.name);
    const raised = await Promise.all(fresh.map((one) => this.#raise(rule, one, atMs)));
    this.document = {
      ...this.document,
      active: [...others, ...kept, ...ended.map(({ alert }) => alert), ...raised],
    };
    for (const one of ended) this.#end(rule, one, atMs);
  }

  async #judge(rule: AlertRule, atMs: number): Promise<readonly JudgedGroup[]> {
    const measured = await measureRule(this.#parts, rule, atMs);
    const before =
      rule.change === undefined ? [] : await measureRule(this.#parts, rule, atMs - weekMs);
    const judged = measured.map((one) => {
      const old = before.find(({ group }) => group === one.group)?.value ?? null;
      return { ...one, broken: breaks(rule, one.value, old) };
    });
    if (rule.measure !== "findings") return judged;
    // A group without such a turn has none of them: that is a result.
    const gone = this.document.active.filter(
      ({ rule: name, group }) => name === rule.name && !measured.some((one) => one.group === group),
    );
    return [
      ...judged,
      ...gone.map(({ group }) => ({
        group,
        value: 0,
        count: 0,
        broken: breaks(rule, 0, null) ?? false,
      })),
    ];
  }

  async #raise(rule: AlertRule, { group, value }: JudgedGroup, atMs: number): Promise<ActiveAlert> {
    const last = this.document.closed.find((one) => isOf(one, rule.name, group));
    const afterMs = last === undefined ? 0 : Date.parse(last.ended);
    const { onset, roots } = await evidenceOf(this.#parts, rule, { group, endMs: atMs, afterMs });
    return {
      id: alertId({ scope: this.#options.scope, rule: rule.name, group, onset }),
      rule: rule.name,
      group,
      since: isoTime(atMs),
      value,
      roots: [...roots],
      broken_ms: atMs,
      notified: false,
      resolved: false,
    };
  }

  #end(rule: AlertRule, { alert, reason, value }: EndedEpisode, atMs: number): void {
    // An alert that began and ended in a time without a process is sent as both.
    const reported = alert.notified || alert.resolved ? alert : this.#reported(rule, alert, atMs);
    this.document = closed(this.document, reported, reason, atMs);
    if (reported.notified && !reported.resolved) {
      this.#enqueue("resolved", rule, { alert: reported, value }, atMs);
    }
  }

  /** Alerts of rules that the file no longer has. */
  #removed(now: number): void {
    for (const alert of this.document.active) {
      if (this.rules.some(({ name }) => name === alert.rule)) continue;
      // A receiver that was sent the start is sent the end, too.
      if (alert.sent !== undefined) {
        this.#end(alert.sent, { alert, reason: "rule_removed", value: null }, now);
      } else this.document = closed(this.document, alert, "rule_removed", now);
    }
  }

  #notify(now: number): void {
    const silences = standingSilences(this.document.silences, now);
    this.document = { ...this.document, silences };
    for (const alert of this.document.active) {
      const rule = this.rules.find(({ name }) => name === alert.rule);
      if (rule === undefined || alert.notified || alert.resolved) continue;
      const reported = this.#reported(rule, alert, now);
      const active = this.document.active.map((one) => (one.id === alert.id ? reported : one));
      this.document = { ...this.document, active };
    }
  }

  /** Puts its message into the outbox, unless a silence covers it. */
  #reported(rule: AlertRule, alert: ActiveAlert, now: number): ActiveAlert {
    if (isSilenced(this.document.silences, alert, now)) return alert;
    this.#enqueue("firing", rule, { alert, value: alert.value }, now);
    return { ...alert, notified: true, sent: rule };
  }

  #event(kind: AlertEvent["kind"], rule: AlertRule, of: Valued, atMs: number): AlertEvent {
    return { kind, rule, ...of, atMs, base: this.#options.base };
  }

  #enqueue(kind: AlertEvent["kind"], rule: AlertRule, of: Valued, now: number): void {
    this.document = withMessages(this.document, this.targets, this.#event(kind, rule, of, now));
  }

  /** Keeps the document where it changed; progress alone now and then. */
  async #save(now: number): Promise<void> {
    const { looked_ms: _looked, ...is } = this.document;
    const { looked_ms: _kept, ...was } = this.#kept;
    const same = JSON.stringify(is) === JSON.stringify(was);
    if (same && now - this.#keptAt < keepEveryMs) return;
    const { document } = this;
    await this.#keep.save(document);
    this.#kept = document;
    this.#keptAt = now;
  }

  /** Passes the values on to the other collectors, now and then. */
  async #saveValues(now: number): Promise<void> {
    if (now - this.#valuesAt < valuesEveryMs) return;
    const names = new Set(this.rules.map(({ name }) => name));
    this.values = new Map([...this.values].filter(([name]) => names.has(name)));
    await this.#keep.shared?.saveValues(this.values);
    this.#valuesAt = now;
  }

  async #send(now: number): Promise<void> {
    const due = this.document.outbox.filter(({ next_ms: at }) => at <= now);
    if (due.length > 0) {
      const result = await deliver(due, this.#options);
      if (result.failed.size > 0) {
        this.#parts.log.warn("alert_not_taken", { count: result.failed.size });
      }
      this.document = afterAttempt(this.document, result, this.targets, now);
      await this.#save(now);
    }
    await this.#repeat(now);
  }

  async #repeat(now: number): Promise<void> {
    const managers = this.targets.filter(({ kind }) => kind === "alertmanager");
    if (managers.length === 0 || now - this.#repeatedAt < repeatMs) return;
    this.#repeatedAt = now;
    for (const target of managers) {
      for (const alert of this.document.active) {
        const rule = this.rules.find(({ name }) => name === alert.rule);
        if (rule === undefined || !alert.notified || alert.resolved) continue;
        if (rule.to !== undefined && !rule.to.includes(target.name)) continue;
        const body = messageBody(
          target,
          this.#event("firing", rule, { alert, value: alert.value }, now),
        );
        if (!(await isTaken(target, { id: alert.id, body }, this.#options))) return;
      }
    }
  }

  silence(of: { rule: string; group: string | null; until: string; by: string }): Promise<void> {
    return this.#inTurn(async () => {
      await this.#keep.shared?.silence(of);
      const others = this.document.silences.filter((one) => !isOf(one, of.rule, of.group));
      const now = this.#parts.now();
      const silences = Date.parse(of.until) > now ? [...others, of] : others;
      this.document = { ...this.document, silences };
      if (this.#leading) await this.#save(now);
    });
  }

  resolve(id: string): Promise<boolean> {
    return this.#inTurn(async () => {
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
    const alert = this.document.active.find((one) => one.id === id && !one.resolved);
    const rule = this.rules.find(({ name }) => name === alert?.rule);
    if (alert === undefined || rule === undefined) return false;
    if (alert.notified) this.#enqueue("resolved", rule, { alert, value: alert.value }, now);
    this.document = resolvedBy(this.document, id, now);
    return true;
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#looking?.close();
    await this.#work;
    this.#keptAt = 0;
    try {
      if (this.#leading) await this.#save(this.#parts.now());
    } finally {
      await this.#keep.close();
    }
  }
}
