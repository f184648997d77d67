/**
 * @module DueRules: which rules are evaluated next. Each rests in proportion to what its own
 * evaluation took, so a slow rule is evaluated less often and delays no other. The rule that has
 * waited longest comes first.
 */
import type { AlertRule } from "../config/alert-rules.ts";
import type { LookingTimes } from "./rule-scheduler.ts";

/** The last look at a rule, in time of the process. */
interface RuleLook {
  readonly of: AlertRule;
  readonly beganMs: number;
  readonly endedMs: number;
  /** The time of the evidence that it was about, epoch milliseconds. */
  readonly atMs: number;
}

/** Length of a rest, in times of the evaluation before it. */
const restsPerLook = 4;
/** Longest rest, so that an alarm follows its evidence within ten seconds. */
const restMsMax = 5_000;

/** The looks at each rule. */
export class DueRules {
  readonly #times: LookingTimes;
  readonly #looks = new Map<string, RuleLook>();
  #touchedMs = -Infinity;

  constructor(times: LookingTimes) {
    this.#times = times;
  }

  /** Turns were written or judged then, in time of the process. */
  touched(atMs: number): void {
    this.#touchedMs = atMs;
  }

  /** A look at a rule has ended. */
  looked(look: RuleLook): void {
    this.#looks.set(look.of.name, look);
  }

  /** Another collector looked at the rules meanwhile. */
  forget(): void {
    this.#looks.clear();
  }

  /** Those that are due, the longest first. */
  due(rules: readonly AlertRule[], atMs: number): readonly AlertRule[] {
    return rules
      .map((rule) => ({ rule, dueMs: this.#dueMs(rule) }))
      .filter(({ dueMs }) => dueMs <= atMs)
      .toSorted((a, b) => a.dueMs - b.dueMs)
      .map(({ rule }) => rule);
  }

  /** How long none is due; infinite without a rule. */
  restMs(rules: readonly AlertRule[], atMs: number): number {
    return Math.max(0, Math.min(...rules.map((rule) => this.#dueMs(rule) - atMs)));
  }

  /** Up to when each of these was looked at, epoch milliseconds; null before that. */
  lookedMs(rules: readonly AlertRule[]): number | null {
    const times = rules.map(({ name }) => this.#looks.get(name)?.atMs ?? null);
    return times.reduce((a, b) => (a === null || b === null ? null : Math.min(a, b)), Infinity);
  }

  #dueMs(rule: AlertRule): number {
    const last = this.#looks.get(rule.name);
    if (last === undefined || last.of !== rule) return 0;
    const { everyMs, leastMs } = this.#times;
    const pauseMs = this.#touchedMs >= last.beganMs ? Math.min(leastMs, everyMs) : everyMs;
    const restMs = Math.min(restMsMax, restsPerLook * (last.endedMs - last.beganMs));
    return last.endedMs + Math.max(pauseMs, restMs);
  }
}
