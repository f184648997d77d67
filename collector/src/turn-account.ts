/**
 * @module TurnAccount: everything that is made of the events of a root: its turns, waterfall,
 * supply, verdict and insights. A page and the rows that its script asks for a moment later rest on
 * the same events, so an account is kept that long, and handed out again only for the same question
 * of the same asker about events that are equal in every field: what changed is told anew.
 */
import {
  buildCausalWaterfall,
  findInsights,
  foldTurns,
  readSupply,
  reconcileOutcome,
} from "@turnproof/evidence";
import type {
  CausalWaterfall,
  Insights,
  Supply,
  TurnEvent,
  TurnRow,
  Verdict,
  WindowMetadata,
} from "@turnproof/evidence";

/** What is said of some events. */
export interface TurnAccount {
  readonly turns: readonly TurnRow[];
  readonly waterfall: CausalWaterfall;
  readonly supply: Supply;
  /** The strict verdict over the events, judged now. */
  readonly verdict: Verdict;
  /** Insights of each turn for itself. */
  readonly insights: Insights;
}

/** What an account is given of. */
export interface Told {
  /** Who asks what: the asker's scope, the root and the filters; never carried to another. */
  readonly question: string;
  readonly events: readonly TurnEvent[];
  readonly metadata: WindowMetadata;
}

interface Kept extends Told {
  readonly account: TurnAccount;
}

/** How long an account is kept, in milliseconds, and how much of them. */
const defaults = { keptMs: 10_000, accounts: 4, events: 40_000 };

/** Tells accounts, and keeps the last few of them. `made` counts those that were worked out. */
export class TurnAccounts {
  readonly #bounds: typeof defaults;
  #kept: Kept[] = [];
  #made = 0;

  constructor(bounds: Partial<typeof defaults> = {}) {
    this.#bounds = { ...defaults, ...bounds };
  }

  /** Accounts that were worked out, not handed out again. */
  get made(): number {
    return this.#made;
  }

  of(told: Told): TurnAccount {
    const kept = this.#kept.find((one) => one.question === told.question);
    if (kept !== undefined && isEqual(kept.metadata, told.metadata)) {
      if (isEqual(kept.events, told.events)) return kept.account;
    }
    const account = accountOf(told);
    this.#made += 1;
    this.#keep({ ...told, account });
    return account;
  }

  #keep(kept: Kept): void {
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

function accountOf({ events, metadata }: Told): TurnAccount {
  return {
    turns: foldTurns(events),
    waterfall: buildCausalWaterfall(events),
    supply: readSupply(events),
    verdict: reconcileOutcome(events, { normalizationMetadata: metadata }),
    insights: findInsights(events, { scope: "turn" }),
  };
}

/** True of values that JSON would write alike, whatever the order of their fields. */
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
