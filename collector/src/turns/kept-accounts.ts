/**
 * @module KeptAccounts: caches what was computed from events for some seconds. A page and the rows
 * that its script requests use the same events. An entry is used only for the same question of the
 * same principal about events that are equal in every field; otherwise it is computed again.
 */
import type { TurnEvent } from "@turnproof/evidence";

/** Input of an account. */
export interface KeptQuestion {
  /** The principal's scope and the complete question; entries are never shared between two. */
  readonly question: string;
  readonly events: readonly TurnEvent[];
  /** Other input, such as how the events were read. */
  readonly metadata: unknown;
}

interface Kept<A> extends KeptQuestion {
  readonly account: A;
}

/** How long an account is cached, in milliseconds, and how much of them. */
const defaults = { keptMs: 10_000, accounts: 4, events: 60_000 };

/** Accounts of one kind: the last few are cached. */
export class KeptAccounts<A> {
  readonly #bounds: typeof defaults;
  #kept: Kept<A>[] = [];

  constructor(bounds: Partial<typeof defaults> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** The cached account for equal input, or the result of `make`. */
  of(reported: KeptQuestion, make: () => A): A {
    const kept = this.#kept.find((one) => one.question === reported.question);
    if (kept !== undefined && isEqual(kept.metadata, reported.metadata)) {
      if (isEqual(kept.events, reported.events)) return kept.account;
    }
    const account = make();
    this.#keep({ ...reported, account });
    return account;
  }

  #keep(kept: Kept<A>): void {
    const { keptMs, accounts, events: eventsMax } = this.#bounds;
    const others = this.#kept.filter((one) => one.question !== kept.question);
    let events = kept.events.length;
    this.#kept = [
      ...(events > eventsMax ? [] : [kept]),
      ...others.slice(0, accounts - 1).filter((one) => {
        events += one.events.length;
        return events <= eventsMax;
      }),
    ];
    const forget = (): void => {
      this.#kept = this.#kept.filter((one) => one !== kept);
    };
    setTimeout(forget, keptMs).unref();
  }
}

/** True for values with equal JSON, whatever the order of their fields. */
function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let at = 0; at < a.length; at += 1) if (!isEqual(a[at], b[at])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  for (const field in left) if (!isEqual(left[field], right[field])) return false;
  for (const field in right) if (right[field] !== undefined && !(field in left)) return false;
  return true;
}
