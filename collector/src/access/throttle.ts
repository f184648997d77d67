/**
 * @module Throttle of wrong credentials: delays that grow with the failures of an address, of the
 * account that a guess names, and of all guesses that name none. Valid credentials never wait and
 * missing ones do not count, so no account can be locked out (security: Principals, faults W7).
 */
import { setTimeout as sleep } from "node:timers/promises";

import { networkOf } from "./client-address.ts";

/** Delays of this process. */
export interface Throttle {
  /**
   * Counts a failure; returns the seconds to wait before another attempt, 0 while there are few.
   * `account` is the name that the attempt gave, if it gave one.
   */
  failed(address: string, account?: string): number;
  /** Holds a refusal back, for a second at most; at once while too many are held. */
  hold(seconds: number): Promise<void>;
}

/** Failures that are free, and how many are forgotten each minute. */
interface Allowance {
  readonly free: number;
  readonly perMinute: number;
}

const allowances = {
  address: { free: 5, perMinute: 5 },
  account: { free: 10, perMinute: 5 },
  unnamed: { free: 50, perMinute: 50 },
} as const satisfies Readonly<Record<string, Allowance>>;

const delaySecondsMax = 300;
/** Failures that count beyond the free ones; more would only be remembered longer. */
const beyondMax = 10;
const entriesMax = 10_000;
const heldMax = 128;
const holdMsMax = 1_000;

interface Level {
  failures: number;
  at: number;
}

/** A throttle of this process. */
export function createThrottle(now: () => number = Date.now): Throttle {
  const levels = new Map<string, Level>();
  let held = 0;
  const count = (kind: keyof typeof allowances, name: string): number => {
    const { free, perMinute } = allowances[kind];
    const key = `${kind} ${name}`;
    const at = now();
    const before = levels.get(key);
    const faded = before === undefined ? 0 : ((at - before.at) / 60_000) * perMinute;
    const failures = Math.min(Math.max(0, (before?.failures ?? 0) - faded) + 1, free + beyondMax);
    levels.delete(key);
    levels.set(key, { failures, at });
    if (levels.size > entriesMax) levels.delete(levels.keys().next().value ?? "");
    const beyond = Math.ceil(failures - free);
    return beyond <= 0 ? 0 : Math.min(delaySecondsMax, 2 ** (beyond - 1));
  };
  return {
    failed: (address, account) =>
      Math.max(
        count("address", networkOf(address)),
        account === undefined ? count("unnamed", "") : count("account", account.toLowerCase()),
      ),
    async hold(seconds) {
      if (seconds <= 0 || held >= heldMax) return;
      held += 1;
      try {
        await sleep(Math.min(seconds * 1_000, holdMsMax), undefined, { ref: false });
      } finally {
        held -= 1;
      }
    },
  };
}
